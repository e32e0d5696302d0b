import {
  ARRAY,
  ATTRIBUTE,
  BIG_NUMBER,
  BOOLEAN,
  BULK,
  BULK_ERROR,
  DOUBLE,
  ERROR,
  INTEGER,
  MAP,
  NULL,
  PUSH,
  SET,
  STATUS,
  VERBATIM,
} from '../../engine/resp-type.js';

/** By their signs, as whoever looks at bytes knows them. */
export {
  ARRAY as STAR,
  ATTRIBUTE as BAR,
  BULK as DOLLAR,
  BULK_ERROR as BANG,
  ERROR as MINUS,
  INTEGER as COLON,
  MAP as PERCENT,
  NULL as UNDERSCORE,
  PUSH as GREATER,
  SET as TILDE,
  STATUS as PLUS,
  VERBATIM as EQUALS,
};
export const CR = 13;
export const LF = 10;

/** How the line of a value is read, by its first byte. */
export const LINE = { invalid: 0, number: 1, words: 2, error: 3, truth: 4, nothing: 5 } as const;
export const LINES = new Uint8Array(256);
for (const type of [BULK, INTEGER, ARRAY, MAP, SET, PUSH, ATTRIBUTE, VERBATIM, BULK_ERROR])
  LINES[type] = LINE.number;
for (const type of [STATUS, DOUBLE, BIG_NUMBER]) LINES[type] = LINE.words;
LINES[ERROR] = LINE.error;
LINES[BOOLEAN] = LINE.truth;
LINES[NULL] = LINE.nothing;

/** Longest first word of an error that is kept. */
const WORD_BYTES = 40;
const SPACE = 32;

/** The first word of an error, byte by byte. */
export class FirstWord {
  text = '';
  #ended = false;

  clear(): void {
    this.text = '';
    this.#ended = false;
  }

  add(byte: number): void {
    if (byte <= SPACE) this.#ended = true;
    if (!this.#ended && this.text.length < WORD_BYTES) this.text += String.fromCharCode(byte);
  }
}

/** What was received is not RESP. `seen` is its beginning, printable, for a person. */
export class ReplyInvalid extends Error {}

/** The first bytes of what was received, for an error message. */
export function beginning(bytes: Uint8Array, at: number, end: number): string {
  let text = '';
  for (let index = Math.max(0, at - 20); index < Math.min(end, at + 40); index++) {
    const byte = bytes[index] as number;
    if (byte === CR || byte === LF) {
      if (index >= at) break;
      text = '';
    } else {
      text += byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '?';
    }
  }
  return text;
}
