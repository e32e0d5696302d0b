/**
 * Seeded streams of whole numbers: xoroshiro64**, by Blackman and Vigna (public domain), on 32-bit integers, which is
 * what JavaScript computes fastest. Period 2^64 - 1.
 */
export class RandomStream {
  #s0: number;
  #s1: number;

  /** `seed` comes from `seedOf`. */
  constructor(seed: Seed) {
    this.#s0 = seed.high | 0;
    this.#s1 = seed.low | 0;
    // All zeros is the one state that the generator never leaves.
    if ((this.#s0 | this.#s1) === 0) this.#s1 = 1;
  }

  /** 0..2^32-1, each equally likely. */
  u32(): number {
    const s0 = this.#s0;
    let s1 = this.#s1;
    const product = Math.imul(s0, 0x9e3779bb);
    const result = Math.imul((product << 5) | (product >>> 27), 5);
    s1 ^= s0;
    this.#s0 = ((s0 << 26) | (s0 >>> 6)) ^ s1 ^ (s1 << 9);
    this.#s1 = (s1 << 13) | (s1 >>> 19);
    return result >>> 0;
  }

  /** 0..2^53-1, each equally likely. */
  u53(): number {
    const high = this.u32() >>> 11;
    return high * 0x100000000 + this.u32();
  }

  /** 0..n-1 for n in 1..2^53-1, each exactly equally likely, as `UniformNumbers` has them. */
  below(n: number): number {
    if (n > TWO_32) {
      const threshold = TWO_53 - (TWO_53 % n);
      for (;;) {
        const drawn = this.u53();
        if (drawn < threshold) return drawn % n;
      }
    }
    for (;;) {
      const drawn = this.u32();
      const low = Math.imul(drawn, n) >>> 0;
      // The remainder is below n: seldom must it be known.
      if (low >= n || low >= TWO_32 % n) return highOfProduct(drawn, n);
    }
  }
}

/**
 * Numbers 0..n-1, n in 1..2^53-1, each exactly equally likely, by Lemire's method: the high half of the product of n
 * and a 32-bit number is one of them, and the few products whose low half is below 2^32 mod n are drawn again.
 */
export class UniformNumbers {
  readonly #random: RandomStream;
  readonly #n: number;
  /** 2^32 mod n, or for large n the first 53-bit number of the last, incomplete round. */
  readonly #threshold: number;

  constructor(n: number, seed: Seed) {
    this.#random = new RandomStream(seed);
    this.#n = n;
    this.#threshold = n <= TWO_32 ? TWO_32 % n : TWO_53 - (TWO_53 % n);
  }

  next(): number {
    const n = this.#n;
    if (n > TWO_32) return this.#nextLarge();
    for (;;) {
      const drawn = this.#random.u32();
      if (Math.imul(drawn, n) >>> 0 < this.#threshold) continue;
      return highOfProduct(drawn, n);
    }
  }

  #nextLarge(): number {
    for (;;) {
      const drawn = this.#random.u53();
      if (drawn < this.#threshold) return drawn % this.#n;
    }
  }
}

/** floor(drawn x n / 2^32): exact where the product is below 2^53, and otherwise in two halves that are. */
function highOfProduct(drawn: number, n: number): number {
  if (n <= TWO_21) return Math.floor((drawn * n) / TWO_32);
  return Math.floor(((drawn >>> 16) * n + Math.floor(((drawn & 0xffff) * n) / TWO_16)) / TWO_16);
}

const TWO_16 = 2 ** 16;
const TWO_21 = 2 ** 21;
const TWO_32 = 2 ** 32;
const TWO_53 = 2 ** 53;

export interface Seed {
  readonly high: number;
  readonly low: number;
}

/**
 * Mixes numbers (0..2^53-1, in order) into the seed of a stream: different numbers give streams that have nothing in
 * common, the same numbers the same stream. The finaliser of MurmurHash3 (public domain) over two halves.
 */
export function seedOf(...parts: readonly number[]): Seed {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (const part of parts) {
    const partHigh = Math.floor(part / 0x100000000);
    const partLow = part >>> 0;
    low = mix32(low ^ partLow ^ Math.imul(high, 0x2545f491));
    high = mix32(high ^ partHigh ^ low);
    low = mix32(low + high);
  }
  return { high, low };
}

/** A permutation of the 32-bit integers in which each bit depends on all. */
export function mix32(value: number): number {
  let mixed = value | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
