import {
  type Frame,
  type FrameRow,
  type Objective,
  objectiveMet,
  ObjectiveTally,
  type Stage,
  type StopRule,
} from '@pacecar/protocol';

/** Which objective ends the stage, its figure, and the intervals that it was made of. */
export interface StopReason {
  readonly objective: Objective;
  readonly actual: number;
  readonly firstInterval: number;
  readonly lastInterval: number;
}

/**
 * Watches a stage for an objective that ends it: judged are merged intervals, each once every worker that still runs
 * has sent it. What came before `fromMs` is not judged, nor what is sent after the stage's own end.
 */
export class EarlyStop {
  readonly #watches: readonly Watch[];
  /** Rows of intervals that are not whole yet. */
  readonly #waiting = new Map<number, FrameRow[]>();
  /** By worker, its newest interval. */
  readonly #newest = new Map<number, number>();
  readonly #end: number;
  #next: number;

  constructor(rule: StopRule, { end }: Pick<Stage, 'end'>, intervalMs: number) {
    this.#watches = rule.any.map((objective) => new Watch(objective, rule, intervalMs));
    this.#next = Math.ceil(rule.fromMs / intervalMs);
    this.#end = end.kind === 'duration' ? Math.floor(end.durationMs / intervalMs) : Number.POSITIVE_INFINITY;
  }

  add(frame: Frame): void {
    this.#newest.set(frame.worker, frame.interval);
    if (frame.interval < this.#next || frame.interval >= this.#end) return;
    const rows = this.#waiting.get(frame.interval);
    if (rows === undefined) this.#waiting.set(frame.interval, [...frame.rows]);
    else rows.push(...frame.rows);
  }

  /** `running`: the workers that have more to send. null: the stage goes on. */
  judge(running: readonly number[]): StopReason | null {
    if (running.length === 0) return null;
    const whole = Math.min(this.#end - 1, ...running.map((worker) => this.#newest.get(worker) ?? -1));
    for (; this.#next <= whole; this.#next++) {
      const rows = this.#waiting.get(this.#next) ?? [];
      this.#waiting.delete(this.#next);
      for (const watch of this.#watches) {
        const reason = watch.take(this.#next, rows);
        if (reason !== null) return reason;
      }
    }
    return null;
  }
}

/** One objective over the intervals of a stage. Intervals with too few operations are joined until there are enough. */
class Watch {
  readonly #tally: ObjectiveTally;
  readonly #rule: StopRule;
  readonly #intervalMs: number;
  /** First interval of those that are being joined; null: the next begins anew. */
  #joinedFrom: number | null = null;
  /** First interval since which it has been true without a break; null: it is not. */
  #trueFrom: number | null = null;

  constructor(objective: Objective, rule: StopRule, intervalMs: number) {
    this.#tally = new ObjectiveTally(objective);
    this.#rule = rule;
    this.#intervalMs = intervalMs;
  }

  take(interval: number, rows: readonly FrameRow[]): StopReason | null {
    const joinedFrom = this.#joinedFrom ?? interval;
    this.#joinedFrom = joinedFrom;
    for (const row of rows) this.#tally.add(row);
    const { basis, objective } = this.#tally;
    if (basis !== null && basis < this.#rule.fewestOperations) return null;
    const actual = this.#tally.figure((interval + 1 - joinedFrom) * this.#intervalMs * 1e6);
    this.#tally.clear();
    this.#joinedFrom = null;
    if (actual === null || !objectiveMet(objective, actual)) {
      this.#trueFrom = null;
      return null;
    }
    const firstInterval = this.#trueFrom ?? joinedFrom;
    this.#trueFrom = firstInterval;
    if ((interval + 1 - firstInterval) * this.#intervalMs < this.#rule.holdMs) return null;
    return { objective, actual, firstInterval, lastInterval: interval };
  }
}
