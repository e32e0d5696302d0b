import { PacecarError } from '@pacecar/protocol';
import type { RandomSource } from './random-source.js';

/**
 * Which of n keys an operation takes, as an index in 0..n-1. Distributions hold no stream of their own: all
 * connections share one, and each draws with its own generator.
 */
export interface KeyDistribution {
  /** n, in 1..2^53-1. */
  readonly size: number;
  draw(random: RandomSource): number;
}

/** A distribution whose range may be another one at each draw: keys are inserted while the run goes. */
export interface GrowingDistribution {
  /** An index in 0..n-1, with 0 the likeliest. */
  drawBelow(random: RandomSource, n: number): number;
}

/** n itself, if it is a count of keys. Throws PacecarError REQUEST_INVALID. */
export function checkedSize(n: number): number {
  if (Number.isSafeInteger(n) && n >= 1) return n;
  throw refusal('the number of keys', n, 'a whole number from 1 to 2^53-1');
}

export function refusal(thing: string, value: number, allowed: string): PacecarError {
  return new PacecarError('REQUEST_INVALID', `${thing} is ${value}; allowed is ${allowed}`);
}
