import { checkedSize, type GrowingDistribution, type KeyDistribution, refusal } from './key-distribution.js';
import { type RandomSource, unit } from './random-source.js';

/**
 * P(index) proportional to 1 / (index + 1)^exponent for any exponent above 0: index 0 is the hottest.
 *
 * Rejection-inversion (W. Hörmann and G. Derflinger, 1996): the area under the curve x^-exponent is inverted in closed
 * form, and the few points that belong to no bar are drawn again. Exact, no table, no start-up cost: 10 keys and 2^53-1
 * cost the same. With H(x) = integral of x^-exponent from 1 to x:
 *
 *   H(x) = (x^(1-e) - 1) / (1-e), or ln x for e = 1;   H^-1(u) = (1 + (1-e) u)^(1/(1-e)), or e^u
 */
export class ZipfianKeys implements KeyDistribution, GrowingDistribution {
  readonly size: number;
  readonly #exponent: number;
  /** Where the area begins: the bar of rank 1 has its whole area to the left of 1.5. */
  readonly #lowest: number;
  /** A point this near to the right end of its bar is under the bar for every rank. */
  readonly #sure: number;
  /** Of the range that was drawn from last. */
  #n = 0;
  #highest = 0;

  constructor(size: number, exponent: number) {
    this.size = checkedSize(size);
    if (!(exponent > 0 && exponent <= 1e6))
      throw refusal('the exponent of a zipfian distribution', exponent, 'above 0, up to 1e6');
    this.#exponent = exponent;
    this.#lowest = this.#area(1.5) - 1;
    this.#sure = 2 - this.#inverse(this.#area(2.5) - this.#height(2));
  }

  draw(random: RandomSource): number {
    return this.drawBelow(random, this.size);
  }

  drawBelow(random: RandomSource, n: number): number {
    if (n !== this.#n) {
      this.#n = n;
      this.#highest = this.#area(n + 0.5);
    }
    const span = this.#lowest - this.#highest;
    for (;;) {
      const area = this.#highest + unit(random) * span;
      const x = this.#inverse(area);
      // Rounding may carry x past either end.
      const rank = Math.min(n, Math.max(1, Math.floor(x + 0.5)));
      if (rank - x <= this.#sure || area >= this.#area(rank + 0.5) - this.#height(rank)) return rank - 1;
    }
  }

  #height(x: number): number {
    return Math.exp(-this.#exponent * Math.log(x));
  }

  #area(x: number): number {
    const log = Math.log(x);
    const t = (1 - this.#exponent) * log;
    return t === 0 ? log : (log * Math.expm1(t)) / t;
  }

  #inverse(area: number): number {
    const t = (1 - this.#exponent) * area;
    if (t === 0) return Math.exp(area);
    return t <= -1 ? Number.POSITIVE_INFINITY : Math.exp((area * Math.log1p(t)) / t);
  }
}
