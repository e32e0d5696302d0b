import type { Operation, Workload } from '@pacecar/protocol';
import { createKeySource, type KeySource } from './key-source.js';
import type { LanePortion } from './portion.js';
import { RandomStream, seedOf } from './random.js';
import { createSizeSource, type SizeSource } from './value-source.js';

/** Which of a connection's streams a seed is for: adding one later leaves the others as they are. */
const STREAM = { mix: 1, keys: 2, sizes: 3 } as const;

const WRITES: ReadonlySet<Operation> = new Set<Operation>(['put', 'delete']);
const WITH_VALUE: ReadonlySet<Operation> = new Set<Operation>(['put']);

/** What names a connection's streams, besides the portion itself. Never a thread. */
export interface StreamIdentity {
  /** Of the run. */
  readonly seed: number;
  readonly stage: number;
  /** Index of the worker in the run. */
  readonly worker: number;
}

/**
 * The operations of one connection, in order: a function of the plan, the seed, the stage, the worker and the
 * connection. `next` moves to the next one, which then stands in the fields.
 */
export class OperationStream {
  /** Index into the workload's mix. */
  operation = 0;
  /** Number of the key. */
  key = 0;
  /** Size of the value to write; 0 for operations without one. */
  valueBytes = 0;
  readonly #keys: KeySource;
  readonly #sizes: SizeSource;
  readonly #random: RandomStream;
  /** Entry i of the mix is chosen for numbers below its threshold, the last one for the rest. */
  readonly #thresholds: readonly number[];
  readonly #writes: readonly boolean[];
  readonly #withValue: readonly boolean[];

  constructor(workload: Workload, portion: LanePortion, identity: StreamIdentity) {
    const seed = (stream: number) =>
      seedOf(identity.seed, identity.stage, portion.workload, identity.worker, portion.connection, stream);
    this.#keys = createKeySource(workload.keys, portion.keys, seed(STREAM.keys));
    this.#sizes = createSizeSource(workload.values, seed(STREAM.sizes));
    this.#random = new RandomStream(seed(STREAM.mix));
    this.#thresholds = thresholds(workload.mix.map((entry) => entry.weight));
    this.#writes = workload.mix.map((entry) => WRITES.has(entry.operation));
    this.#withValue = workload.mix.map((entry) => WITH_VALUE.has(entry.operation));
  }

  next(): void {
    const thresholds = this.#thresholds;
    let operation = 0;
    if (thresholds.length > 0) {
      const drawn = this.#random.u32();
      while (operation < thresholds.length && drawn >= (thresholds[operation] as number)) operation++;
    }
    this.operation = operation;
    this.key = this.#writes[operation] === true ? this.#keys.nextWrite() : this.#keys.nextRead();
    this.valueBytes = this.#withValue[operation] === true ? this.#sizes.next() : 0;
  }
}

function thresholds(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const result: number[] = [];
  let sum = 0;
  for (const weight of weights.slice(0, -1)) {
    sum += weight;
    result.push(Math.round((sum / total) * 0x100000000));
  }
  return result;
}
