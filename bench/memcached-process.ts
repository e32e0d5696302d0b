import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface MemcachedProcess {
  readonly port: number;
  /** Gets and sets since the last question, as the server itself counts them, and gets that found nothing. */
  newCounts(): Promise<{ readonly get: number; readonly set: number; readonly misses: number }>;
  close(): Promise<void>;
}

/** A memcached with `threads` threads on a free loopback port. */
export async function startMemcachedProcess(threads: number): Promise<MemcachedProcess> {
  const port = await freePort();
  const user = process.getuid?.() === 0 ? ['-u', 'root'] : [];
  const words = ['-l', '127.0.0.1', '-p', String(port), '-U', '0', '-m', '1024', '-t', String(threads)];
  const child = spawn('memcached', [...words, ...user], { stdio: 'ignore' });
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
  for (let attempt = 0; (await stats(port)) === null; attempt++) {
    if (why !== null || attempt > 200) throw new Error(`memcached did not start: ${why ?? 'no answer'}`);
    await wait(25);
  }
  let before = { get: 0, set: 0, misses: 0 };
  return {
    port,
    newCounts: async () => {
      const text = (await stats(port)) ?? '';
      const count = (name: string) => Number(new RegExp(`^STAT ${name} (\\d+)`, 'm').exec(text)?.[1]);
      const now = { get: count('cmd_get'), set: count('cmd_set'), misses: count('get_misses') };
      const since = {
        get: now.get - before.get,
        set: now.set - before.set,
        misses: now.misses - before.misses,
      };
      before = now;
      return since;
    },
    close: async () => {
      process.removeListener('exit', killWithUs);
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The answer to `stats`; null if nobody listens. */
function stats(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      text += part;
      if (!text.endsWith('END\r\n')) return;
      socket.destroy();
      resolve(text);
    });
    socket.once('error', () => resolve(null));
    socket.write('stats\r\n');
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
