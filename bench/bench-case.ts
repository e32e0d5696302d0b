/** What is asked for: reads, writes, or one write and then four reads, over and over, on each connection. */
export const OPERATIONS = ['get', 'set', '80:20'] as const;
export type BenchOperation = (typeof OPERATIONS)[number];

/** One cell of the comparison: what every contender is asked to do. */
export interface BenchCase {
  readonly operation: BenchOperation;
  readonly depth: number;
  readonly connections: number;
  readonly valueBytes: number;
  readonly keys: number;
}

/** How a contender did in one round. */
export interface Score {
  /** As the contender says; the comparison checks it against the server's own count. */
  readonly operations: number;
  readonly operationsPerSec: number;
  /** User and system time of the whole generator, without what it takes to start and to connect. */
  readonly cpuUs: number;
  /** Of Pacecar: medians and 99th percentiles of what it recorded, and reads that found nothing. */
  readonly recorded?: {
    readonly serviceP50Us: number;
    readonly serviceP99Us: number;
    readonly misses: number;
  };
}

export interface Contender {
  readonly name: string;
  /** Whether it can do such a case at all, and is meant to. */
  takes(what: BenchCase): boolean;
  /** About how long a run takes in all whose operations take `seconds`. */
  lastsSec(seconds: number): number;
  /** Operations per second, roughly, from a run of a fraction of a second. null: as fast as the first contender. */
  probe(what: BenchCase): Promise<number | null>;
  /**
   * Does `operations` operations on the server, or the next larger number that it can do. null: it did not say how it
   * did, and may be asked again.
   */
  run(what: BenchCase, operations: number): Promise<Score | null>;
  close(): Promise<void>;
}

export function caseName(what: BenchCase): string {
  return `${what.operation} ${what.valueBytes} B, ${what.connections} connections, depth ${what.depth}`;
}
