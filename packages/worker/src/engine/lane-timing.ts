import type { Pace } from './pace.js';

/** When a lane may begin operations, if it may not at any time: by a schedule, after a rest, or from a moment on. */
export class LaneTiming {
  /** Open model; null: closed. */
  readonly pace: Pace | null;
  readonly #thinkNs: number;
  readonly #startsAfterNs: number;
  #startsAtNs = 0;
  /** Closed model with think time: when a free slot may be used again. */
  readonly #readyNs: Float64Array;
  /** Since when there has been a connection with a free slot. */
  #freeSinceNs = 0;

  constructor(depth: number, pace: Pace | null, thinkNs: number, startsAfterNs: number) {
    this.pace = pace;
    this.#thinkNs = thinkNs;
    this.#startsAfterNs = startsAfterNs;
    this.#readyNs = new Float64Array(thinkNs > 0 ? depth : 0);
  }

  start(startNs: number, endNs: number): void {
    this.#startsAtNs = startNs + this.#startsAfterNs;
    this.#freeSinceNs = startNs;
    this.pace?.begin(startNs, endNs);
  }

  /** When the next operation may begin; `slot` is the one it would have. */
  nextNs(slot: number): number {
    if (this.pace !== null) return this.pace.dueNs;
    if (this.#thinkNs === 0) return this.#startsAtNs;
    return Math.max(this.#startsAtNs, this.#readyNs[slot] as number);
  }

  /** By how much an operation that is due at `dueNs` and begins now could have begun before. */
  errorNs(dueNs: number, nowNs: number): number {
    return nowNs - Math.max(dueNs, Math.min(nowNs, this.#freeSinceNs));
  }

  /** There is room again, by a free slot or a new connection. */
  freed(nowNs: number): void {
    this.#freeSinceNs = nowNs;
  }

  /** The operation in `slot` has ended. */
  rest(slot: number, nowNs: number): void {
    if (this.#thinkNs > 0) this.#readyNs[slot] = nowNs + this.#thinkNs;
  }

  /** Nothing was answered: slots need no rest. */
  clear(): void {
    this.#readyNs.fill(0);
  }
}
