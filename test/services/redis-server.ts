import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findProgram } from './installed.js';
import { commandCalls, redisCommand } from './redis-command.js';

const START_LIMIT_MS = 10_000;

export interface RedisServer {
  readonly port: number;
  readonly pid: number;
  /** One command as a word list; an error reply rejects. Only on a server without a password. */
  command(...words: string[]): Promise<unknown>;
  /** Calls of each command so far. */
  calls(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * Starts a real redis-server on a free loopback port, without persistence, in an empty folder of its own. It ends
 * with `close`, or with this process. `settings` are words as on its command line, for example `--requirepass x`.
 */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const program = findProgram('redis-server');
  if (program === null)
    throw new Error('redis-server is not installed; guard the suite with needs("redis-server")');
  const folder = await mkdtemp(join(tmpdir(), 'pacecar-redis-'));
  const port = await freePort();
  const child = spawn(
    program,
    [
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
      ...settings,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  try {
    await answering(child, port);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`redis-server did not start: ${(error as Error).message}\n${output}`, { cause: error });
  }
  return {
    port,
    pid: child.pid as number,
    command: (...words) => redisCommand(port, ...words),
    calls: () => commandCalls(port),
    close: async () => {
      process.removeListener('exit', killWithUs);
      await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

async function answering(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    try {
      await redisCommand(port, 'PING');
      return;
    } catch (error) {
      // A server with a password answers too.
      if ((error as Error).message.startsWith('NOAUTH')) return;
      if (performance.now() > deadline) throw error;
      await wait(20);
    }
  }
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
