import type { Keys } from '@pacecar/protocol';

/** The key of a number as a string: prefix, and the number padded with zeros to the width. */
export function keyText(keys: Keys, key: number): string {
  const number = String(key);
  return number.length < keys.width ? keys.prefix + number.padStart(keys.width, '0') : keys.prefix + number;
}
