import { Worker } from 'node:worker_threads';
import { PacecarError } from '@pacecar/protocol';
import type { Level, TextOptions } from '@pacecar/report';

export interface FinishingRequest {
  readonly directory: string;
  readonly text: TextOptions;
  readonly strict: boolean;
}

/** What a finished run comes to. */
export interface Finished {
  readonly text: string;
  readonly json: string;
  readonly verdict: Level;
  readonly exitCode: number;
  /** Why the results are not (all) in the bundle; null when they are and it is sealed. */
  readonly unwritten: string | null;
}

/**
 * Makes summary.json, timeline.csv, report.html and hlog/ from the record and seals the bundle, on a thread of its
 * own: merging may take long, and this process may still serve heartbeats. What cannot be written is told in `unwritten`.
 */
export function finishBundle(request: FinishingRequest): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./finishing-thread.js', import.meta.url), { workerData: request });
    thread.once('message', (finished: Finished) => resolve(finished));
    thread.once('error', (error) => reject(failed(request.directory, error)));
    thread.once('exit', (code) =>
      reject(failed(request.directory, new Error(`the thread ended with ${code}`))),
    );
  });
}

function failed(directory: string, cause: Error): PacecarError {
  // The class of an error does not cross the border of a thread; its name does. Ours speak of files: a bundle that was
  // removed or changed while its run went on.
  if (cause.name === 'PacecarError')
    return new PacecarError('STORAGE', `the report could not be made: ${cause.message}`, { cause });
  return new PacecarError(
    'INTERNAL',
    `the report could not be made (${cause.message}); the record of the run is kept in ${directory}`,
    { cause },
  );
}
