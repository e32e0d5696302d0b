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

/** How the line of a value is read, by its first byte. */
export const LINE = { invalid: 0, number: 1, words: 2, error: 3, truth: 4, nothing: 5 } as const;
export const LINES = new Uint8Array(256);
for (const type of [BULK, INTEGER, ARRAY, MAP, SET, PUSH, ATTRIBUTE, VERBATIM, BULK_ERROR])
  LINES[type] = LINE.number;
for (const type of [STATUS, DOUBLE, BIG_NUMBER]) LINES[type] = LINE.words;
LINES[ERROR] = LINE.error;
LINES[BOOLEAN] = LINE.truth;
LINES[NULL] = LINE.nothing;

/** Longest first word of an error that is kept, and longest line of a redirect. */
const WORD_BYTES = 40;
const LINE_BYTES = 300;
const SPACE = 32;

/** The first word of an error, byte by byte; of the redirects of a cluster the whole line, which says where to. */
export class FirstWord {
  text = '';
  #ended = false;
  #most = WORD_BYTES;

  clear(): void {
    this.text = '';
    this.#ended = false;
    this.#most = WORD_BYTES;
  }

  add(byte: number): void {
    if (byte <= SPACE && this.#most === WORD_BYTES) {
      if (this.text === 'MOVED' || this.text === 'ASK') this.#most = LINE_BYTES;
      else this.#ended = true;
    }
    if (!this.#ended && this.text.length < this.#most) this.text += String.fromCharCode(byte);
  }
}
