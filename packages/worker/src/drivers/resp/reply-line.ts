export const CR = 13;
export const LF = 10;
export const BANG = 33;
const HASH = 35;
export const DOLLAR = 36;
export const PERCENT = 37;
const PARENTHESIS = 40;
export const STAR = 42;
export const PLUS = 43;
const COMMA = 44;
export const MINUS = 45;
export const COLON = 58;
export const EQUALS = 61;
export const GREATER = 62;
export const UNDERSCORE = 95;
export const BAR = 124;
export const TILDE = 126;

/** How the line of a value is read, by its first byte. */
export const LINE = { invalid: 0, number: 1, words: 2, error: 3, truth: 4, nothing: 5 } as const;
export const LINES = new Uint8Array(256);
for (const type of [DOLLAR, COLON, STAR, PERCENT, TILDE, GREATER, BAR, EQUALS, BANG])
  LINES[type] = LINE.number;
for (const type of [PLUS, COMMA, PARENTHESIS]) LINES[type] = LINE.words;
LINES[MINUS] = LINE.error;
LINES[HASH] = LINE.truth;
LINES[UNDERSCORE] = LINE.nothing;

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
