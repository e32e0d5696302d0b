import {
  type Frame,
  insertSlices,
  LIMITS,
  type MonotonicMs,
  type Stage,
  sharesInserts,
  type WorkerInserts,
  type WorkloadInserts,
} from '@pacecar/protocol';

/**
 * Numbers that all workers of a stage together are told of inserts at a time, about 2 MB. A hundred workers hear of all
 * others within three intervals, five thousand of a few at a time.
 */
const NUMBERS_AT_A_TIME = 2 ** 18;
/** A worker that comes back sends many frames at once: the others do not hear of each. In intervals. */
const SOONEST = 0.5;

/**
 * What the workers of a stage have inserted, by their last frames, and what of it the others have not been told. They
 * are told once all have reported an interval, or one of them a later one.
 */
export class InsertBoard {
  readonly #stage: Stage;
  readonly #workers: number;
  readonly #intervalMs: number;
  /** By workload and worker. */
  readonly #latest = new Map<string, WorkerInserts>();
  /** Keys of what has changed since it was told; the one that waits longest first. */
  readonly #news = new Set<string>();
  /** The interval that is awaited, the last one of each worker, and how many of these are as late as that. */
  #interval = 0;
  readonly #intervals = new Map<number, number>();
  #reported = 0;
  /** The latest interval of any. */
  #newest = -1;
  #toldAtMs = Number.NEGATIVE_INFINITY;

  /** `workers`: how many take part in the stage. */
  constructor(stage: Stage, workers: number, intervalMs: number) {
    this.#stage = stage;
    this.#workers = workers;
    this.#intervalMs = intervalMs;
  }

  /** By a frame of a worker, `worker` its index in the share of the stage. Returns what is wrong with it, or null. */
  take(worker: number, { inserted = [], interval }: Pick<Frame, 'inserted' | 'interval'>): string | null {
    for (const one of inserted) {
      const wrong = this.#takeOne(worker, one);
      if (wrong !== null) return wrong;
    }
    const before = this.#intervals.get(worker) ?? -1;
    if (inserted.length === 0 || interval <= before) return null;
    this.#intervals.set(worker, interval);
    this.#newest = Math.max(this.#newest, interval);
    if (before < this.#interval && interval >= this.#interval) this.#reported++;
    return null;
  }

  /**
   * What `receivers` workers, all that still run, are to be told now, or null. What is too much for one message comes
   * with the next.
   */
  due(receivers: number, nowMs: MonotonicMs): readonly WorkerInserts[] | null {
    if (this.#newest < this.#interval) return null;
    if (this.#reported >= receivers) this.#await(this.#interval + 1);
    else if (this.#newest === this.#interval || nowMs - this.#toldAtMs < SOONEST * this.#intervalMs)
      return null;
    else this.#await(this.#newest);
    if (this.#news.size === 0) return null;
    this.#toldAtMs = nowMs;
    const told = this.#upTo(this.#news, NUMBERS_AT_A_TIME / receivers);
    for (const { workload, worker } of told) this.#news.delete(keyOf(workload, worker));
    return told;
  }

  /** Everything, a message at a time: for a worker that may have missed some. */
  *all(): Generator<readonly WorkerInserts[]> {
    const left = new Set(this.#latest.keys());
    while (left.size > 0) {
      const told = this.#upTo(left, LIMITS.insertedNumbers);
      for (const { workload, worker } of told) left.delete(keyOf(workload, worker));
      yield told;
    }
  }

  #takeOne(worker: number, { workload: name, slices }: WorkloadInserts): string | null {
    const index = this.#stage.workloads.findIndex((workload) => workload.name === name);
    const workload = this.#stage.workloads[index];
    if (workload === undefined || !sharesInserts(workload))
      return `inserts of ${name}, which nobody of stage ${this.#stage.name} reads`;
    const expected = insertSlices(workload, this.#workers, worker).length;
    if (slices.length !== expected)
      return `inserts of ${name} in ${slices.length} slices where its share makes ${expected}`;
    const key = keyOf(index, worker);
    const entry = { workload: index, worker, slices };
    if (isNews(this.#latest.get(key), entry)) this.#news.add(key);
    this.#latest.set(key, entry);
    return null;
  }

  #await(interval: number): void {
    this.#interval = interval;
    this.#reported = 0;
    for (const one of this.#intervals.values()) if (one >= interval) this.#reported++;
  }

  /** At least one, and then as many as fit. */
  #upTo(keys: Iterable<string>, numbers: number): readonly WorkerInserts[] {
    const told: WorkerInserts[] = [];
    let left = Math.min(numbers, LIMITS.insertedNumbers);
    for (const key of keys) {
      const entry = this.#latest.get(key) as WorkerInserts;
      left -= entry.slices.reduce((sum, rounds) => sum + rounds.length, 0);
      if (left < 0 && told.length > 0) break;
      told.push(entry);
    }
    return told;
  }
}

const keyOf = (workload: number, worker: number): string => `${workload} ${worker}`;

/** Whether anything differs from what was known; nothing was known of a worker that has inserted nothing. */
function isNews(known: WorkerInserts | undefined, { slices }: WorkerInserts): boolean {
  if (known === undefined) return slices.some((rounds) => rounds.some((number) => number > 0));
  return slices.some((rounds, slice) => {
    const before = known.slices[slice];
    return before?.length !== rounds.length || rounds.some((number, at) => number !== before[at]);
  });
}
