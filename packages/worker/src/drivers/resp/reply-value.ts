import { ReplyInvalid } from '../wire/reply-invalid.js';

/** A reply with its contents: for logging in and for asking a target about itself, not for load. */
export type ReplyValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'array'; readonly items: readonly ReplyValue[] };

/** INFO and CONFIG GET are some kilobytes; more than this is not an answer to what was asked. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Collects bytes and takes whole replies off their front. */
export class ReplyValueReader {
  #bytes = Buffer.alloc(0);
  #at = 0;

  add(bytes: Uint8Array): void {
    if (this.#bytes.length + bytes.length > MOST_BYTES)
      throw new ReplyInvalid('more than 4 MiB without an end');
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
  }

  /** The next reply, or null if it is not whole yet. Throws ReplyInvalid. */
  next(): ReplyValue | null {
    this.#at = 0;
    const value = this.#value(0);
    if (value === null) return null;
    this.#bytes = this.#bytes.subarray(this.#at);
    return value;
  }

  get isEmpty(): boolean {
    return this.#bytes.length === 0;
  }

  #value(depth: number): ReplyValue | null {
    if (depth > 8) throw new ReplyInvalid('arrays within arrays within arrays');
    const first = this.#bytes[this.#at];
    if (first === undefined) return null;
    const type = String.fromCharCode(first);
    if (!'+-:$*%~>=_#,(|!'.includes(type)) throw new ReplyInvalid(printable(this.#bytes));
    const end = this.#bytes.indexOf('\r\n', this.#at, 'latin1');
    if (end < 0) return null;
    const line = this.#bytes.toString('utf8', this.#at + 1, end);
    this.#at = end + 2;
    if (type === '+') return { kind: 'text', text: line };
    if (type === '-') return { kind: 'error', text: line };
    if (type === '_') return { kind: 'nothing' };
    if (type === ',' || type === '(') return { kind: 'text', text: line };
    if (type === '#') return { kind: 'number', value: line === 't' ? 1 : 0 };
    if (!/^-?\d{1,15}$/.test(line)) throw new ReplyInvalid(printable(this.#bytes));
    const number = Number(line);
    if (type === ':') return { kind: 'number', value: number };
    if (number < 0) return { kind: 'nothing' };
    if (type === '$' || type === '=' || type === '!') {
      if (this.#at + number + 2 > this.#bytes.length) return null;
      // A verbatim text begins with its kind: `txt:`.
      const text = this.#bytes.toString('utf8', this.#at + (type === '=' ? 4 : 0), this.#at + number);
      this.#at += number + 2;
      return { kind: type === '!' ? 'error' : 'text', text };
    }
    const items: ReplyValue[] = [];
    // Of a map, names and values by turns.
    for (let left = type === '%' || type === '|' ? 2 * number : number; left > 0; left--) {
      const item = this.#value(depth + 1);
      if (item === null) return null;
      items.push(item);
    }
    // Neither a push nor an attribute is what was asked for: that follows.
    if (type === '>' || type === '|') return this.#value(depth);
    return { kind: 'array', items };
  }
}

/** The beginning of what was received, for an error message. */
export function printable(bytes: Uint8Array): string {
  return Buffer.from(bytes.subarray(0, 60))
    .toString('latin1')
    .trimStart()
    .split(/[\r\n]/, 1)
    .join('')
    .replace(/[^ -~]/g, '?');
}

/** A command as RESP bytes. */
export function commandBytes(parts: readonly string[]): Buffer {
  return Buffer.from(
    `*${parts.length}\r\n${parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`,
  );
}
