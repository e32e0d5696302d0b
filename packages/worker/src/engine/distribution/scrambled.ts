import type { KeyDistribution } from './key-distribution.js';
import type { Permutation } from './permutation.js';
import type { RandomSource } from './random-source.js';

/** The same popularity, with the hot keys strewn over the whole range instead of side by side at its start. */
export class ScrambledKeys implements KeyDistribution {
  readonly size: number;
  readonly #plain: KeyDistribution;
  readonly #permutation: Permutation;

  /** Both over the same n. */
  constructor(plain: KeyDistribution, permutation: Permutation) {
    if (plain.size !== permutation.size)
      throw new RangeError(`a permutation of ${permutation.size} cannot scramble ${plain.size} keys`);
    this.size = plain.size;
    this.#plain = plain;
    this.#permutation = permutation;
  }

  draw(random: RandomSource): number {
    return this.#permutation.apply(this.#plain.draw(random));
  }
}
