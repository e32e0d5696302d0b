import type { Keys } from '@pacecar/protocol';
import { DECIMAL64_BYTES, writeDecimal } from './distribution/decimal64.js';
import { writeYcsbKeyNumber } from './distribution/ycsb-keys.js';

/** The most digits that a key's number has. */
export const KEY_DIGITS: number = DECIMAL64_BYTES;

const ZERO = 48;
const scratch = new Uint8Array(KEY_DIGITS);

/**
 * Writes what stands for a key's number in its text from `at` on: the number itself or its hash, padded with zeros to
 * the width. Returns where it ends; there must be room for KEY_DIGITS bytes.
 */
export function writeKeyNumber(keys: Keys, key: number, bytes: Uint8Array, at: number): number {
  const end = keys.order === 'hashed' ? writeYcsbKeyNumber(key, bytes, at) : writeDecimal(key, bytes, at);
  const missing = keys.width - (end - at);
  if (missing <= 0) return end;
  bytes.copyWithin(at + missing, at, end);
  bytes.fill(ZERO, at, at + missing);
  return end + missing;
}

/** How many digits `writeKeyNumber` writes. */
export function keyDigits(keys: Keys, key: number): number {
  return writeKeyNumber(keys, key, scratch, 0);
}

/** The key of a number as a string: prefix, number and suffix. */
export function keyText(keys: Keys, key: number): string {
  if (keys.order === 'numeric') {
    const number = String(key);
    return (
      keys.prefix + (number.length < keys.width ? number.padStart(keys.width, '0') : number) + keys.suffix
    );
  }
  const end = writeKeyNumber(keys, key, scratch, 0);
  let number = '';
  for (let at = 0; at < end; at++) number += String.fromCharCode(scratch[at] as number);
  return keys.prefix + number + keys.suffix;
}
