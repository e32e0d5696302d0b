import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export interface RedisProcess {
  readonly port: number;
  close(): Promise<void>;
}

/** A redis-server without persistence on a free loopback port, in an empty folder of its own. */
export async function startRedisProcess(): Promise<RedisProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'pacecar-bench-'));
  const port = await freePort();
  const words = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const child = spawn('redis-server', words, { stdio: 'ignore' });
  let why: string | null = null;
  const ended = new Promise<void>((resolve) => {
    const end = (reason: string) => {
      why = reason;
      resolve();
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code) => end(`it ended with code ${code}`));
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  for (let attempt = 0; !(await accepts(port)); attempt++) {
    if (why !== null || attempt > 200) throw new Error(`redis-server did not start: ${why ?? 'no answer'}`);
    await wait(25);
  }
  return {
    port,
    close: async () => {
      process.removeListener('exit', killWithUs);
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
