import type { Keys } from '@pacecar/protocol';
import type { SlotFiller, Slot } from '../../engine/command-template.js';
import { KEY_DIGITS, keyDigits, writeKeyNumber } from '../../engine/key-text.js';
import type { Operands } from '../../engine/operands.js';

/** Where YCSB's binding keeps the keys of its records, to scan them in order. */
export const INDEX_KEY = '_indices';

/**
 * Fills commands on the index of records, as YCSB's binding for Redis says them: in the place of a field the key's
 * score, which is Java's hash of its text; in the place of a value the number of items; and the key itself.
 */
export class IndexFiller implements SlotFiller {
  operands: Operands | null = null;
  readonly #keys: Keys;
  readonly #prefix: Buffer;
  readonly #suffix: Buffer;
  readonly #prefixHash: number;
  readonly #digits = new Uint8Array(KEY_DIGITS);
  #text = '';

  constructor(keys: Keys) {
    this.#keys = keys;
    this.#prefix = Buffer.from(keys.prefix);
    this.#suffix = Buffer.from(keys.suffix);
    this.#prefixHash = javaHash(keys.prefix, 0);
  }

  widthOf(slot: Slot): number {
    const { key } = this.operands as Operands;
    if (slot.placeholder === 'key')
      return this.#prefix.length + keyDigits(this.#keys, key) + this.#suffix.length;
    return this.#textOf(slot).length;
  }

  fill(slot: Slot, bytes: Uint8Array, offset: number, width: number): void {
    const { key } = this.operands as Operands;
    if (slot.placeholder === 'key') {
      bytes.set(this.#prefix, offset);
      writeKeyNumber(this.#keys, key, bytes, offset + this.#prefix.length);
      bytes.set(this.#suffix, offset + width - this.#suffix.length);
      return;
    }
    this.#textOf(slot);
    for (let index = 0; index < width; index++) bytes[offset + index] = this.#text.charCodeAt(index);
  }

  refill(slot: Slot, bytes: Uint8Array, offset: number, width: number): void {
    this.fill(slot, bytes, offset, width);
  }

  /** Score of a key. */
  scoreOf(key: number): number {
    const end = writeKeyNumber(this.#keys, key, this.#digits, 0);
    let hash = this.#prefixHash;
    for (let index = 0; index < end; index++)
      hash = (Math.imul(hash, 31) + (this.#digits[index] as number)) | 0;
    return javaHash(this.#keys.suffix, hash);
  }

  #textOf({ placeholder }: Slot): string {
    const { key, items } = this.operands as Operands;
    this.#text = String(placeholder === 'field' ? this.scoreOf(key) : items);
    return this.#text;
  }
}

/** String.hashCode of what came before, of hash `before`, and this text. */
function javaHash(text: string, before: number): number {
  let hash = before;
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}
