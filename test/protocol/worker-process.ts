/** A worker as a process: takes its options from its parent, and ends when the parent is gone. */
import { runWorker } from '@pacecar/worker';
import { pino } from 'pino';
import type { WorkerChildOptions } from './child-fleet.js';

const ending = new AbortController();
process.once('disconnect', () => ending.abort('SIGTERM'));
process.once('message', (options: WorkerChildOptions) => void work(options));

async function work(options: WorkerChildOptions): Promise<void> {
  const logger = pino({ level: 'debug' }, pino.destination({ dest: 2, sync: true }));
  const end = await runWorker({ ...options, logger, signal: ending.signal });
  process.exitCode = end.exitCode;
  if (process.connected) process.send?.(end, () => process.disconnect());
}
