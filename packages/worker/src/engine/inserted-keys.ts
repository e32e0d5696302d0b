import {
  amountFor,
  insertSlices,
  insertsKeys,
  type LanePlace,
  sharesInserts,
  type Slice,
  type Workload,
} from '@pacecar/protocol';
import { AgeOrder } from './age-order.js';
import { ConnectionInserts } from './connection-inserts.js';
import { InsertRounds } from './insert-rounds.js';

/** How often what there is is counted anew: after this share of it was drawn ... */
const DRAWN_SHARE = 1 / 16;
/** ... but not after fewer draws, and at the latest after so many for each part. */
const FEWEST_DRAWS = 8;
const DRAWS_PER_PART = 8;

/** Which worker's connections, and how many it has in all. */
export interface ForeignSlice {
  readonly worker: number;
  readonly connections: number;
  readonly slice: Slice;
}

/** What the threads of a worker share of the inserts of a workload. */
export interface InsertMemory {
  /** A part for each connection of this worker, by its index. */
  readonly own: ArrayBufferLike;
  /** A part for each of `foreignSlices`; null: nobody reads what others insert. */
  readonly foreign: ArrayBufferLike | null;
}

/** The largest key that an operation of the workload may have. */
export function largestKey(workload: Pick<Workload, 'keys' | 'mix'>): number {
  return insertsKeys(workload) ? Number.MAX_SAFE_INTEGER : workload.keys.maximum;
}

/** The slices of all workers but `worker`, in their order. */
export function foreignSlices(workload: Workload, workers: number, worker: number): ForeignSlice[] {
  if (!sharesInserts(workload)) return [];
  return Array.from({ length: workers }, (_, other): ForeignSlice[] => {
    if (other === worker) return [];
    const connections = amountFor(workload.connections, workers, other);
    return insertSlices(workload, workers, other).map((slice) => ({ worker: other, connections, slice }));
  }).flat();
}

/** `place`: of any connection of the worker that has something to do. */
export function insertMemory(workload: Workload, { workers, worker, connections }: LanePlace): InsertMemory {
  const foreign = foreignSlices(workload, workers, worker).length;
  return {
    own: InsertRounds.memory(connections),
    foreign: foreign === 0 ? null : InsertRounds.memory(foreign),
  };
}

/** Keys of one part: neighbouring connections of one worker. */
interface Part {
  readonly rounds: InsertRounds;
  /** Its number there. */
  readonly index: number;
  readonly worker: number;
  readonly connections: number;
  readonly first: number;
  readonly lines: number;
}

/**
 * Which inserted keys of a workload may be read on this worker: those whose insert was acknowledged, here or elsewhere.
 * Rounds of connections are keys as `laneArrival` deals out arrivals, from the first inserted key on.
 */
export class InsertedKeys {
  readonly #first: number;
  readonly #place: LanePlace;
  readonly #own: InsertRounds;
  readonly #parts: readonly Part[];
  readonly #order: AgeOrder;
  readonly #lengths: Float64Array;
  #sum = -1;
  #drawsLeft = 0;

  /** `memory`: of `insertMemory` with this place. */
  constructor(workload: Workload, memory: InsertMemory, first: number, place: LanePlace) {
    this.#first = first;
    this.#place = place;
    this.#own = new InsertRounds(memory.own);
    const { worker, connections } = place;
    const own = Array.from(
      { length: connections },
      (_, index): Part => ({ rounds: this.#own, index, worker, connections, first: index, lines: 1 }),
    );
    this.#parts = [...own, ...foreignParts(workload, memory, place)];
    this.#order = new AgeOrder(this.#parts.map(({ lines }) => lines));
    this.#lengths = new Float64Array(this.#parts.length);
  }

  /** How many keys there are, as of a few draws ago; one that failed among them counts as well. */
  get count(): number {
    if (this.#drawsLeft-- <= 0) this.#arrange();
    return this.#order.total;
  }

  /** An acknowledged key of about that age, the newest for 0; `age` is below `count`. -1 if there is none. */
  ofAge(age: number): number {
    const order = this.#order;
    order.find(age);
    const { part, line, back } = order;
    const parts = this.#parts.length;
    for (let tried = 0; tried < parts; tried++) {
      const at = part + tried < parts ? part + tried : part + tried - parts;
      const one = this.#parts[at] as Part;
      const round = newestUpTo(one, one.rounds.below(one.index) - 1 - back);
      // The line only counts where it was looked for.
      if (round >= 0) return this.#keyOf(one, tried === 0 ? line : 0, round);
    }
    return -1;
  }

  keyOf(connection: number, round: number): number {
    const { workers, worker, connections } = this.#place;
    return this.#first + (round * connections + connection) * workers + worker;
  }

  /** What one connection inserts. */
  connection(connection: number): ConnectionInserts {
    return new ConnectionInserts((round) => this.keyOf(connection, round), this.#own, connection);
  }

  #keyOf({ worker, connections, first }: Part, line: number, round: number): number {
    return this.#first + (round * connections + first + line) * this.#place.workers + worker;
  }

  #arrange(): void {
    let sum = 0;
    this.#parts.forEach(({ rounds, index, lines }, at) => {
      const from = rounds.from(index);
      const length = Math.max(0, rounds.below(index) - from);
      this.#lengths[at] = length;
      sum += length * lines;
    });
    if (sum !== this.#sum) this.#order.arrange(this.#lengths);
    this.#sum = sum;
    this.#drawsLeft = Math.min(
      DRAWS_PER_PART * this.#parts.length,
      Math.max(FEWEST_DRAWS, sum * DRAWN_SHARE),
    );
  }
}

function foreignParts(workload: Workload, { foreign }: InsertMemory, place: LanePlace): Part[] {
  if (foreign === null) return [];
  const rounds = new InsertRounds(foreign);
  return foreignSlices(workload, place.workers, place.worker).map(
    ({ worker, connections, slice }, index): Part => ({
      rounds,
      index,
      worker,
      connections,
      first: slice.start,
      lines: slice.length,
    }),
  );
}

/** The newest round up to `round` that is there; -1: none. At most as many have failed as are remembered. */
function newestUpTo({ rounds, index }: Part, round: number): number {
  for (let one = round; one >= rounds.from(index); one--) if (rounds.has(index, one)) return one;
  return -1;
}
