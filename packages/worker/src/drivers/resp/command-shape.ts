import { type Keys, type Operation, PacecarError, type Values } from '@pacecar/protocol';
import { keyDigits } from '../../engine/key-text.js';
import { MARK_BYTES, sharedText, writeShared } from '../../engine/value-source.js';

/** How the operations are said in RESP. */
const COMMANDS: Readonly<Partial<Record<Operation, string>>> = {
  get: 'GET',
  put: 'SET',
  insert: 'SET',
  delete: 'DEL',
};

/** Values up to this size stand in the send buffer as a whole; of larger ones only the mark does. */
export const INLINE_VALUE_BYTES = 16 * 1024;

const ZERO = 48;
/** Of a key's number, or of a hash. */
const MOST_DIGITS = 20;

/**
 * What is the same in every command of one operation and one number of digits; only the digits of the key and the
 * mark of the value are written each time.
 */
export interface CommandShape {
  /** Different for each shape of a workload. */
  readonly id: number;
  /** The whole command for values of one size, or up to the `$` before the value's length. */
  readonly template: Buffer;
  /** Where the digits are that differ from key to key, and how many: zeros that pad every key stand in the template. */
  readonly digitsAt: number;
  readonly digits: number;
  /** Not null: what stands for a key is its hash, not its number. */
  readonly hashedKeys: Keys | null;
  readonly value: 'none' | 'inside' | 'after';
  /** Where the mark is if the value stands inside the template. */
  readonly markAt: number;
}

/** The shapes of one operation of a workload, made when they are first needed. */
export class CommandShapes {
  readonly #command: string;
  readonly #keys: Keys;
  readonly #prefix: Buffer;
  readonly #suffix: Buffer;
  readonly #text: Uint8Array;
  /** Size of every value that fits the template; null: sizes differ, or are too large for it. */
  readonly #insideBytes: number | null;
  readonly #hasValue: boolean;
  readonly #firstId: number;
  readonly #byDigits: (CommandShape | undefined)[] = new Array<CommandShape | undefined>(21).fill(undefined);
  /** The only shape there is, if all keys have the same number of digits. */
  readonly #only: CommandShape | null;

  constructor(operation: Operation, keys: Keys, values: Values, index: number) {
    const command = COMMANDS[operation];
    if (command === undefined) throw new PacecarError('UNSUPPORTED', `this driver has no ${operation}`);
    this.#command = command;
    this.#keys = keys;
    this.#prefix = Buffer.from(keys.prefix, 'utf8');
    this.#suffix = Buffer.from(keys.suffix, 'utf8');
    this.#text = sharedText(values.content);
    this.#hasValue = operation === 'put' || operation === 'insert';
    const { size } = values;
    this.#insideBytes = size.kind === 'fixed' && size.bytes <= INLINE_VALUE_BYTES ? size.bytes : null;
    this.#firstId = 1 + index * this.#byDigits.length;
    const fewest = digitsOf(keys.minimum, keys.width);
    const isOnly = keys.order === 'numeric' && fewest === digitsOf(keys.maximum, keys.width);
    this.#only = isOnly ? this.#make(fewest) : null;
  }

  of(key: number): CommandShape {
    if (this.#only !== null) return this.#only;
    const digits =
      this.#keys.order === 'hashed' ? keyDigits(this.#keys, key) : digitsOf(key, this.#keys.width);
    const known = this.#byDigits[digits];
    if (known !== undefined) return known;
    const made = this.#make(digits);
    this.#byDigits[digits] = made;
    return made;
  }

  /** The shape of the longest command. */
  get longest(): CommandShape {
    if (this.#only !== null) return this.#only;
    return this.#make(Math.max(MOST_DIGITS, this.#keys.width));
  }

  #make(digits: number): CommandShape {
    const keyBytes = this.#prefix.length + digits + this.#suffix.length;
    const name = `*${this.#hasValue ? 3 : 2}\r\n$${this.#command.length}\r\n${this.#command}\r\n$${keyBytes}\r\n`;
    const head = Buffer.concat([Buffer.from(name), this.#prefix]);
    const key = Buffer.alloc(digits, ZERO);
    const hashedKeys = this.#keys.order === 'hashed' ? this.#keys : null;
    const changing = hashedKeys !== null ? digits : Math.min(digits, digitsOf(this.#keys.maximum, 0));
    const digitsAt = head.length + digits - changing;
    const shape = { id: this.#firstId + digits, digitsAt, digits: changing, hashedKeys };
    if (!this.#hasValue)
      return {
        ...shape,
        template: Buffer.concat([head, key, this.#suffix, Buffer.from('\r\n')]),
        value: 'none',
        markAt: 0,
      };
    if (this.#insideBytes === null)
      return {
        ...shape,
        template: Buffer.concat([head, key, this.#suffix, Buffer.from('\r\n$')]),
        value: 'after',
        markAt: 0,
      };
    const bytes = this.#insideBytes;
    const lengthLine = Buffer.from(`\r\n$${bytes}\r\n`);
    const markAt = head.length + digits + this.#suffix.length + lengthLine.length;
    const value = Buffer.alloc(bytes);
    if (bytes > MARK_BYTES) writeShared(value, MARK_BYTES, MARK_BYTES, bytes - MARK_BYTES, this.#text);
    const template = Buffer.concat([head, key, this.#suffix, lengthLine, value, Buffer.from('\r\n')]);
    return { ...shape, template, value: 'inside', markAt };
  }
}

/** How many characters a key's number takes. */
export function digitsOf(key: number, width: number): number {
  let digits = 1;
  for (let limit = 10; key >= limit; limit *= 10) digits++;
  return digits < width ? width : digits;
}

/** Both characters of 00 to 99. */
const PAIRS = Uint8Array.from(
  { length: 200 },
  (_, index) => ZERO + (index % 2 === 0 ? Math.floor(index / 20) : (index >> 1) % 10),
);

/** Writes the last `digits` digits of `key`, padded with zeros. */
export function writeDigits(bytes: Uint8Array, at: number, digits: number, key: number): void {
  let index = at + digits - 1;
  let rest = key;
  while (rest > 0x7fffffff && index >= at) {
    const digit = rest % 10;
    bytes[index--] = ZERO + digit;
    rest = (rest - digit) / 10;
  }
  let small = rest | 0;
  while (index > at) {
    const quotient = (small / 100) | 0;
    const pair = (small - quotient * 100) << 1;
    bytes[index--] = PAIRS[pair + 1] as number;
    bytes[index--] = PAIRS[pair] as number;
    small = quotient;
  }
  if (index === at) bytes[index] = ZERO + (small % 10);
}
