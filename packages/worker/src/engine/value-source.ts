import { PacecarError, type Values } from '@pacecar/protocol';
import { mix32, RandomStream, type Seed, seedOf, UniformNumbers } from './random.js';

/**
 * Values that any reader can check. A value is a mark made of its key and its length, up to 8 characters, followed by
 * the beginning of one pseudo-random text that all values share. Two keys with the same mark are as rare as two equal
 * 48-bit numbers, and a value that was cut has the wrong mark. So a writer that sends values of one size has only the
 * mark to change, and a reader needs neither the writer, nor the sizes it chose, nor a copy of what was written.
 */
export const MARK_BYTES = 8;

/** 64 printable characters, one for each 6 bits. */
const ALPHABET = Uint8Array.from(
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_',
  (character) => character.charCodeAt(0),
);

/** The shared text repeats after this many bytes; longer values go round it. A power of two. */
export const TEXT_BYTES = 64 * 1024;

/** The shared text. Fixed for all runs, so that data of one run can be checked by another. */
export const SHARED_TEXT: Uint8Array = (() => {
  const random = new RandomStream(seedOf(0x70616365));
  const text = new Uint8Array(TEXT_BYTES);
  for (let at = 0; at < TEXT_BYTES; at++) text[at] = ALPHABET[random.u32() >>> 26] as number;
  return text;
})();

/** Writes the first min(8, length) bytes of the value of `length` bytes of `key`. */
export function writeMark(bytes: Uint8Array, at: number, length: number, key: number): void {
  const high = key < 0x100000000 ? length : length + Math.imul(Math.floor(key / 0x100000000), 0x27d4eb2f);
  const first = mix32((key | 0) ^ Math.imul(high, 0x5bd1e995));
  const firstEnd = length < 4 ? length : 4;
  for (let index = 0; index < firstEnd; index++)
    bytes[at + index] = ALPHABET[(first >>> (26 - 6 * index)) & 63] as number;
  if (length <= 4) return;
  const second = mix32(first ^ high);
  const end = length < MARK_BYTES ? length : MARK_BYTES;
  for (let index = 4; index < end; index++)
    bytes[at + index] = ALPHABET[(second >>> (26 - 6 * (index - 4))) & 63] as number;
}

/** Writes bytes `from .. from + length - 1` of a value, of the part that all values share (`from` >= 8). */
export function writeShared(bytes: Uint8Array, at: number, from: number, length: number): void {
  let done = 0;
  while (done < length) {
    const start = (from + done) % TEXT_BYTES;
    const part = Math.min(length - done, TEXT_BYTES - start);
    bytes.set(SHARED_TEXT.subarray(start, start + part), at + done);
    done += part;
  }
}

/** A whole value. */
export function valueOf(key: number, length: number): Uint8Array {
  const value = new Uint8Array(length);
  writeMark(value, 0, length, key);
  if (length > MARK_BYTES) writeShared(value, MARK_BYTES, MARK_BYTES, length - MARK_BYTES);
  return value;
}

/** Checks one value at a time, in the pieces in which it arrives: `begin`, then `add` in order, then `right`. */
export class ValueCheck {
  readonly #mark = new Uint8Array(MARK_BYTES);
  #length = 0;
  #seen = 0;
  #right = true;

  /** A value of `length` bytes of `key` is expected. */
  begin(key: number, length: number): void {
    writeMark(this.#mark, 0, length, key);
    this.#length = length;
    this.#seen = 0;
    this.#right = true;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    let seen = this.#seen;
    let right = this.#right;
    while (at < end && seen < MARK_BYTES) {
      if (bytes[at++] !== this.#mark[seen++]) right = false;
    }
    while (at < end && right) {
      if (bytes[at++] !== SHARED_TEXT[seen++ & (TEXT_BYTES - 1)]) right = false;
    }
    this.#seen += end - start;
    this.#right = right;
  }

  /** Whether all of the expected value was added, and nothing else. */
  get right(): boolean {
    return this.#right && this.#seen === this.#length;
  }
}

/** How large the value of each write is. One for each connection. */
export interface SizeSource {
  next(): number;
}

class UniformSizes implements SizeSource {
  readonly #minimum: number;
  readonly #numbers: UniformNumbers;

  constructor(minimum: number, maximum: number, seed: Seed) {
    this.#minimum = minimum;
    this.#numbers = new UniformNumbers(maximum - minimum + 1, seed);
  }

  next(): number {
    return this.#minimum + this.#numbers.next();
  }
}

class FixedSize implements SizeSource {
  readonly #bytes: number;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  next(): number {
    return this.#bytes;
  }
}

export function createSizeSource(values: Values, seed: Seed): SizeSource {
  const size = values.size;
  if (size.kind === 'fixed') return new FixedSize(size.bytes);
  if (size.kind === 'uniform') return new UniformSizes(size.minimumBytes, size.maximumBytes, seed);
  throw new PacecarError('UNSUPPORTED', `the engine has no ${size.kind} sizes`);
}

/** The largest value that the workload writes, bytes. */
export function largestValue({ size }: Values): number {
  if (size.kind === 'fixed') return size.bytes;
  return size.kind === 'weighted' ? Math.max(...size.sizes.map(({ bytes }) => bytes)) : size.maximumBytes;
}
