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
}

/**
 * Makes summary.json, timeline.csv, report.html and hlog/ from the record and seals the bundle, on a thread of its
 * own: merging may take long, and this process may still serve heartbeats.
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
  return new PacecarError(
    'INTERNAL',
    `the report could not be made (${cause.message}); the record of the run is kept in ${directory}`,
    { cause },
  );
}
