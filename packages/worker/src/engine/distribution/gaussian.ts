import { checkedSize, type KeyDistribution, refusal } from './key-distribution.js';
import { type RandomSource, unit } from './random-source.js';

/**
 * Keys around a median: round(median + deviation x z) with z standard normal, drawn again while it lies outside
 * 0..n-1, so that no key at the edge collects what fell beyond it.
 *
 * A deviation far above n would need n / deviation tries per key that way. There the same law is had from the other
 * side: a point of the range, uniform, accepted by its density. Either way more than 4 of 10 tries succeed.
 */
export class GaussianKeys implements KeyDistribution {
  readonly size: number;
  readonly #median: number;
  readonly #deviation: number;
  readonly #wide: boolean;

  /** `median` in 0..n-1 and `deviation` above 0, both in keys and not necessarily whole. */
  constructor(size: number, median: number, deviation: number) {
    this.size = checkedSize(size);
    if (!(median >= 0 && median <= size - 1))
      throw refusal('the median of a gaussian distribution', median, `0..${size - 1}, counted in keys`);
    if (!(deviation > 0 && deviation <= Number.MAX_SAFE_INTEGER))
      throw refusal('the deviation of a gaussian distribution', deviation, 'above 0, up to 2^53-1, in keys');
    this.#median = median;
    this.#deviation = deviation;
    this.#wide = deviation * Math.sqrt(2 * Math.PI) > size;
  }

  draw(random: RandomSource): number {
    return this.#wide ? this.#drawWide(random) : this.#drawNarrow(random);
  }

  #drawNarrow(random: RandomSource): number {
    for (;;) {
      // Box and Muller; the second of the pair is dropped, since a distribution keeps nothing between draws.
      const radius = Math.sqrt(-2 * Math.log1p(-unit(random)));
      const z = radius * Math.cos(2 * Math.PI * unit(random));
      const index = Math.floor(this.#median + this.#deviation * z + 0.5);
      if (index >= 0 && index < this.size) return index;
    }
  }

  #drawWide(random: RandomSource): number {
    for (;;) {
      const index = random.below(this.size);
      const z = (index - this.#median - 0.5 + unit(random)) / this.#deviation;
      if (unit(random) < Math.exp(-0.5 * z * z)) return index;
    }
  }
}
