/** One cell of the comparison: what every contender is asked to do. */
export interface BenchCase {
  readonly operation: 'get' | 'set';
  readonly depth: number;
  readonly connections: number;
  readonly valueBytes: number;
  readonly keys: number;
}

/** How a contender did in one round. */
export interface Score {
  readonly operations: number;
  readonly operationsPerSec: number;
  /** User and system time of the whole generator, from first to last operation or of its whole life. */
  readonly cpuUsPerOperation: number;
}

export interface Contender {
  readonly name: string;
  /** Does `operations` operations on the server. */
  run(what: BenchCase, operations: number): Promise<Score>;
  close(): Promise<void>;
}

export function caseName(what: BenchCase): string {
  return `${what.operation} ${what.valueBytes} B, ${what.connections} connections, depth ${what.depth}`;
}
