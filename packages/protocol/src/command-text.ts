import { PacecarError } from './failure.js';
import { nearest } from './near-word.js';

/**
 * What may stand in a command as `__name__`, and what takes its place; each occurrence is drawn for itself. `digits`:
 * of numbers, which have zeros in front; null where the workload says how wide they are.
 */
export const PLACEHOLDERS = {
  key: { meaning: 'a key of the workload', digits: null },
  data: { meaning: 'a value of the workload', digits: null },
  field: { meaning: "the name of one of a record's fields", digits: null },
  rand_int: { meaning: 'a random number below the number of keys, as redis-benchmark writes it', digits: 12 },
  score: { meaning: 'a random score', digits: 12 },
  member: { meaning: 'a random member', digits: 12 },
  counter: { meaning: "the number of the connection's operation, from 0", digits: 16 },
} as const;
export type Placeholder = keyof typeof PLACEHOLDERS;

const NAMES = Object.keys(PLACEHOLDERS) as Placeholder[];
const isPlaceholder = (name: string): name is Placeholder => Object.hasOwn(PLACEHOLDERS, name);

/** A word of a command is made of these, one after the other; an empty word has none. */
export type CommandPart =
  | { readonly kind: 'literal'; readonly bytes: Uint8Array }
  | { readonly kind: 'placeholder'; readonly placeholder: Placeholder };

export interface CommandText {
  /** In capitals. */
  readonly name: string;
  /** The name, then the arguments. */
  readonly words: readonly (readonly CommandPart[])[];
}

/** `column` counts characters from 1; the message begins with it. */
export class CommandTextInvalid extends PacecarError {
  readonly column: number;
  constructor(column: number, message: string) {
    super('REQUEST_INVALID', `column ${column} of the command: ${message}`);
    this.column = column;
  }
}

/** Redis' own bound for the words of a command. */
const MOST_WORDS = 1024 * 1024;

const BLANK = /[ \t\n\v\f\r]/;
const PLACEHOLDER = /__([a-z][a-z0-9]*(?:_[a-z0-9]+)*)__/iy;
const ESCAPES: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, a: 7 };
/** What web pages and word processors put in place of blanks and quotes. */
const PASTED: Readonly<Record<string, string>> = {
  '\u00a0': 'a no-break space (U+00A0); write a plain blank',
  '\u201c': 'a printed quote (U+201C); write a plain "',
  '\u201d': 'a printed quote (U+201D); write a plain "',
  '\u2018': "a printed quote (U+2018); write a plain '",
  '\u2019': "a printed quote (U+2019); write a plain '",
};

/**
 * Reads a command as redis-cli does: words between blanks; '...' with \' inside; "..." with \n \r \t \b \a \xHH and
 * any other character after \ as itself. `__name__` is a placeholder, inside quotes too, unless one of its characters
 * is written as an escape. Throws CommandTextInvalid.
 */
export function parseCommandText(text: string): CommandText {
  return new CommandReader(text).command();
}

