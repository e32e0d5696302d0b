import type { Keys, Slice } from '@pacecar/protocol';
import { ExponentialKeys } from './distribution/exponential.js';
import { GaussianKeys } from './distribution/gaussian.js';
import { HotspotKeys } from './distribution/hotspot.js';
import type { KeyDistribution } from './distribution/key-distribution.js';
import { LatestKeys } from './distribution/latest.js';
import { Permutation } from './distribution/permutation.js';
import { ScrambledKeys } from './distribution/scrambled.js';
import { ZipfianKeys } from './distribution/zipfian.js';
import type { InsertedKeys } from './inserted-keys.js';
import { RandomStream, type Seed, UniformNumbers } from './random.js';

/** Which key an operation uses: the number of the key, minimum..maximum of its range. One for each connection. */
export interface KeySource {
  nextRead(): number;
  nextWrite(): number;
}

/**
 * Popular keys lie at the same places for every worker, stage and run: a warm-up warms what is measured, and two sides
 * of a comparison have the same hot keys.
 */
const SCRAMBLE_SEED = 0x70616365;

class UniformKeys implements KeySource {
  readonly #minimum: number;
  readonly #numbers: UniformNumbers;

  constructor(keys: Slice, seed: Seed) {
    this.#minimum = keys.start;
    this.#numbers = new UniformNumbers(keys.length, seed);
  }

  nextRead(): number {
    return this.#minimum + this.#numbers.next();
  }

  nextWrite(): number {
    return this.#minimum + this.#numbers.next();
  }
}

/** By a distribution that all connections share. */
class DrawnKeys implements KeySource {
  readonly #minimum: number;
  readonly #distribution: KeyDistribution;
  readonly #random: RandomStream;

  constructor(minimum: number, distribution: KeyDistribution, seed: Seed) {
    this.#minimum = minimum;
    this.#distribution = distribution;
    this.#random = new RandomStream(seed);
  }

  nextRead(): number {
    return this.#minimum + this.#distribution.draw(this.#random);
  }

  nextWrite(): number {
    return this.#minimum + this.#distribution.draw(this.#random);
  }
}

/** By age: the range, and behind it what was inserted and acknowledged since. */
class NewestKeys implements KeySource {
  readonly #range: Slice;
  readonly #latest: LatestKeys;
  readonly #inserted: InsertedKeys | null;
  readonly #random: RandomStream;

  constructor(range: Slice, latest: LatestKeys, inserted: InsertedKeys | null, seed: Seed) {
    this.#range = range;
    this.#latest = latest;
    this.#inserted = inserted;
    this.#random = new RandomStream(seed);
  }

  nextRead(): number {
    const { start, length } = this.#range;
    const inserted = this.#inserted?.count ?? 0;
    const newest = length + inserted - 1;
    const age = newest - this.#latest.draw(this.#random, newest);
    if (age >= inserted) return start + newest - age;
    const key = (this.#inserted as InsertedKeys).ofAge(age);
    // All that was inserted has failed: the end of the range is next.
    return key >= 0 ? key : start + length - 1;
  }

  nextWrite(): number {
    return this.nextRead();
  }
}

/** From the first key to the last and round again, with a cursor for reads and one for writes. */
class SequentialKeys implements KeySource {
  readonly #first: number;
  readonly #last: number;
  #read: number;
  #write: number;

  constructor(keys: Slice) {
    this.#first = keys.start;
    this.#last = keys.start + keys.length - 1;
    this.#read = this.#first;
    this.#write = this.#first;
  }

  nextRead(): number {
    const key = this.#read;
    this.#read = key === this.#last ? this.#first : key + 1;
    return key;
  }

  nextWrite(): number {
    const key = this.#write;
    this.#write = key === this.#last ? this.#first : key + 1;
    return key;
  }
}

/** From the first key to the last, whatever the operation: each key once in a round. */
class WalkedKeys implements KeySource {
  readonly #first: number;
  readonly #last: number;
  #next: number;

  constructor(keys: Slice) {
    this.#first = keys.start;
    this.#last = keys.start + keys.length - 1;
    this.#next = this.#first;
  }

  nextRead(): number {
    const key = this.#next;
    this.#next = key === this.#last ? this.#first : key + 1;
    return key;
  }

  nextWrite(): number {
    return this.nextRead();
  }
}

/** The whole range as a run of numbers. */
export function keyRange(keys: Keys): Slice {
  return { start: keys.minimum, length: keys.maximum - keys.minimum + 1 };
}

/** Makes the source of one connection; `own` is its part of a partitioned range, or null if it draws from the whole. */
export type KeySourceFactory = (own: Slice | null, seed: Seed) => KeySource;

/**
 * What the connections of a workload share of their keys is made once. `inserted`: the keys that the workload inserts,
 * if it does. Throws PacecarError REQUEST_INVALID for an impossible distribution.
 */
export function keySources(keys: Keys, inserted: InsertedKeys | null): KeySourceFactory {
  const whole = keyRange(keys);
  const fromWhole = sourcesOfWhole(keys, whole, inserted);
  return (own, seed) => (own === null ? fromWhole(seed) : new WalkedKeys(own));
}

function sourcesOfWhole(keys: Keys, whole: Slice, inserted: InsertedKeys | null): (seed: Seed) => KeySource {
  const { distribution } = keys;
  const { start, length } = whole;
  const drawn = (shared: KeyDistribution) => (seed: Seed) => new DrawnKeys(start, shared, seed);
  switch (distribution.kind) {
    case 'uniform':
      return (seed) => new UniformKeys(whole, seed);
    case 'sequential':
      return () => new SequentialKeys(whole);
    case 'partitioned':
      return () => new WalkedKeys(whole);
    case 'gaussian':
      return drawn(new GaussianKeys(length, distribution.median, distribution.deviation));
    case 'zipfian': {
      const plain = new ZipfianKeys(length, distribution.exponent);
      return drawn(
        distribution.scrambled ? new ScrambledKeys(plain, new Permutation(length, SCRAMBLE_SEED)) : plain,
      );
    }
    case 'hotspot':
      return drawn(new HotspotKeys(length, distribution.keysRatio, distribution.operationsRatio));
    case 'exponential':
      return drawn(new ExponentialKeys(length, distribution.percentile, distribution.keysRatio));
    case 'latest': {
      const latest = new LatestKeys(new ZipfianKeys(length, distribution.exponent));
      return (seed) => new NewestKeys(whole, latest, inserted, seed);
    }
  }
}
