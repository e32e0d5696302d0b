import { SHARED_TEXT, TEXT_BYTES } from './shared-text.js';
import { MARK_BYTES, writeMark } from './value-source.js';

const decoder = new TextDecoder();
/** The shared text as a string: such values are printable ASCII, one byte a character. */
let text = decoder.decode(SHARED_TEXT.upTo(0));
const scratch = new Uint8Array(MARK_BYTES);

/** The printable value of `length` bytes of `key` as a string, for clients that take strings. */
export function valueText(key: number, length: number): string {
  writeMark(scratch, 0, length, key);
  let mark = '';
  for (let index = 0; index < length && index < MARK_BYTES; index++)
    mark += String.fromCharCode(scratch[index] as number);
  if (length <= MARK_BYTES) return mark;
  if (length > text.length && text.length < TEXT_BYTES) text = decoder.decode(SHARED_TEXT.upTo(length));
  if (length <= TEXT_BYTES) return mark + text.slice(MARK_BYTES, length);
  const whole = Math.floor(length / TEXT_BYTES);
  return mark + text.slice(MARK_BYTES) + text.repeat(whole - 1) + text.slice(0, length % TEXT_BYTES);
}
