import { beginning, CR, LF, ReplyInvalid } from '../wire/reply-invalid.js';
import {
  BANG,
  BAR,
  COLON,
  DOLLAR,
  EQUALS,
  FirstWord,
  GREATER,
  LINE,
  LINES,
  MINUS,
  PERCENT,
  PLUS,
  STAR,
  TILDE,
  UNDERSCORE,
} from './reply-line.js';
import type { ReplyDetail, ReplySink } from './reply-sink.js';

const ZERO = 48;
const ONE = 49;
const NINE = 57;
const LETTER_O = 79;
const LETTER_K = 75;
const LETTER_T = 116;

const MOST_LEVELS = 128;
/** More digits than any length or count has that is not past 2^53. */
const MOST_DIGITS = 15;

/** Where a reply was cut by the end of a read. */
const STATE = { start: 0, line: 1, body: 2 } as const;

/**
 * Walks over replies of RESP2 and RESP3 without making anything of them: lengths are read, values are skipped. A reply
 * may be cut anywhere by the end of a read, and goes on with the next. What a target pushes between replies, and the
 * attributes before a value, are passed over.
 */
export class ReplyScanner {
  readonly #sink: ReplySink;
  readonly #items: boolean;
  readonly #bodies: boolean;
  readonly #word = new FirstWord();
  #state: number = STATE.start;
  /** Collections that are open, and how many values each has still to come, from index 1. */
  #depth = 0;
  readonly #left: number[] = [0];
  readonly #collections: number[] = [0];
  /** How many of them are pushes and attributes. */
  #aside = 0;
  /** Of the outermost value. */
  #type = 0;
  #value = 0;
  #bytes = 0;
  /** Of the line at hand. */
  #lineType = 0;
  #number = 0;
  #digits = 0;
  #negative = false;
  #sawReturn = false;
  /** Of the string at hand, with its CR LF. */
  #skip = 0;

  constructor(sink: ReplySink, { items, bodies }: ReplyDetail) {
    this.#sink = sink;
    this.#items = items;
    this.#bodies = bodies;
  }

  /** A new connection begins with a new reply. */
  reset(): void {
    this.#state = STATE.start;
    this.#depth = 0;
    this.#aside = 0;
    this.#bytes = 0;
  }

  /** Whether a reply has begun and is not whole. */
  get isMidway(): boolean {
    return this.#state !== STATE.start || this.#depth > 0;
  }

  /** Scans `bytes[start .. end]`. Throws ReplyInvalid; nothing may be scanned after that but what follows `reset`. */
  scan(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    if (this.#state !== STATE.start) at = this.#resume(bytes, at, end);
    const sink = this.#sink;
    const items = this.#items;
    const bodies = this.#bodies;
    while (at < end) {
      const type = bytes[at] as number;
      // The common values, whole, without a call for anything but the result.
      if (type === DOLLAR) {
        let next = at + 1;
        let byte = next < end ? (bytes[next] as number) : 0;
        let length = 0;
        while (byte >= ZERO && byte <= NINE) {
          length = length * 10 + byte - ZERO;
          next++;
          byte = next < end ? (bytes[next] as number) : 0;
        }
        const after = next + length + 4;
        if (
          byte === CR &&
          after <= end &&
          next - at > 1 &&
          next - at <= MOST_DIGITS &&
          bytes[next + 1] === LF
        ) {
          if (this.#depth > 0) {
            this.#innerString(bytes, next + 2, length, after - at);
          } else {
            if (items) sink.item(0, DOLLAR, length);
            if (bodies) {
              sink.bodyBegins(length);
              sink.body(bytes, next + 2, after - 2);
              sink.bodyEnds();
            }
            // Pushed before it.
            const pushed = this.#bytes;
            if (pushed > 0) this.#bytes = 0;
            sink.reply(DOLLAR, length, after - at + pushed);
          }
          at = after;
          continue;
        }
        if (
          byte === MINUS &&
          this.#depth === 0 &&
          at + 5 <= end &&
          bytes[at + 2] === ONE &&
          bytes[at + 3] === CR &&
          bytes[at + 4] === LF
        ) {
          this.#whole(DOLLAR, -1, 5);
          at += 5;
          continue;
        }
      } else if (this.#depth === 0) {
        if (
          type === PLUS &&
          at + 5 <= end &&
          bytes[at + 1] === LETTER_O &&
          bytes[at + 2] === LETTER_K &&
          bytes[at + 3] === CR &&
          bytes[at + 4] === LF
        ) {
          this.#whole(PLUS, 0, 5);
          at += 5;
          continue;
        }
        if (type === COLON && at + 4 <= end && bytes[at + 2] === CR && bytes[at + 3] === LF) {
          const digit = (bytes[at + 1] as number) - ZERO;
          if (digit >= 0 && digit <= 9) {
            this.#whole(COLON, digit, 4);
            at += 4;
            continue;
          }
        }
      }
      this.#beginLine(type, bytes, at, end);
      at = this.#resume(bytes, at + 1, end);
    }
  }

  /** A reply of one value that stands whole in the read. */
  #whole(type: number, value: number, length: number): void {
    if (this.#items) this.#sink.item(0, type, value);
    const pushed = this.#bytes;
    this.#bytes = 0;
    this.#sink.reply(type, value, length + pushed);
  }

  /** A bulk string inside a collection, whole in the read. */
  #innerString(bytes: Uint8Array, at: number, length: number, wireBytes: number): void {
    this.#bytes += wireBytes;
    if (this.#items && this.#aside === 0) {
      const sink = this.#sink;
      sink.item(this.#depth, DOLLAR, length);
      if (this.#bodies) {
        sink.bodyBegins(length);
        sink.body(bytes, at, at + length);
        sink.bodyEnds();
      }
    }
    this.#valueEnded();
  }

  #beginLine(type: number, bytes: Uint8Array, at: number, end: number): void {
    if (LINES[type] === LINE.invalid) throw new ReplyInvalid(beginning(bytes, at, end));
    this.#state = STATE.line;
    this.#lineType = type;
    this.#bytes++;
    this.#number = 0;
    this.#digits = 0;
    this.#negative = false;
    this.#sawReturn = false;
    this.#word.clear();
  }

