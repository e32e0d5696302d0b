import { writePadded } from '../../engine/distribution/decimal64.js';
import { writeKeyNumber } from '../../engine/key-text.js';
import type { SharedText } from '../../engine/shared-text.js';
import { MARK_BYTES, writeMark, writeShared } from '../../engine/value-source.js';
import { type CommandShape, digitsOf, INLINE_VALUE_BYTES } from './command-shape.js';

/** Room for the digits of a value's length. */
const LENGTH_BYTES = 20;

/** The most that a command of this shape takes in a send buffer, for values up to `largestBytes`. */
export function roomFor(shape: CommandShape, largestBytes: number): number {
  if (shape.value !== 'after') return shape.template.length;
  const valueBytes = Math.min(largestBytes, INLINE_VALUE_BYTES);
  return shape.template.length + LENGTH_BYTES + shape.lengthEnd.length + valueBytes + shape.tail.length;
}

/**
 * The commands of one write, made in place. The buffer is used again and again, and remembers which shape it holds
 * where: a command of the same shape at the same place only needs its digits and its mark.
 */
export class SendBuffer {
  bytes: Buffer;
  length = 0;
  /** Shapes of the first `#valid` commands that stand in the buffer, wherever they end: equal shapes, equal places. */
  readonly #shapes: number[] = [];
  #valid = 0;
  #count = 0;
  #view: Buffer;
  readonly #text: SharedText;

  /** `text`: the shared text of the values. */
  constructor(capacity: number, text: SharedText) {
    this.#text = text;
    this.bytes = Buffer.alloc(capacity);
    this.#view = this.bytes;
  }

  /** Makes room for `extra` bytes more; buffers that are large enough from the start need not ask. */
  reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.alloc(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(grown);
    this.bytes = grown;
    this.#view = grown;
  }

  clear(): void {
    this.length = 0;
    this.#count = 0;
  }

  /** Everything from `start` on. The same object as last time if it is the same stretch, which it mostly is. */
  from(start: number): Buffer {
    const view = this.#view;
    if (view.length === this.length && start === 0) return view;
    const made = this.bytes.subarray(start, this.length);
    if (start === 0) this.#view = made;
    return made;
  }

  /**
   * Adds a command, for which there must be room. Of a value larger than INLINE_VALUE_BYTES only the mark is
   * written: the rest is the caller's to send, and then `addTail` closes the command.
   */
  add(shape: CommandShape, key: number, valueBytes: number): void {
    const at = this.length;
    const { template } = shape;
    const index = this.#count++;
    if (index >= this.#valid || this.#shapes[index] !== shape.id) {
      this.bytes.set(template, at);
      this.#shapes[index] = shape.id;
      // This may have been written over the commands that stood behind.
      this.#valid = index + 1;
    }
    if (shape.hashedKeys === null) writePadded(key, shape.digits, this.bytes, at + shape.digitsAt);
    else writeKeyNumber(shape.hashedKeys, key, this.bytes, at + shape.digitsAt);
    this.length = at + template.length;
    if (shape.value === 'inside') writeMark(this.bytes, at + shape.markAt, valueBytes, key);
    else if (shape.value === 'after') this.#addValue(index, shape, key, valueBytes);
  }

  /** What follows a value that was sent from outside. */
  addTail({ tail }: CommandShape): void {
    this.bytes.set(tail, this.length);
    this.length += tail.length;
  }

  #addValue(index: number, shape: CommandShape, key: number, valueBytes: number): void {
    const { bytes } = this;
    const { lengthEnd } = shape;
    // Sizes differ: what follows stands elsewhere each time.
    this.#valid = index + 1;
    const lengthDigits = digitsOf(valueBytes, 0);
    writePadded(valueBytes, lengthDigits, bytes, this.length);
    let at = this.length + lengthDigits;
    for (let index = 0; index < lengthEnd.length; index++) bytes[at++] = lengthEnd[index] as number;
    writeMark(bytes, at, valueBytes, key);
    if (valueBytes > INLINE_VALUE_BYTES) {
      this.length = at + MARK_BYTES;
      return;
    }
    if (valueBytes > MARK_BYTES)
      writeShared(bytes, at + MARK_BYTES, MARK_BYTES, valueBytes - MARK_BYTES, this.#text);
    this.length = at + valueBytes;
    this.addTail(shape);
  }
}
