import type { Figures, Latency } from './schema.js';

/** The latency that a reader is told first, and which of the two times it is. */
export interface HeadLatency {
  readonly time: 'response' | 'service';
  readonly latency: Latency;
}

/** Response times where a schedule says when every operation was due, else service times. */
export function headLatency({ service, response }: Pick<Figures, 'service' | 'response'>): HeadLatency {
  // A total over open and closed workloads has response times of some of its operations only.
  return response !== null && response.count === service.count
    ? { time: 'response', latency: response }
    : { time: 'service', latency: service };
}
