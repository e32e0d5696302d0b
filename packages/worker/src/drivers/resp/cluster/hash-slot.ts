import type { Keys } from '@pacecar/protocol';
import { KEY_DIGITS, writeKeyNumber } from '../../../engine/key-text.js';

export const SLOTS = 16_384;
const OPENING = 123;
const CLOSING = 125;

/** CRC16 with the polynomial 0x1021 (XMODEM), by the byte in front. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});

function crc16(bytes: Uint8Array, start: number, end: number, from: number): number {
  let crc = from;
  for (let at = start; at < end; at++)
    crc = ((crc << 8) & 0xffff) ^ (TABLE[(crc >> 8) ^ (bytes[at] as number)] as number);
  return crc;
}

/** Which bytes of a key decide its slot: those in its first braces, if they stand round something; else all. */
function tagOf(key: Uint8Array): { readonly start: number; readonly end: number } {
  const opening = key.indexOf(OPENING);
  const closing = opening === -1 ? -1 : key.indexOf(CLOSING, opening + 1);
  return closing > opening + 1 ? { start: opening + 1, end: closing } : { start: 0, end: key.length };
}

/** The slot of a key, 0..16383. */
export function slotOf(key: Uint8Array): number {
  const { start, end } = tagOf(key);
  return crc16(key, start, end, 0) % SLOTS;
}

/** The slots of a workload's keys. What stands before and behind their numbers is looked at once. */
export class KeySlots {
  /** Of all keys, where their numbers stand outside of the braces; null: they differ. */
  readonly only: number | null;
  readonly #keys: Keys;
  /** Of what counts before the number, and what counts behind it. */
  readonly #before: number;
  readonly #behind: Uint8Array;
  readonly #digits = new Uint8Array(KEY_DIGITS);

  constructor(keys: Keys) {
    const prefix = Buffer.from(keys.prefix);
    const suffix = Buffer.from(keys.suffix);
    // Digits are no braces: any number shows what counts.
    const { start, end } = tagOf(Buffer.concat([prefix, Buffer.from('0'), suffix]));
    const isInside = start <= prefix.length && end > prefix.length;
    this.#keys = keys;
    this.only = isInside ? null : slotOf(Buffer.concat([prefix, Buffer.from('0'), suffix]));
    this.#before = isInside ? crc16(prefix, start, prefix.length, 0) : 0;
    this.#behind = isInside ? suffix.subarray(0, end - prefix.length - 1) : suffix;
  }

  /** Whether both have the same slot for every key, as far as a few of them tell. */
  agrees(other: KeySlots, { minimum, maximum }: Pick<Keys, 'minimum' | 'maximum'>): boolean {
    return [minimum, maximum, Math.floor((minimum + maximum) / 2)].every(
      (key) => this.of(key) === other.of(key),
    );
  }

  of(key: number): number {
    if (this.only !== null) return this.only;
    const digits = this.#digits;
    const end = writeKeyNumber(this.#keys, key, digits, 0);
    const crc = crc16(digits, 0, end, this.#before);
    return crc16(this.#behind, 0, this.#behind.length, crc) % SLOTS;
  }
}
