import type { Keys } from '@pacecar/protocol';
import { fnvHash64, remainder64 } from './distribution/fnv-hash.js';

/** Of a hashed key's number its record is marked by the last 11 digits. */
const HASH_END = 10 ** 11;
const ZERO = 48;
const encoder = new TextEncoder();
const hash = new Uint32Array(2);

/**
 * By what records are marked: a number that stands in the key's text, so that whoever meets a record in a scan can check
 * it. Of numeric keys it is the number of the key; of hashed ones, whose number nobody can find out again, a part of the
 * hash.
 */
export class RecordOwners {
  readonly #keys: Keys;
  readonly #prefix: Uint8Array;
  readonly #suffix: Uint8Array;
  /** The last answer: fields of a record come one after the other. */
  #key = -1;
  #owner = 0;

  constructor(keys: Keys) {
    this.#keys = keys;
    this.#prefix = encoder.encode(keys.prefix);
    this.#suffix = encoder.encode(keys.suffix);
  }

  ofKey(key: number): number {
    if (this.#keys.order === 'numeric') return key;
    if (key === this.#key) return this.#owner;
    fnvHash64(key, hash);
    this.#key = key;
    this.#owner = remainder64(hash[0] as number, hash[1] as number, HASH_END);
    return this.#owner;
  }

  /** Of the key with this text; -1: it is none of these keys. */
  ofText(text: Uint8Array): number {
    const start = this.#prefix.length;
    const end = text.length - this.#suffix.length;
    if (end <= start || !beginsWith(text, this.#prefix, 0) || !beginsWith(text, this.#suffix, end)) return -1;
    const modulus = this.#keys.order === 'numeric' ? Number.POSITIVE_INFINITY : HASH_END;
    let owner = 0;
    for (let at = start; at < end; at++) {
      const digit = (text[at] as number) - ZERO;
      if (!(digit >= 0 && digit <= 9)) return -1;
      owner = (owner * 10 + digit) % modulus;
    }
    return owner <= Number.MAX_SAFE_INTEGER ? owner : -1;
  }
}

function beginsWith(text: Uint8Array, part: Uint8Array, at: number): boolean {
  return part.every((byte, index) => text[at + index] === byte);
}
