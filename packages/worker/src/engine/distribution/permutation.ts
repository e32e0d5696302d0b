import { checkedSize, refusal } from './key-distribution.js';

/** Six leave a bias between neighbours of a small range that 200,000 seeds show; eight show none. */
const ROUNDS = 8;
const TWO_32 = 0x100000000;

/**
 * A seeded one-to-one mapping of 0..n-1 onto itself, for any n, without a table: a Feistel network over the pairs
 * (left, right) of a grid of rows x columns >= n, in which one half is shifted, modulo its side, by a hash of the other.
 * The grid has at most rows - 1 places beyond n; whoever lands there walks on until back inside.
 */
export class Permutation {
  readonly size: number;
  readonly #rows: number;
  readonly #columns: number;
  readonly #roundKeys: Int32Array;

  /** `seed` is a whole number in 0..2^53-1; the same seed gives the same mapping on every worker. */
  constructor(size: number, seed: number) {
    this.size = checkedSize(size);
    if (!Number.isSafeInteger(seed) || seed < 0)
      throw refusal('the seed of a permutation', seed, '0..2^53-1');
    this.#rows = Math.ceil(Math.sqrt(size));
    this.#columns = Math.floor((size - 1) / this.#rows) + 1;
    this.#roundKeys = new Int32Array(2 * ROUNDS);
    let state = mix(mix(0x2545f491, Math.floor(seed / TWO_32)), seed);
    for (let at = 0; at < this.#roundKeys.length; at++) {
      state = mix(state, at + 1);
      this.#roundKeys[at] = state;
    }
  }

  apply(index: number): number {
    const rows = this.#rows;
    const columns = this.#columns;
    const keys = this.#roundKeys;
    let left = this.#row(index);
    let right = (index - left * columns) | 0;
    for (;;) {
      for (let key = 0; key < 2 * ROUNDS; key += 4) {
        left += shift(right, keys[key] as number, keys[key + 1] as number, rows);
        if (left >= rows) left -= rows;
        right += shift(left, keys[key + 2] as number, keys[key + 3] as number, columns);
        if (right >= columns) right -= columns;
      }
      // Exact up to 2^53; what is above is rounded and stays above, which is all that walking needs.
      const image = left * columns + right;
      if (image < this.size) return image;
    }
  }

  /** The index whose image this is. */
  invert(image: number): number {
    const rows = this.#rows;
    const columns = this.#columns;
    const keys = this.#roundKeys;
    let left = this.#row(image);
    let right = (image - left * columns) | 0;
    for (;;) {
      for (let key = 2 * ROUNDS - 4; key >= 0; key -= 4) {
        right -= shift(left, keys[key + 2] as number, keys[key + 3] as number, columns);
        if (right < 0) right += columns;
        left -= shift(right, keys[key] as number, keys[key + 1] as number, rows);
        if (left < 0) left += rows;
      }
      const index = left * columns + right;
      if (index < this.size) return index;
    }
  }

  #row(index: number): number {
    const row = Math.floor(index / this.#columns);
    // Near 2^53 the quotient may have been rounded up to the next row.
    return row * this.#columns > index ? (row - 1) | 0 : row | 0;
  }
}

/** In 0..side-1, by a multiplication: a remainder of 32 bits is the slowest thing that this file could do. */
function shift(half: number, whitener: number, stirrer: number, side: number): number {
  return ((mix(half ^ whitener, stirrer) >>> 0) * side * 2 ** -32) | 0;
}

/** 32 bits into 32 well-stirred bits. */
function mix(a: number, b: number): number {
  let h = Math.imul(a ^ (a >>> 16), 0x21f0aaad) + (b | 0);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  h = Math.imul(h ^ (h >>> 13), 0x2c1b3c6d);
  return h ^ (h >>> 16);
}
