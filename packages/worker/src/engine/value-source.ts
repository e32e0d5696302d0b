import { mix32 } from './random.js';
import { SHARED_TEXT, type SharedText, TEXT_BYTES } from './shared-text.js';
import { PRINTABLE } from './value/contents.js';

/**
 * Values that any reader can check. A value is a mark made of its key and its length, up to 8 characters, followed by
 * the beginning of one pseudo-random text that all values share. Two keys with the same mark are as rare as two equal
 * 48-bit numbers, and a value that was cut has the wrong mark. So a writer that sends values of one size has only the
 * mark to change, and a reader needs neither the writer, nor the sizes it chose, nor a copy of what was written.
 */
export const MARK_BYTES = 8;

/** Writes the first min(8, length) bytes of the value of `length` bytes of `key`. */
export function writeMark(bytes: Uint8Array, at: number, length: number, key: number): void {
  const high = key < 0x100000000 ? length : length + Math.imul(Math.floor(key / 0x100000000), 0x27d4eb2f);
  const first = mix32((key | 0) ^ Math.imul(high, 0x5bd1e995));
  const firstEnd = length < 4 ? length : 4;
  for (let index = 0; index < firstEnd; index++)
    bytes[at + index] = PRINTABLE[(first >>> (26 - 6 * index)) & 63] as number;
  if (length <= 4) return;
  const second = mix32(first ^ high);
  const end = length < MARK_BYTES ? length : MARK_BYTES;
  for (let index = 4; index < end; index++)
    bytes[at + index] = PRINTABLE[(second >>> (26 - 6 * (index - 4))) & 63] as number;
}

/**
 * By which the mark of a record's field is made, in place of a key: fields of one record do not stand for each other, nor
 * for the same field of another record. `owner`: of the record, see RecordOwners.
 */
export function fieldKey(owner: number, field: number): number {
  const high = (Math.floor(owner / 0x100000000) ^ Math.imul(field + 1, 0x27d4eb2f)) & 0x1fffff;
  return high * 0x100000000 + (((owner | 0) ^ Math.imul(field + 1, 0x165667b1)) >>> 0);
}

/** Writes bytes `from .. from + length - 1` of a value, of the part that all values share (`from` >= 8). */
export function writeShared(
  bytes: Uint8Array,
  at: number,
  from: number,
  length: number,
  shared: SharedText = SHARED_TEXT,
): void {
  const text = shared.upTo(from + length);
  let done = 0;
  while (done < length) {
    const start = (from + done) % TEXT_BYTES;
    const part = Math.min(length - done, TEXT_BYTES - start);
    bytes.set(text.subarray(start, start + part), at + done);
    done += part;
  }
}

/** A whole value. */
export function valueOf(key: number, length: number, text: SharedText = SHARED_TEXT): Uint8Array {
  const value = new Uint8Array(length);
  writeMark(value, 0, length, key);
  if (length > MARK_BYTES) writeShared(value, MARK_BYTES, MARK_BYTES, length - MARK_BYTES, text);
  return value;
}

/** From so many bytes on, comparing them in one call is cheaper than one by one. */
const COMPARED_AT_ONCE = 48;

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Checks one value at a time, in the pieces in which it arrives: `begin`, then `add` in order, then `right`. */
export class ValueCheck {
  readonly #mark = new Uint8Array(MARK_BYTES);
  readonly #shared: SharedText;
  /** As much of it as any value had that was expected. */
  #text: Buffer;
  /** Bytes below this are not judged. */
  #judgedFrom = 0;
  /** Where what is expected ends. */
  #length = 0;
  #seen = 0;
  #right = true;

  /** `text`: the shared text of the values that are checked. */
  constructor(text: SharedText = SHARED_TEXT) {
    this.#shared = text;
    this.#text = viewOf(text.upTo(0));
  }

  /** A value of `length` bytes of `key` is expected. */
  begin(key: number, length: number): void {
    writeMark(this.#mark, 0, length, key);
    if (length > this.#text.length) this.#text = viewOf(this.#shared.upTo(length));
    this.#judgedFrom = 0;
    this.#length = length;
    this.#seen = 0;
    this.#right = true;
  }

  /**
   * A part of a value of `key` is expected: `received` bytes of the `asked` ones from `offset` on. Only if these are fewer
   * does one know where the value ends; else the mark, which depends on it, is not judged.
   */
  beginPart(key: number, { offset, asked, received }: PartOfValue): void {
    const end = received < asked ? offset + received : null;
    if (end !== null) writeMark(this.#mark, 0, end, key);
    this.#judgedFrom = end === null ? MARK_BYTES : 0;
    this.#length = end ?? offset + asked;
    if (this.#length > this.#text.length) this.#text = viewOf(this.#shared.upTo(this.#length));
    this.#seen = offset;
    this.#right = true;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    let seen = this.#seen;
    // More than was announced is not looked at: the text may not reach that far.
    let right = this.#right && seen + end - at <= this.#length;
    const text = this.#text;
    if (seen < this.#judgedFrom) {
      const skipped = Math.min(this.#judgedFrom - seen, end - at);
      at += skipped;
      seen += skipped;
    }
    while (at < end && seen < MARK_BYTES) {
      if (bytes[at++] !== this.#mark[seen++]) right = false;
    }
    while (right && end - at >= COMPARED_AT_ONCE) {
      const from = seen & (TEXT_BYTES - 1);
      const length = Math.min(end - at, text.length - from);
      // Cut where the text goes round.
      right = text.compare(bytes, at, at + length, from, from + length) === 0;
      at += length;
      seen += length;
    }
    while (at < end && right) {
      if (bytes[at++] !== text[seen++ & (TEXT_BYTES - 1)]) right = false;
    }
    this.#seen += end - start;
    this.#right = right;
  }

  /** Whether all of the expected value was added, and nothing else. */
  get right(): boolean {
    return this.#right && this.#seen === this.#length;
  }
}

/** In bytes: which part of a value was asked for, and how much of it came. */
export interface PartOfValue {
  readonly offset: number;
  readonly asked: number;
  readonly received: number;
}
