import { Distribution, encodedCount, endedCount, type Event, type Frame } from '@pacecar/protocol';

/** The last complete interval over all workers, and what the run has done so far. For display only. */
export interface LiveFigures {
  readonly operationsPerSec: number;
  readonly p50Ns: number | null;
  readonly p99Ns: number | null;
  /** Ended so far in the run, warm-ups included; errors, timeouts and aborted among them. */
  readonly operations: number;
  readonly errors: number;
}

/** How many intervals the display waits for a slow or cut worker before it shows one without it. */
const PATIENCE_INTERVALS = 3;

interface OpenInterval {
  ended: number;
  startNs: number;
  endNs: number;
  readonly service: Distribution;
}

type Shown = Pick<LiveFigures, 'operationsPerSec' | 'p50Ns' | 'p99Ns'>;
const NOTHING_SHOWN: Shown = { operationsPerSec: 0, p50Ns: null, p99Ns: null };

/** Merges frames by interval index while a run goes. Holds a few intervals, never a frame. */
export class LiveIntervals {
  readonly #intervalNs: number;
  /** The stage's workers that have more frames to come, with the newest interval of each. */
  readonly #newest = new Map<number, number>();
  readonly #open = new Map<number, OpenInterval>();
  #stage: { readonly cell: number; readonly stage: number } | null = null;
  #shownInterval = -1;
  #shown = NOTHING_SHOWN;
  #operations = 0;
  #errors = 0;

  constructor(intervalMs: number) {
    this.#intervalNs = intervalMs * 1e6;
  }

  event(event: Event): void {
    if (event.type === 'stage-arming') {
      this.#stage = { cell: event.cell, stage: event.stage };
      this.#newest.clear();
      for (const worker of event.workers) this.#newest.set(worker, -1);
      this.#open.clear();
      this.#shownInterval = -1;
      this.#shown = NOTHING_SHOWN;
    } else if (event.type === 'worker-lost' || (event.type === 'worker-drained' && this.#isShown(event))) {
      this.#newest.delete(event.worker);
    }
  }

  /** Throws BytesInvalid, with nothing counted, for a frame whose histograms are not such. */
  frame(frame: Frame): void {
    for (const row of frame.rows) {
      for (const histogram of [row.service, row.response, row.failed]) encodedCount(histogram);
      if (row.pacing !== undefined) encodedCount(row.pacing);
    }
    let ended = 0;
    let ok = 0;
    for (const row of frame.rows) {
      ended += endedCount(row);
      ok += row.ok;
    }
    this.#operations += ended;
    this.#errors += ended - ok;
    if (!this.#isShown(frame)) return;
    const newest = this.#newest.get(frame.worker);
    if (newest !== undefined) this.#newest.set(frame.worker, Math.max(newest, frame.interval));
    // A late frame of an interval that was shown already still stands in the totals, and in the bundle.
    if (frame.interval <= this.#shownInterval) return;
    const open = this.#intervalOf(frame);
    open.ended += ended;
    open.startNs = Math.min(open.startNs, frame.startNs);
    open.endNs = Math.max(open.endNs, frame.endNs);
    for (const row of frame.rows) open.service.addEncoded(row.service);
    this.#forgetOldest();
  }

  /** Of several stages at once the one that was armed last is shown: the foreground. */
  #isShown({ cell, stage }: { readonly cell: number; readonly stage: number }): boolean {
    return cell === this.#stage?.cell && stage === this.#stage.stage;
  }

  /** Percentiles are computed here, once for an interval, and nowhere else while a run goes. */
  figures(): LiveFigures {
    const interval = this.#complete();
    const open = this.#open.get(interval);
    if (open !== undefined) {
      const extentNs = open.endNs - open.startNs;
      // The last interval of a stage may be a sliver, whose rate would say nothing.
      if (extentNs >= this.#intervalNs / 2)
        this.#shown = {
          operationsPerSec: open.ended / (extentNs / 1e9),
          p50Ns: open.service.quantileNs(0.5),
          p99Ns: open.service.quantileNs(0.99),
        };
      this.#shownInterval = interval;
      for (const index of this.#open.keys()) if (index <= interval) this.#open.delete(index);
    }
    return { ...this.#shown, operations: this.#operations, errors: this.#errors };
  }

  /** The newest interval that every worker has delivered, or that is old enough to be shown without some. */
  #complete(): number {
    const newest = Math.max(-1, ...this.#open.keys());
    let delivered = newest;
    for (const interval of this.#newest.values()) delivered = Math.min(delivered, interval);
    const complete = Math.max(delivered, newest - PATIENCE_INTERVALS);
    // Intervals without a single operation have no frame: take the newest open one that is complete.
    return Math.max(-1, ...[...this.#open.keys()].filter((interval) => interval <= complete));
  }

  #intervalOf(frame: Frame): OpenInterval {
    let open = this.#open.get(frame.interval);
    if (open === undefined) {
      open = { ended: 0, startNs: frame.startNs, endNs: frame.endNs, service: new Distribution() };
      this.#open.set(frame.interval, open);
    }
    return open;
  }

  /** Interval numbers come from workers: a wild one must not fill the memory. */
  #forgetOldest(): void {
    while (this.#open.size > 2 * PATIENCE_INTERVALS + 2) this.#open.delete(Math.min(...this.#open.keys()));
  }
}
