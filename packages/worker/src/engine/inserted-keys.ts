import { type LanePlace, LIMITS, PacecarError, type Workload } from '@pacecar/protocol';
import { INSERTS } from './action-draws.js';

/** Keys that a workload of a stage may insert: its own block, so that none writes what another one inserted. */
const BLOCK = 2 ** 34;
/** Keys of inserts that failed, for each connection; after more of them its later keys are not drawn. */
const HOLES = 14;
/** Of a connection: acknowledged inserts, number of holes, holes. */
const STRIDE = 2 + HOLES;
/** The sum over all connections is taken anew after so many draws. */
const DRAWS_PER_SUM = 64;

/** The largest key that an operation of the workload may have. */
export function largestKey({ keys, mix }: Pick<Workload, 'keys' | 'mix'>): number {
  return mix.some(({ operation }) => INSERTS.has(operation)) ? Number.MAX_SAFE_INTEGER : keys.maximum;
}

/** Memory that all engine threads of a worker share for a workload with so many connections. */
export function insertMemory(connections: number): SharedArrayBuffer {
  return new SharedArrayBuffer(Math.max(1, connections) * STRIDE * Float64Array.BYTES_PER_ELEMENT);
}

/**
 * Where the keys begin that workload `workload` of stage `stage` of a cell inserts: past the ranges of all workloads of
 * its stage. Throws PacecarError REQUEST_INVALID if they would pass 2^53-1.
 */
export function firstInsertedKey(
  workloads: readonly Pick<Workload, 'keys'>[],
  stage: number,
  workload: number,
): number {
  const maximum = Math.max(...workloads.map(({ keys }) => keys.maximum));
  const first = maximum + 1 + (stage * LIMITS.workloadsPerStage + workload) * BLOCK;
  if (first + BLOCK <= Number.MAX_SAFE_INTEGER) return first;
  throw new PacecarError(
    'REQUEST_INVALID',
    `keys up to ${maximum} leave no room below 2^53 for the keys that stage ${stage} inserts; use smaller keys`,
  );
}

/**
 * Which inserted keys of a workload may be read on this worker: those whose insert was acknowledged. In memory that the
 * engine threads share; each connection's part is written by its own thread alone, and read by all.
 *
 * Insert j of a connection writes the key that a schedule would give it as its arrival j (`laneArrival`): disjoint over all workers and connections,
 * without asking anybody.
 */
export class InsertedKeys {
  readonly #first: number;
  readonly #place: LanePlace;
  readonly #memory: Float64Array;
  #sum = 0;
  #draws = 0;

  /** `place`: of any connection of this worker's. `memory`: `insertMemory(connections)`, zeros at first. */
  constructor(memory: ArrayBufferLike, first: number, place: LanePlace) {
    this.#memory = new Float64Array(memory);
    this.#first = first;
    this.#place = place;
  }

  /** How many inserts were acknowledged, as of a few draws ago. */
  get count(): number {
    if (this.#draws++ % DRAWS_PER_SUM === 0) {
      let sum = 0;
      for (let at = 0; at < this.#memory.length; at += STRIDE)
        sum += (this.#memory[at] as number) - (this.#memory[at + 1] as number);
      this.#sum = sum;
    }
    return this.#sum;
  }

  /**
   * An acknowledged key, the newest for `age` 0. Connections insert side by side: their newest ones come first, then
   * the second newest ones. -1 if there is none of that age.
   */
  ofAge(age: number): number {
    const { connections } = this.#place;
    const back = Math.floor(age / connections);
    for (let tried = 0; tried < connections; tried++) {
      const connection = (age + tried) % connections;
      const at = connection * STRIDE;
      const number = (this.#memory[at] as number) - 1 - back;
      if (number >= 0 && !this.#isHole(at, number)) return this.keyOf(connection, number);
    }
    return -1;
  }

  keyOf(connection: number, number: number): number {
    const { workers, worker, connections } = this.#place;
    return this.#first + (number * connections + connection) * workers + worker;
  }

  /** What one connection inserts. */
  connection(connection: number): ConnectionInserts {
    return new ConnectionInserts(
      this,
      this.#memory.subarray(connection * STRIDE, (connection + 1) * STRIDE),
      connection,
    );
  }

  #isHole(at: number, number: number): boolean {
    const holes = this.#memory[at + 1] as number;
    for (let hole = 0; hole < holes; hole++) if (this.#memory[at + 2 + hole] === number) return true;
    return false;
  }
}

const UNKNOWN = 0;
const WRITTEN = 1;
const FAILED = 2;

/** The inserts of one connection: gives their keys, and publishes them once they are acknowledged. */
export class ConnectionInserts {
  readonly #keys: InsertedKeys;
  readonly #shared: Float64Array;
  readonly #connection: number;
  #next = 0;
  /** Inserts below this have ended. */
  #endedBelow = 0;
  /** How those from there on ended, in a ring; a power of two. */
  #ends = new Uint8Array(64);
  /** There were too many holes: what was inserted after them is not published. */
  #isFull = false;

  constructor(keys: InsertedKeys, shared: Float64Array, connection: number) {
    this.#keys = keys;
    this.#shared = shared;
    this.#connection = connection;
  }

  /** The insert that was taken last is not made; the next one takes its number. */
  giveBack(): void {
    this.#next--;
  }

  /** The number of the next insert. */
  take(): number {
    if (this.#next - this.#endedBelow === this.#ends.length) this.#grow();
    return this.#next++;
  }

  keyOf(number: number): number {
    return this.#keys.keyOf(this.#connection, number);
  }

  /** Insert `number` has ended: its key is there, or nobody knows. */
  ended(number: number, isWritten: boolean): void {
    const ends = this.#ends;
    const mask = ends.length - 1;
    ends[number & mask] = isWritten ? WRITTEN : FAILED;
    if (number !== this.#endedBelow) return;
    let below = number;
    for (; below < this.#next; below++) {
      const end = ends[below & mask];
      if (end === UNKNOWN) break;
      ends[below & mask] = UNKNOWN;
      if (end === FAILED) this.#leaveOut(below);
    }
    this.#endedBelow = below;
    if (!this.#isFull) this.#shared[0] = below;
  }

  #leaveOut(number: number): void {
    const holes = this.#shared[1] as number;
    if (holes === HOLES) {
      if (!this.#isFull) this.#shared[0] = number;
      this.#isFull = true;
      return;
    }
    // In this order: a reader that does not see the hole yet does not see the key either.
    this.#shared[2 + holes] = number;
    this.#shared[1] = holes + 1;
  }

  #grow(): void {
    const grown = new Uint8Array(this.#ends.length * 2);
    for (let number = this.#endedBelow; number < this.#next; number++)
      grown[number & (grown.length - 1)] = this.#ends[number & (this.#ends.length - 1)] as number;
    this.#ends = grown;
  }
}
