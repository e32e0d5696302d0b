import type { Keys, Slice } from '@pacecar/protocol';
import { type Seed, UniformNumbers } from './random.js';

/** Which key an operation uses: the number of the key, minimum..maximum of its range. One for each connection. */
export interface KeySource {
  nextRead(): number;
  nextWrite(): number;
}

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

/** `own` is this connection's part of a partitioned range, or null if it draws from the whole. */
export function createKeySource(keys: Keys, own: Slice | null, seed: Seed): KeySource {
  if (own !== null) return new WalkedKeys(own);
  const whole = keyRange(keys);
  if (keys.distribution.kind === 'sequential') return new SequentialKeys(whole);
  return new UniformKeys(whole, seed);
}
