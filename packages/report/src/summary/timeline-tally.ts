import { endedCount, type Frame } from '@pacecar/protocol';
import { Histogram, isEmptyHistogram } from './histogram.js';
import { rowKey } from './row-key.js';

export interface PointRow {
  sent: number;
  ok: number;
  failures: number;
  misses: number;
  /** At the end of `lastInterval`, over the workers with a frame of it. */
  inFlight: number;
  lastInterval: number;
  /** Response times in the open model, else service times. */
  readonly latency: Histogram;
}

export interface PointTally {
  startNs: number;
  endNs: number;
  readonly rows: Map<string, PointRow>;
}

/**
 * Frames of all workers merged by interval. When a stage has more intervals than `capacity`, neighbours are merged
 * by powers of two: sums, extremes and histograms stay exact, only the resolution is coarser.
 */
export class TimelineTally {
  readonly #capacity: number;
  #points = new Map<number, PointTally>();
  #intervalsPerPoint = 1;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get intervalsPerPoint(): number {
    return this.#intervalsPerPoint;
  }

  /** Number of the first interval and its point, in order of time. */
  points(): [interval: number, point: PointTally][] {
    return [...this.#points]
      .sort(([a], [b]) => a - b)
      .map(([number, point]) => [number * this.#intervalsPerPoint, point]);
  }

  add(frame: Frame): void {
    while (Math.floor(frame.interval / this.#intervalsPerPoint) >= this.#capacity) this.#halve();
    const point = pointAt(this.#points, Math.floor(frame.interval / this.#intervalsPerPoint));
    widen(point, frame.startNs, frame.endNs);
    for (const row of frame.rows) {
      const into = rowOf(point, rowKey(row.workload, row.operation));
      into.sent += row.sent;
      into.ok += row.ok;
      into.failures += endedCount(row) - row.ok;
      into.misses += row.misses;
      addInFlight(into, frame.interval, row.inFlight);
      into.latency.add(isEmptyHistogram(row.response) ? row.service : row.response);
    }
  }

  #halve(): void {
    this.#intervalsPerPoint *= 2;
    const halved = new Map<number, PointTally>();
    for (const [number, point] of this.#points) {
      const into = pointAt(halved, Math.floor(number / 2));
      widen(into, point.startNs, point.endNs);
      for (const [key, row] of point.rows) {
        const merged = rowOf(into, key);
        merged.sent += row.sent;
        merged.ok += row.ok;
        merged.failures += row.failures;
        merged.misses += row.misses;
        addInFlight(merged, row.lastInterval, row.inFlight);
        merged.latency.addAll(row.latency);
        merged.latency.pack();
      }
    }
    this.#points = halved;
  }
}

function pointAt(points: Map<number, PointTally>, number: number): PointTally {
  let point = points.get(number);
  if (point === undefined) {
    point = { startNs: Number.POSITIVE_INFINITY, endNs: 0, rows: new Map() };
    points.set(number, point);
  }
  return point;
}

function rowOf(point: PointTally, key: string): PointRow {
  let row = point.rows.get(key);
  if (row === undefined) {
    row = { sent: 0, ok: 0, failures: 0, misses: 0, inFlight: 0, lastInterval: -1, latency: new Histogram() };
    point.rows.set(key, row);
  }
  return row;
}

/** Of a point of several intervals the end of the last one counts. */
function addInFlight(row: PointRow, interval: number, inFlight: number): void {
  if (interval < row.lastInterval) return;
  row.inFlight = interval === row.lastInterval ? row.inFlight + inFlight : inFlight;
  row.lastInterval = interval;
}

function widen(point: PointTally, startNs: number, endNs: number): void {
  point.startNs = Math.min(point.startNs, startNs);
  point.endNs = Math.max(point.endNs, endNs);
}
