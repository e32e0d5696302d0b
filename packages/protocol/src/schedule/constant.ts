import { productError } from './product-error.js';
import type { Schedule } from './schedule.js';

const NS_PER_SEC = 1e9;

/** One rate, for ever. */
export class ConstantSchedule implements Schedule {
  readonly #ratePerSec: number;

  constructor(ratePerSec: number) {
    this.#ratePerSec = ratePerSec;
  }

  expectedCount(atNs: number): number {
    return countAt(this.#ratePerSec, atNs);
  }

  arrivalTimeNs(n: number): number {
    return timeNsOf(this.#ratePerSec, n);
  }
}

/** ratePerSec x atNs / 10^9, whole seconds apart, so that whole rates give whole counts. */
export function countAt(ratePerSec: number, atNs: number): number {
  const seconds = Math.floor(atNs / NS_PER_SEC);
  return ratePerSec * seconds + (ratePerSec * (atNs - seconds * NS_PER_SEC)) / NS_PER_SEC;
}

/**
 * n / ratePerSec in whole ns. The quotient in whole seconds and the remainder are taken apart: n x 10^9 would leave the
 * integers of a double at n = 9 million. The quotient may be rounded up by one; then the remainder is below 0, and
 * the sum is right all the same.
 */
export function timeNsOf(ratePerSec: number, n: number): number {
  const seconds = Math.floor(n / ratePerSec);
  const product = seconds * ratePerSec;
  const rest = n - product - productError(seconds, ratePerSec, product);
  return seconds * NS_PER_SEC + Math.round((rest * NS_PER_SEC) / ratePerSec);
}
