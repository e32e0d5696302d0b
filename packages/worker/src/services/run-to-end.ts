import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PacecarError } from '@pacecar/protocol';
import { lastLines } from './guard/bounded-log.js';
import type { Guard } from './guard/guard.js';

/** Runs a program that ends by itself, under the guard as everything else. Throws SERVICE_FAILED with its last lines. */
export async function runToEnd(options: {
  readonly guard: Guard;
  readonly program: string;
  readonly args: readonly string[];
  /** For people: `fetching Hazelcast 5.5.0`. */
  readonly what: string;
  readonly directory: string;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { guard, program, args, what, directory, signal } = options;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const logFile = join(directory, 'preparing.log');
  signal.throwIfAborted();
  const process = await guard.spawn({ program, arguments: args, directory, logFile, logBytes: 256 * 1024 });
  const kill = (): void => process.signal('SIGKILL');
  signal.addEventListener('abort', kill);
  const end = await process.ended;
  signal.removeEventListener('abort', kill);
  if (end.code === 0) return;
  const words = lastLines(logFile, 8);
  throw new PacecarError(
    'SERVICE_FAILED',
    `${what} failed: ${program} ${end.signal === null ? `ended with code ${end.code}` : `was ended by ${end.signal}`}` +
      (words === '' ? '' : `; its last words:\n${words.replace(/^/gm, '  ')}`),
  );
}
