import { BytesInvalid, encodedSumNs, endedCount, type Frame, type FrameRow } from '@pacecar/protocol';
import { Histogram } from './histogram.js';
import { rowKey } from './row-key.js';

/** A frame of this share of an interval is a whole one: clocks round. */
const WHOLE = 0.999;

export interface PointRow {
  sent: number;
  ok: number;
  failures: number;
  misses: number;
  /** Response times in the open model, else service times. */
  readonly latency: Histogram;
}

export interface PointTally {
  startNs: number;
  endNs: number;
  /** Frames in it, and how many of them are as long as an interval. */
  frames: number;
  whole: number;
  /** Over all frames: in flight at its end, and the time that its ended operations had been under way. */
  inFlight: number;
  busyNs: number;
  readonly rows: Map<string, PointRow>;
}

/**
 * Frames of all workers merged by interval. When a stage has more intervals than `capacity`, neighbours are merged
 * by powers of two: sums, extremes and histograms stay exact, only the resolution is coarser.
 */
export class TimelineTally {
  readonly #capacity: number;
  readonly #intervalNs: number;
  #points = new Map<number, PointTally>();
  #intervalsPerPoint = 1;

  constructor(capacity: number, intervalMs: number) {
    this.#capacity = capacity;
    this.#intervalNs = intervalMs * 1e6;
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
    point.frames++;
    if (frame.endNs - frame.startNs >= this.#intervalNs * WHOLE) point.whole++;
    for (const row of frame.rows) {
      const into = rowOf(point, rowKey(row.workload, row.operation));
      into.sent += row.sent;
      into.ok += row.ok;
      into.failures += endedCount(row) - row.ok;
      into.misses += row.misses;
      into.latency.add(isEmpty(row.response) ? row.service : row.response);
      point.inFlight += row.inFlight;
      point.busyNs += sumNs(row.service) + sumNs(row.failed);
    }
  }

  #halve(): void {
    this.#intervalsPerPoint *= 2;
    const halved = new Map<number, PointTally>();
    for (const [number, point] of this.#points) {
      const into = pointAt(halved, Math.floor(number / 2));
      widen(into, point.startNs, point.endNs);
      into.frames += point.frames;
      into.whole += point.whole;
      into.inFlight += point.inFlight;
      into.busyNs += point.busyNs;
      for (const [key, row] of point.rows) {
        const merged = rowOf(into, key);
        merged.sent += row.sent;
        merged.ok += row.ok;
        merged.failures += row.failures;
        merged.misses += row.misses;
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
    point = {
      startNs: Number.POSITIVE_INFINITY,
      endNs: 0,
      frames: 0,
      whole: 0,
      inFlight: 0,
      busyNs: 0,
      rows: new Map(),
    };
    points.set(number, point);
  }
  return point;
}

function rowOf(point: PointTally, key: string): PointRow {
  let row = point.rows.get(key);
  if (row === undefined) {
    row = { sent: 0, ok: 0, failures: 0, misses: 0, latency: new Histogram() };
    point.rows.set(key, row);
  }
  return row;
}

/** One zero byte is the empty histogram. */
function isEmpty(encoded: FrameRow['response']): boolean {
  return encoded.length === 0 || (encoded.length === 1 && encoded[0] === 0);
}

/** 0 where the bytes are no histogram: that is said where they are merged. */
function sumNs(encoded: Uint8Array): number {
  try {
    return isEmpty(encoded) ? 0 : Number(encodedSumNs(encoded));
  } catch (thrown) {
    if (!(thrown instanceof BytesInvalid)) throw thrown;
    return 0;
  }
}

function widen(point: PointTally, startNs: number, endNs: number): void {
  point.startNs = Math.min(point.startNs, startNs);
  point.endNs = Math.max(point.endNs, endNs);
}
