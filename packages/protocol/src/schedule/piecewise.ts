import { countAt, timeNsOf } from './constant.js';
import { settled } from './count.js';
import type { Schedule } from './schedule.js';

const NS_PER_MS = 1e6;
const NS_PER_SEC = 1e9;

/** A rate that runs in a straight line. */
export interface Piece {
  /** Infinity for the last, which is flat. */
  readonly durationMs: number;
  readonly fromPerSec: number;
  readonly toPerSec: number;
}

/** Steps, ramps and replayed points: pieces side by side. Finding the piece is a binary search. */
export class PiecewiseSchedule implements Schedule {
  readonly #pieces: readonly Piece[];
  readonly #startNs: Float64Array;
  readonly #startCount: Float64Array;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
    this.#startNs = new Float64Array(pieces.length);
    this.#startCount = new Float64Array(pieces.length);
    let startMs = 0;
    let startCount = 0;
    for (const [index, piece] of pieces.entries()) {
      this.#startNs[index] = startMs * NS_PER_MS;
      this.#startCount[index] = startCount;
      startMs += piece.durationMs;
      startCount = settled(startCount + countWithin(piece, piece.durationMs * NS_PER_MS));
    }
  }

  expectedCount(atNs: number): number {
    const index = lastNotAbove(this.#startNs, atNs);
    const piece = this.#pieces[index] as Piece;
    return (this.#startCount[index] as number) + countWithin(piece, atNs - (this.#startNs[index] as number));
  }

  arrivalTimeNs(n: number): number {
    // The last of several pieces with one count: where the rate rests, an arrival waits for the end of the rest.
    const index = lastNotAbove(this.#startCount, n);
    const piece = this.#pieces[index] as Piece;
    const withinNs = timeNsWithin(piece, n - (this.#startCount[index] as number));
    return Math.round((this.#startNs[index] as number) + Math.min(withinNs, piece.durationMs * NS_PER_MS));
  }
}

/** Of a whole piece, of the flat one without end Infinity (or 0, if its rate is 0). */
function countWithin(piece: Piece, atNs: number): number {
  const { fromPerSec, toPerSec } = piece;
  if (fromPerSec === toPerSec) {
    if (atNs === Number.POSITIVE_INFINITY) return fromPerSec > 0 ? atNs : 0;
    return countAt(fromPerSec, atNs);
  }
  const seconds = atNs / NS_PER_SEC;
  const rateAt = fromPerSec + ((toPerSec - fromPerSec) * atNs) / (piece.durationMs * NS_PER_MS);
  return ((fromPerSec + rateAt) / 2) * seconds;
}

/**
 * With a the rate at the start and k half its change per second, a t + k t^2 = n, hence
 *
 *   t = 2 n / (a + sqrt(a^2 + 4 k n))
 *
 * which, unlike the schoolbook's form, neither divides by a slope near 0 nor subtracts two equal numbers.
 */
function timeNsWithin(piece: Piece, n: number): number {
  const { fromPerSec, toPerSec } = piece;
  if (fromPerSec === toPerSec) return fromPerSec > 0 ? timeNsOf(fromPerSec, n) : Number.POSITIVE_INFINITY;
  const halfSlope = ((toPerSec - fromPerSec) / piece.durationMs) * 500;
  const divisor = fromPerSec + Math.sqrt(Math.max(0, fromPerSec * fromPerSec + 4 * halfSlope * n));
  // 0 / 0 at the start of a ramp from 0.
  return divisor > 0 ? ((2 * n) / divisor) * NS_PER_SEC : 0;
}

/** Index of the last element that is not above `value`; 0 if all are. `ascending` has equal ones side by side. */
function lastNotAbove(ascending: Float64Array, value: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((ascending[middle] as number) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
