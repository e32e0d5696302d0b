import { checkedSize, type KeyDistribution } from './key-distribution.js';
import type { RandomSource } from './random-source.js';

/** Each key equally likely. */
export class UniformKeys implements KeyDistribution {
  readonly size: number;

  constructor(size: number) {
    this.size = checkedSize(size);
  }

  draw(random: RandomSource): number {
    return random.below(this.size);
  }
}
