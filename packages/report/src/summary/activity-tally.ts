import { endedCount, type Frame } from '@pacecar/protocol';
import { histogramSumNs } from './histogram.js';

/** What all workers together did in one interval of a stage. */
export interface IntervalActivity {
  ok: number;
  sent: number;
  ended: number;
  /** At the interval's end, over all workers that sent a frame of it. */
  inFlight: number;
  /** How long the operations that ended in it had been under way, together. */
  busyNs: number;
}

/** What one worker did, as far as its frames say. */
export interface WorkerActivity {
  sent: number;
  /** Intervals in which it neither sent nor ended an operation, in the order of the frames. */
  readonly idle: number[];
  /** Intervals in which it did. */
  active: number;
}

/** Who did something when: never merged into coarser points, so that each interval can be judged. */
export class ActivityTally {
  readonly intervals = new Map<number, IntervalActivity>();
  readonly workers = new Map<number, WorkerActivity>();

  add(frame: Frame): void {
    let all = this.intervals.get(frame.interval);
    if (all === undefined) {
      all = { ok: 0, sent: 0, ended: 0, inFlight: 0, busyNs: 0 };
      this.intervals.set(frame.interval, all);
    }
    let sent = 0;
    let ended = 0;
    for (const row of frame.rows) {
      sent += row.sent;
      ended += endedCount(row);
      all.ok += row.ok;
      all.inFlight += row.inFlight;
      all.busyNs += histogramSumNs(row.service) + histogramSumNs(row.failed);
    }
    all.sent += sent;
    all.ended += ended;
    let worker = this.workers.get(frame.worker);
    if (worker === undefined) {
      worker = { sent: 0, idle: [], active: 0 };
      this.workers.set(frame.worker, worker);
    }
    worker.sent += sent;
    if (sent + ended === 0) worker.idle.push(frame.interval);
    else worker.active++;
  }
}

/** Intervals one after the other: `from` up to but not including `to`. */
export interface IntervalRun {
  readonly from: number;
  readonly to: number;
}

/** Neighbours joined. */
export function runsOf(intervals: readonly number[]): IntervalRun[] {
  const runs: { from: number; to: number }[] = [];
  for (const interval of [...intervals].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && interval === last.to) last.to++;
    else runs.push({ from: interval, to: interval + 1 });
  }
  return runs;
}
