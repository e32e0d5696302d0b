import type { Keys } from '@pacecar/protocol';
import { KEY_DIGITS, writeKeyNumber } from '../../engine/key-text.js';

/** Keys as they stand on the wire, one at a time in the same memory. */
export class KeyBytes {
  readonly #keys: Keys;
  readonly #bytes: Buffer;
  readonly #prefixBytes: number;
  readonly #suffix: Buffer;

  constructor(keys: Keys) {
    this.#keys = keys;
    const prefix = Buffer.from(keys.prefix);
    this.#suffix = Buffer.from(keys.suffix);
    this.#prefixBytes = prefix.length;
    this.#bytes = Buffer.alloc(prefix.length + KEY_DIGITS + keys.width + this.#suffix.length);
    this.#bytes.set(prefix);
  }

  /** Whether `bytes[start .. end]` is the key of this number. */
  is(key: number, bytes: Uint8Array, start: number, end: number): boolean {
    const own = this.#bytes;
    const numberEnd = writeKeyNumber(this.#keys, key, own, this.#prefixBytes);
    own.set(this.#suffix, numberEnd);
    if (end - start !== numberEnd + this.#suffix.length) return false;
    for (let index = 0; index < end - start; index++) if (own[index] !== bytes[start + index]) return false;
    return true;
  }
}
