import { writeDecimal64 } from './decimal64.js';
import { fnvHash64, remainder64 } from './fnv-hash.js';
import { checkedSize, type KeyDistribution } from './key-distribution.js';
import type { RandomSource } from './random-source.js';
import { ZipfianKeys } from './zipfian.js';

/** Longest number that `writeYcsbKeyNumber` writes: the absolute value of a signed 64-bit number. */
export const YCSB_KEY_DIGITS = 19;

const hash = new Uint32Array(2);

/**
 * Writes what stands behind `user` in the key of a record, with YCSB's `insertorder=hashed`, from `at` on; returns
 * where it ends. Record 0 gives 6284781860667377211.
 */
export function writeYcsbKeyNumber(record: number, bytes: Uint8Array, at: number): number {
  fnvHash64(record, hash);
  return writeDecimal64(hash[0] as number, hash[1] as number, bytes, at);
}

/** What YCSB draws its ranks from, however many records there are. */
const YCSB_ITEMS = 10_000_000_000;
const YCSB_EXPONENT = 0.99;

/**
 * YCSB's scrambled zipfian, as it is: a rank among 10^10 items, hashed, modulo n. Ranks collide, so the hottest key of
 * 1000 has 3.9 % where a zipfian over 1000 keys gives it 12.9 %. To repeat YCSB's figures; else scramble a zipfian.
 */
export class YcsbZipfianKeys implements KeyDistribution {
  readonly size: number;
  readonly #ranks = new ZipfianKeys(YCSB_ITEMS, YCSB_EXPONENT);

  constructor(size: number) {
    this.size = checkedSize(size);
  }

  draw(random: RandomSource): number {
    fnvHash64(this.#ranks.draw(random), hash);
    return remainder64(hash[0] as number, hash[1] as number, this.size);
  }
}
