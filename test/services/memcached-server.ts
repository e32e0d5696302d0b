import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { findProgram } from './installed.js';
import { memcachedCommand, memcachedStats } from './memcached-command.js';
import { freePort } from './redis-server.js';

const START_LIMIT_MS = 10_000;

export interface MemcachedServer {
  readonly port: number;
  readonly pid: number;
  /** One command of the text protocol, with its value if it has one, and the whole answer. */
  command(line: string, value?: string): Promise<string>;
  /** The figures of `stats` so far, as numbers. */
  stats(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * Starts a real memcached on a free loopback port. It ends with `close`, or with this process. `settings` are words as
 * on its command line, for example `-m 64`; `port`: another than a free one.
 */
export async function startMemcached(
  settings: readonly string[] = [],
  port?: number,
): Promise<MemcachedServer> {
  const program = findProgram('memcached');
  if (program === null)
    throw new Error('memcached is not installed; guard the suite with needs("memcached")');
  const on = port ?? (await freePort());
  // As root it wants to be told who to be; elsewhere it ignores that.
  const user = process.getuid?.() === 0 ? ['-u', 'root'] : [];
  const words = ['-l', '127.0.0.1', '-p', String(on), '-U', '0', '-t', '2', ...user, ...settings];
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  try {
    await answering(child, on);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`memcached did not start: ${(error as Error).message}\n${output}`, { cause: error });
  }
  return {
    port: on,
    pid: child.pid as number,
    command: (line, value) => memcachedCommand(on, line, value),
    stats: async () =>
      Object.fromEntries(
        Object.entries(await memcachedStats(on)).map(([name, value]) => [name, Number(value)]),
      ),
    close: async () => {
      process.removeListener('exit', killWithUs);
      await ended(child);
    },
  };
}

async function answering(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    try {
      await memcachedCommand(port, 'version');
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await wait(20);
    }
  }
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    // Also one that stands still.
    child.kill('SIGKILL');
  });
}
