import { checkedSize, type GrowingDistribution, type KeyDistribution, refusal } from './key-distribution.js';
import { type RandomSource, unit } from './random-source.js';

/**
 * YCSB's exponential: without an end, `percentile` of the operations would go to the first `fraction` of the keys;
 * what falls beyond the last key is drawn again. That law has a closed inverse, so nothing is really drawn twice:
 *
 *   rate = -ln(1 - percentile) / (fraction x n);   index = floor(-ln(1 - u (1 - e^(-rate n))) / rate)
 */
export class ExponentialKeys implements KeyDistribution, GrowingDistribution {
  readonly size: number;
  readonly #ratePerKey: number;
  /** Of the range that was drawn from last. */
  #n = 0;
  #inside = 0;

  /** `percentile` in 0..1, both exclusive (YCSB: 0.95); `fraction` of the keys above 0 (YCSB: 0.8571428571). */
  constructor(size: number, percentile: number, fraction: number) {
    this.size = checkedSize(size);
    if (!(percentile > 0 && percentile < 1))
      throw refusal('the percentile of an exponential distribution', percentile, 'above 0 and below 1');
    if (!(fraction > 0 && fraction <= 1e6))
      throw refusal('the fraction of keys of an exponential distribution', fraction, 'above 0, up to 1e6');
    this.#ratePerKey = -Math.log1p(-percentile) / (fraction * size);
  }

  draw(random: RandomSource): number {
    return this.drawBelow(random, this.size);
  }

  /** The rate stays that of the size given at first, as YCSB's does while keys are inserted. */
  drawBelow(random: RandomSource, n: number): number {
    if (n !== this.#n) {
      this.#n = n;
      this.#inside = -Math.expm1(-this.#ratePerKey * n);
    }
    const index = Math.floor(-Math.log1p(-unit(random) * this.#inside) / this.#ratePerKey);
    return index < n ? index : n - 1;
  }
}