  /** Goes on with a line or a body; returns where it ended or the read did. */
  #resume(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      if (this.#state === STATE.body) {
        const part = Math.min(this.#skip, end - at);
        if (this.#skip > 2) this.#bodyPart(bytes, at, at + Math.min(part, this.#skip - 2));
        this.#skip -= part;
        this.#bytes += part;
        at += part;
        if (this.#skip === 0) {
          this.#bodyEnded();
          return at;
        }
      } else {
        const byte = bytes[at++] as number;
        this.#bytes++;
        if (byte === LF && this.#sawReturn) {
          if (this.#lineEnded(bytes, at, end)) return at;
        } else if (byte === CR) {
          this.#sawReturn = true;
        } else {
          this.#sawReturn = false;
          this.#lineByte(byte, bytes, at - 1, end);
        }
      }
    }
    return at;
  }

  #lineByte(byte: number, bytes: Uint8Array, at: number, end: number): void {
    const type = this.#lineType;
    switch (LINES[type]) {
      case LINE.words:
        return;
      case LINE.error:
        this.#word.add(byte);
        return;
      case LINE.truth:
        this.#number = byte === LETTER_T ? 1 : 0;
        return;
      case LINE.number:
        break;
      default:
        throw new ReplyInvalid(beginning(bytes, at, end));
    }
    if (byte === MINUS && this.#digits === 0 && !this.#negative) {
      this.#negative = true;
    } else if (byte >= ZERO && byte <= NINE) {
      this.#digits++;
      // Integers past 2^53 are replies like others; only that they are not zero matters here.
      if (this.#digits <= MOST_DIGITS) this.#number = this.#number * 10 + byte - ZERO;
      else if (type !== COLON) throw new ReplyInvalid(beginning(bytes, at, end));
    } else {
      throw new ReplyInvalid(beginning(bytes, at, end));
    }
  }

  /** True when the line was all there is for now; false when a body follows. */
  #lineEnded(bytes: Uint8Array, at: number, end: number): boolean {
    const type = this.#lineType;
    const value = type === UNDERSCORE ? -1 : this.#negative ? -this.#number : this.#number;
    const opens = type === STAR || type === PERCENT || type === TILDE || type === GREATER || type === BAR;
    if ((type === GREATER || type === BAR) && this.#aside === 0) {
      if (type === GREATER && this.#depth > 0) throw new ReplyInvalid(beginning(bytes, at - 1, end));
    } else {
      this.#valueBegan(type, value);
    }
    if ((type === DOLLAR || type === EQUALS || type === BANG) && value >= 0) {
      this.#state = STATE.body;
      this.#skip = value + 2;
      if (type === DOLLAR && this.#wantsBody) this.#sink.bodyBegins(value);
      return false;
    }
    if (opens && value > 0) {
      this.#open(type, type === PERCENT || type === BAR ? 2 * value : value);
    } else if (type === GREATER || type === BAR) {
      this.#state = STATE.start;
    } else {
      if (type === MINUS) this.#errorEnded();
      this.#valueEnded();
    }
    return true;
  }

  #valueBegan(type: number, value: number): void {
    if (this.#aside > 0) return;
    if (this.#depth === 0) {
      this.#type = type;
      this.#value = value;
    }
    if (this.#items) this.#sink.item(this.#depth, type, value);
  }

  #open(type: number, values: number): void {
    if (this.#depth === MOST_LEVELS) throw new ReplyInvalid(`collections in each other, ${MOST_LEVELS} deep`);
    this.#state = STATE.start;
    this.#depth++;
    this.#left[this.#depth] = values;
    this.#collections[this.#depth] = type;
    if (type === GREATER || type === BAR) this.#aside++;
  }

  /** Whether the string at hand is one whose bytes are wanted. */
  get #wantsBody(): boolean {
    return this.#bodies && this.#aside === 0 && (this.#depth === 0 || this.#items);
  }

  #bodyPart(bytes: Uint8Array, start: number, end: number): void {
    if (this.#lineType === DOLLAR) {
      if (this.#wantsBody) this.#sink.body(bytes, start, end);
    } else if (this.#lineType === BANG) {
      for (let at = start; at < end; at++) this.#word.add(bytes[at] as number);
    }
  }

  #bodyEnded(): void {
    if (this.#lineType === BANG) this.#errorEnded();
    else if (this.#lineType === DOLLAR && this.#wantsBody) this.#sink.bodyEnds();
    this.#valueEnded();
  }

  #errorEnded(): void {
    if (this.#items && this.#depth > 0 && this.#aside === 0) this.#sink.errorInside(this.#word.text);
  }

  #valueEnded(): void {
    this.#state = STATE.start;
    while (this.#depth > 0) {
      const left = (this.#left[this.#depth] as number) - 1;
      this.#left[this.#depth] = left;
      if (left > 0) return;
      const type = this.#collections[this.#depth];
      this.#depth--;
      if (type === GREATER || type === BAR) {
        // Neither is a value: what it stands before is still to come.
        this.#aside--;
        return;
      }
    }
    const bytes = this.#bytes;
    this.#bytes = 0;
    if (this.#type === MINUS || this.#type === BANG) this.#sink.error(this.#word.text, bytes);
    else this.#sink.reply(this.#type, this.#value, bytes);
  }
}