class CommandReader {
  readonly #text: string;
  #at = 0;
  #parts: CommandPart[] = [];
  #literal: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  command(): CommandText {
    const words: (readonly CommandPart[])[] = [];
    let nameAt = 0;
    for (;;) {
      while (this.#at < this.#text.length && BLANK.test(this.#text.charAt(this.#at))) this.#at++;
      if (this.#at >= this.#text.length) break;
      if (words.length === 0) nameAt = this.#at;
      if (words.length === MOST_WORDS) throw this.#invalid(this.#at, `more than ${MOST_WORDS} words`);
      words.push(this.#word());
    }
    const name = words[0];
    if (name === undefined) throw new CommandTextInvalid(1, 'there is none; write for example "GET __key__"');
    return { name: this.#nameOf(name, nameAt), words };
  }

  #nameOf(word: readonly CommandPart[], at: number): string {
    const [part] = word;
    if (word.length !== 1 || part?.kind !== 'literal')
      throw this.#invalid(at, "the command's name is fixed text, without a placeholder and not empty");
    return new TextDecoder().decode(part.bytes).toUpperCase();
  }

  #word(): readonly CommandPart[] {
    this.#parts = [];
    this.#literal = [];
    while (this.#at < this.#text.length) {
      const character = this.#text.charAt(this.#at);
      if (BLANK.test(character)) break;
      if (character === '"' || character === "'") {
        this.#quoted(character);
        break;
      }
      const pasted = PASTED[character];
      if (pasted !== undefined)
        throw this.#invalid(this.#at, `${pasted}, or put it between quotes if it belongs to the text`);
      this.#plain();
    }
    this.#endLiteral();
    return this.#parts;
  }

  /** From a quote to its end, after which a blank or the end of the command must follow. */
  #quoted(quote: '"' | "'"): void {
    const opened = this.#at++;
    for (;;) {
      if (this.#at >= this.#text.length) throw this.#invalid(opened, `the quote ${quote} is not closed`);
      const character = this.#text.charAt(this.#at);
      if (character === quote) break;
      if (character === '\\') this.#escape(quote);
      else this.#plain();
    }
    this.#at++;
    if (this.#at < this.#text.length && !BLANK.test(this.#text.charAt(this.#at)))
      throw this.#invalid(this.#at, `after the closing quote ${quote} stands a blank, or the command ends`);
  }

  #escape(quote: '"' | "'"): void {
    const next = this.#text.charAt(this.#at + 1);
    if (quote === "'") {
      this.#at++;
      if (next !== "'") {
        this.#literal.push(92);
        return;
      }
    } else {
      const hex = /^x([0-9a-fA-F]{2})/.exec(this.#text.slice(this.#at + 1, this.#at + 4))?.[1];
      if (hex !== undefined) {
        this.#literal.push(Number.parseInt(hex, 16));
        this.#at += 4;
        return;
      }
      this.#at++;
      const control = ESCAPES[next];
      if (control !== undefined) {
        this.#literal.push(control);
        this.#at++;
        return;
      }
      // A lone \ at the end: the quote is not closed, which the caller says.
      if (next === '') return;
    }
    this.#character();
  }

  /** A placeholder or one character as itself. */
  #plain(): void {
    if (this.#text.charCodeAt(this.#at) === 95) {
      PLACEHOLDER.lastIndex = this.#at;
      const name = PLACEHOLDER.exec(this.#text)?.[1];
      if (name !== undefined) {
        if (!isPlaceholder(name)) throw this.#unknown(name);
        this.#endLiteral();
        this.#parts.push({ kind: 'placeholder', placeholder: name });
        this.#at += name.length + 4;
        return;
      }
    }
    this.#character();
  }

  #character(): void {
    const code = this.#text.codePointAt(this.#at) as number;
    if (code < 128) {
      this.#literal.push(code);
      this.#at++;
      return;
    }
    if (code >= 0xd800 && code <= 0xdfff)
      throw this.#invalid(this.#at, 'half of a surrogate pair is no character');
    const character = String.fromCodePoint(code);
    this.#literal.push(...new TextEncoder().encode(character));
    this.#at += character.length;
  }

  #endLiteral(): void {
    if (this.#literal.length === 0) return;
    this.#parts.push({ kind: 'literal', bytes: Uint8Array.from(this.#literal) });
    this.#literal = [];
  }

  #unknown(name: string): CommandTextInvalid {
    const near = nearest(name, NAMES);
    const hint = near === null ? '.' : `; did you mean __${near}__?`;
    const known = NAMES.map((each) => `__${each}__`).join(', ');
    const literal = `; to send it as text, write "\\x5f_${name}__"`;
    return this.#invalid(this.#at, `__${name}__ is no placeholder${hint} Known are ${known}${literal}`);
  }

  #invalid(at: number, message: string): CommandTextInvalid {
    return new CommandTextInvalid([...this.#text.slice(0, at)].length + 1, message);
  }
}
