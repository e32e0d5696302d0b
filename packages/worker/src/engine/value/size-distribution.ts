import { LIMITS, type Size } from '@pacecar/protocol';
import { GaussianKeys } from '../distribution/gaussian.js';
import { refusal } from '../distribution/key-distribution.js';
import { type RandomSource, unit } from '../distribution/random-source.js';

/** How many bytes the value of a write has. Holds no stream of its own: each connection draws with its generator. */
export interface SizeDistribution {
  /** Bounds of what is drawn, bytes, both inclusive: buffers are made for the largest. */
  readonly minimumBytes: number;
  readonly maximumBytes: number;
  draw(random: RandomSource): number;
}

export class FixedSize implements SizeDistribution {
  readonly minimumBytes: number;
  readonly maximumBytes: number;

  constructor(bytes: number) {
    this.minimumBytes = checkedBytes(bytes);
    this.maximumBytes = bytes;
  }

  draw(): number {
    return this.maximumBytes;
  }
}

/** Each size from minimum to maximum, both inclusive, equally likely. */
export class UniformSizes implements SizeDistribution {
  readonly minimumBytes: number;
  readonly maximumBytes: number;

  constructor(minimumBytes: number, maximumBytes: number) {
    checkBounds(minimumBytes, maximumBytes);
    this.minimumBytes = minimumBytes;
    this.maximumBytes = maximumBytes;
  }

  draw(random: RandomSource): number {
    return this.minimumBytes + random.below(this.maximumBytes - this.minimumBytes + 1);
  }
}

export interface WeightedSize {
  readonly bytes: number;
  /** Above 0; what counts is its part of the sum of all. */
  readonly weight: number;
}

/** Sizes of a list, each at random by its weight. */
export class WeightedSizes implements SizeDistribution {
  readonly minimumBytes: number;
  readonly maximumBytes: number;
  readonly #bytes: readonly number[];
  /** Sum of the weights up to and with each size. */
  readonly #upTo: Float64Array;

  constructor(sizes: readonly WeightedSize[]) {
    if (sizes.length === 0) throw refusal('the length of a list of sizes', 0, 'at least 1');
    this.#bytes = sizes.map(({ bytes }) => checkedBytes(bytes));
    this.#upTo = new Float64Array(sizes.length);
    let sum = 0;
    for (const [index, { bytes, weight }] of sizes.entries()) {
      if (!(weight > 0 && weight <= 1e9))
        throw refusal(`the weight of size ${bytes}`, weight, 'above 0, up to 1e9');
      sum += weight;
      this.#upTo[index] = sum;
    }
    this.minimumBytes = Math.min(...this.#bytes);
    this.maximumBytes = Math.max(...this.#bytes);
  }

  draw(random: RandomSource): number {
    const last = this.#upTo.length - 1;
    const point = unit(random) * (this.#upTo[last] as number);
    let index = 0;
    while (index < last && point >= (this.#upTo[index] as number)) index++;
    return this.#bytes[index] as number;
  }
}

/** Sizes around a median, drawn again while outside minimum..maximum, both inclusive. */
export class GaussianSizes implements SizeDistribution {
  readonly minimumBytes: number;
  readonly maximumBytes: number;
  readonly #above: GaussianKeys;

  constructor(minimumBytes: number, maximumBytes: number, medianBytes: number, deviationBytes: number) {
    checkBounds(minimumBytes, maximumBytes);
    if (!(medianBytes >= minimumBytes && medianBytes <= maximumBytes))
      throw refusal('the median size in bytes', medianBytes, `${minimumBytes}..${maximumBytes}`);
    this.minimumBytes = minimumBytes;
    this.maximumBytes = maximumBytes;
    this.#above = new GaussianKeys(
      maximumBytes - minimumBytes + 1,
      medianBytes - minimumBytes,
      deviationBytes,
    );
  }

  draw(random: RandomSource): number {
    return this.minimumBytes + this.#above.draw(random);
  }
}

/** Sizes as the plan has them. Throws PacecarError REQUEST_INVALID for impossible ones. */
export function createSizes(size: Size): SizeDistribution {
  switch (size.kind) {
    case 'fixed':
      return new FixedSize(size.bytes);
    case 'uniform':
      return new UniformSizes(size.minimumBytes, size.maximumBytes);
    case 'weighted':
      return new WeightedSizes(size.sizes);
    case 'gaussian':
      return new GaussianSizes(size.minimumBytes, size.maximumBytes, size.medianBytes, size.deviationBytes);
  }
}

function checkedBytes(bytes: number): number {
  if (Number.isInteger(bytes) && bytes >= 0 && bytes <= LIMITS.valueBytes) return bytes;
  throw refusal('a size in bytes', bytes, `a whole number from 0 to ${LIMITS.valueBytes}`);
}

function checkBounds(minimumBytes: number, maximumBytes: number): void {
  checkedBytes(minimumBytes);
  checkedBytes(maximumBytes);
  if (minimumBytes > maximumBytes)
    throw refusal('the largest size in bytes', maximumBytes, `at least the smallest, ${minimumBytes}`);
}
