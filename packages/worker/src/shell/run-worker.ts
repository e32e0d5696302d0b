import type { Logger } from 'pino';

export interface WorkerOptions {
  /** ws://host:port or wss://host:port. */
  readonly join: string;
  /** Sent in hello only; never in the address. */
  readonly token: string | null;
  readonly name: string | null;
  readonly group: string | null;
  readonly index: number | null;
  /** Whether the worker ends with the run or waits for the next one. */
  readonly afterRun: 'exit' | 'wait';
  /** PEM file of the certificate authority to trust for wss, instead of the system's. */
  readonly caFile: string | null;
  readonly logger: Logger;
  /** Aborting ends the worker; `reason` 'SIGTERM' says so, anything else means SIGINT. */
  readonly signal?: AbortSignal;
  /** Local runs: the worker ends itself when this process is no longer its parent (polled once a second). */
  readonly parentPid?: number;
}

export interface WorkerEnd {
  /** As the process should end: 0, or that of the failure code. */
  readonly exitCode: number;
  readonly reason: string;
}

/** Joins a coordinator and works until the run is over. Throws PacecarError REQUEST_INVALID for wrong options. */
export async function runWorker(_options: WorkerOptions): Promise<WorkerEnd> {
  throw new Error('being written');
}
