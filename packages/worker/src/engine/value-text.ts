import { MARK_BYTES, SHARED_TEXT, TEXT_BYTES, writeMark } from './value-source.js';

/** The shared text as a string: such values are printable ASCII, one byte a character. */
const TEXT = Array.from(SHARED_TEXT, (byte) => String.fromCharCode(byte)).join('');
const scratch = new Uint8Array(MARK_BYTES);

/** The printable value of `length` bytes of `key` as a string, for clients that take strings. */
export function valueText(key: number, length: number): string {
  writeMark(scratch, 0, length, key);
  let mark = '';
  for (let index = 0; index < length && index < MARK_BYTES; index++)
    mark += String.fromCharCode(scratch[index] as number);
  if (length <= MARK_BYTES) return mark;
  if (length <= TEXT_BYTES) return mark + TEXT.slice(MARK_BYTES, length);
  const whole = Math.floor(length / TEXT_BYTES);
  return mark + TEXT.slice(MARK_BYTES) + TEXT.repeat(whole - 1) + TEXT.slice(0, length % TEXT_BYTES);
}
