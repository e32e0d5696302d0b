import type { Keys, Workload } from '@pacecar/protocol';
import { largestKey } from '../../engine/inserted-keys.js';
import { keyDigits } from '../../engine/key-text.js';
import { type SharedText, sharedText } from '../../engine/shared-text.js';
import { MARK_BYTES, writeShared } from '../../engine/value-source.js';

/** Values up to this size stand in the send buffer as a whole; of larger ones only the mark does. */
export const INLINE_VALUE_BYTES = 16 * 1024;

const ZERO = 48;
/** Of a key's number, or of a hash, with the zeros that pad it. */
const MOST_DIGITS = 20;

/** How a command on one key is said, in the order in which its parts stand. */
export interface CommandForm {
  /** `keyBytes` is the length of the key that follows. */
  beforeKey(keyBytes: number): Uint8Array;
  /** null: the command has no value, and `end` follows the key. */
  readonly value: { readonly beforeLength: Uint8Array; readonly afterLength: Uint8Array } | null;
  readonly end: Uint8Array;
}

/**
 * What is the same in every command of one operation and one number of digits; only the digits of the key and the
 * mark of the value are written each time.
 */
export interface CommandShape {
  /** Different for each shape of a workload. */
  readonly id: number;
  /** The whole command for values of one size, or all before the value's length. */
  readonly template: Buffer;
  /** Where the digits are that differ from key to key, and how many: zeros that pad every key stand in the template. */
  readonly digitsAt: number;
  readonly digits: number;
  /** Not null: what stands for a key is its hash, not its number. */
  readonly hashedKeys: Keys | null;
  readonly value: 'none' | 'inside' | 'after';
  /** Where the mark is if the value stands inside the template. */
  readonly markAt: number;
  /** Around a value that does not stand inside: between its length and itself, and what ends the command. */
  readonly lengthEnd: Uint8Array;
  readonly tail: Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** The shapes of one operation of a workload, made when they are first needed. */
export class CommandShapes {
  readonly #form: CommandForm;
  readonly #keys: Keys;
  readonly #largestKey: number;
  readonly #prefix: Buffer;
  readonly #suffix: Buffer;
  /** Size of every value that fits the template; null: sizes differ, or are too large for it. */
  readonly #insideBytes: number | null;
  readonly #text: SharedText;
  readonly #firstId: number;
  readonly #byDigits: (CommandShape | undefined)[] = new Array<CommandShape | undefined>(21).fill(undefined);
  /** The only shape there is, if all keys have the same number of digits. */
  readonly #only: CommandShape | null;

  /** `index`: another for each form of a workload. */
  constructor(form: CommandForm, workload: Workload, index: number) {
    this.#form = form;
    const { keys, values } = workload;
    this.#keys = keys;
    this.#largestKey = largestKey(workload);
    this.#prefix = Buffer.from(keys.prefix, 'utf8');
    this.#suffix = Buffer.from(keys.suffix, 'utf8');
    const { size } = values;
    this.#insideBytes = size.kind === 'fixed' && size.bytes <= INLINE_VALUE_BYTES ? size.bytes : null;
    this.#text = sharedText(values.content);
    this.#firstId = 1 + index * this.#byDigits.length;
    const fewest = digitsOf(keys.minimum, keys.width);
    const isOnly = keys.order === 'numeric' && fewest === digitsOf(this.#largestKey, keys.width);
    this.#only = isOnly ? this.#make(fewest) : null;
  }

  of(key: number): CommandShape {
    if (this.#only !== null) return this.#only;
    const keys = this.#keys;
    const digits = keys.order === 'hashed' ? keyDigits(keys, key) : digitsOf(key, keys.width);
    const known = this.#byDigits[digits];
    if (known !== undefined) return known;
    const made = this.#make(digits);
    this.#byDigits[digits] = made;
    return made;
  }

  /** The shape of the longest command. */
  get longest(): CommandShape {
    return this.#only ?? this.#make(MOST_DIGITS);
  }

  #make(digits: number): CommandShape {
    const { value, end } = this.#form;
    const keyBytes = this.#prefix.length + digits + this.#suffix.length;
    const head = Buffer.concat([this.#form.beforeKey(keyBytes), this.#prefix]);
    const key = Buffer.concat([Buffer.alloc(digits, ZERO), this.#suffix]);
    const hashedKeys = this.#keys.order === 'hashed' ? this.#keys : null;
    const changing = hashedKeys === null ? Math.min(digits, digitsOf(this.#largestKey, 0)) : digits;
    const shape = {
      ...{ id: this.#firstId + digits, hashedKeys, markAt: 0 },
      ...{ digitsAt: head.length + digits - changing, digits: changing },
      ...{ lengthEnd: value?.afterLength ?? NOTHING, tail: end },
    };
    if (value === null) return { ...shape, template: Buffer.concat([head, key, end]), value: 'none' };
    const toLength = Buffer.concat([head, key, value.beforeLength]);
    if (this.#insideBytes === null) return { ...shape, template: toLength, value: 'after' };
    const bytes = this.#insideBytes;
    const toValue = Buffer.concat([toLength, Buffer.from(String(bytes)), value.afterLength]);
    const inside = Buffer.alloc(bytes);
    if (bytes > MARK_BYTES) writeShared(inside, MARK_BYTES, MARK_BYTES, bytes - MARK_BYTES, this.#text);
    const template = Buffer.concat([toValue, inside, end]);
    return { ...shape, template, value: 'inside', markAt: toValue.length };
  }
}

/** How many characters a key's number takes. */
export function digitsOf(key: number, width: number): number {
  let digits = 1;
  for (let limit = 10; key >= limit; limit *= 10) digits++;
  return digits < width ? width : digits;
}
