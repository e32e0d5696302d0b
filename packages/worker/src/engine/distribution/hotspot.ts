import { checkedSize, type KeyDistribution, refusal } from './key-distribution.js';
import { type RandomSource, unit } from './random-source.js';

/**
 * A share of the operations goes to a share of the keys, the first ones; the others to the rest. Uniform within each.
 * The hot set has at least one key; if it has all of them, every operation is hot.
 */
export class HotspotKeys implements KeyDistribution {
  readonly size: number;
  readonly hotKeys: number;
  readonly #hotOperations: number;

  /** `keysFraction` above 0, up to 1; `operationsFraction` in 0..1. YCSB: 0.2 and 0.8. */
  constructor(size: number, keysFraction: number, operationsFraction: number) {
    this.size = checkedSize(size);
    if (!(keysFraction > 0 && keysFraction <= 1))
      throw refusal('the fraction of hot keys', keysFraction, 'above 0, up to 1');
    if (!(operationsFraction >= 0 && operationsFraction <= 1))
      throw refusal('the fraction of operations on hot keys', operationsFraction, '0..1');
    this.hotKeys = Math.min(size, Math.max(1, Math.round(size * keysFraction)));
    this.#hotOperations = this.hotKeys === size ? 1 : operationsFraction;
  }

  draw(random: RandomSource): number {
    if (unit(random) < this.#hotOperations) return random.below(this.hotKeys);
    return this.hotKeys + random.below(this.size - this.hotKeys);
  }
}
