import type { GrowingDistribution } from './key-distribution.js';
import type { RandomSource } from './random-source.js';

/**
 * Keys that were inserted lately are asked for most: a distance from the newest is drawn, over all keys that there are.
 * YCSB's `latest` is this with zipfian distances (exponent 0.99), its `exponential` this with exponential ones.
 */
export class LatestKeys {
  readonly #distance: GrowingDistribution;

  constructor(distance: GrowingDistribution) {
    this.#distance = distance;
  }

  /** An index in 0..newest. `newest` is the index of the newest key that may be asked for: the last acknowledged. */
  draw(random: RandomSource, newest: number): number {
    return newest - this.#distance.drawBelow(random, newest + 1);
  }
}
