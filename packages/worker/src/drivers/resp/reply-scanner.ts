const CR = 13;
const LF = 10;
const PLUS = 43;
const MINUS = 45;
const COLON = 58;
const DOLLAR = 36;
const STAR = 42;
const ZERO = 48;
const ONE = 49;
const NINE = 57;
const SPACE = 32;
const LETTER_O = 79;
const LETTER_K = 75;

/** Longest first word of an error that is kept. */
const WORD_BYTES = 40;
/** More digits than any length or count has that is not past 2^53. */
const MOST_DIGITS = 15;

/** What was received is not RESP2. `seen` is its beginning, printable, for a person. */
export class ReplyInvalid extends Error {}

/** Receives whole replies, in order. `bytes` is the size of the reply on the wire. */
export interface ReplySink {
  /**
   * `type` is the byte that a reply begins with. `value` is what says whether something was there: the integer, the
   * length of a bulk string or array (-1: nil), 0 for a simple string.
   */
  reply(type: number, value: number, bytes: number): void;
  /** An error reply; `word` is its first word. */
  error(word: string, bytes: number): void;
  /** Only if `wantsBodies`: a bulk string of `length` bytes comes, and then its bytes, in pieces. */
  bodyBegins(length: number): void;
  body(bytes: Uint8Array, start: number, end: number): void;
}

/** Where a reply was cut by the end of a read. */
const STATE = { start: 0, line: 1, body: 2 } as const;

/**
 * Walks over RESP2 replies without making anything of them: lengths are read, values are skipped. A reply may be cut
 * anywhere by the end of a read, and goes on with the next. Arrays may be nested: `#open` counts the values still to
 * come, each array adding its length. `#type` is 0 between replies.
 */
export class ReplyScanner {
  readonly #sink: ReplySink;
  readonly #wantsBodies: boolean;
  #state: number = STATE.start;
  /** Values to come until the reply at hand is whole. */
  #open = 1;
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
  #word = '';
  #wordEnded = false;
  /** Of the bulk string at hand, with its CR LF. */
  #skip = 0;
  #failed = false;

  constructor(sink: ReplySink, wantsBodies: boolean) {
    this.#sink = sink;
    this.#wantsBodies = wantsBodies;
  }

  /** A new connection begins with a new reply. */
  reset(): void {
    this.#state = STATE.start;
    this.#open = 1;
    this.#type = 0;
    this.#bytes = 0;
    this.#failed = false;
  }

  /** Whether a reply has begun and is not whole. */
  get isMidway(): boolean {
    return this.#state !== STATE.start || this.#type !== 0;
  }

  /** Scans `bytes[start .. end]`. Throws ReplyInvalid; nothing may be scanned after that but what follows `reset`. */
  scan(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    if (this.#state !== STATE.start) at = this.#resume(bytes, at, end);
    const sink = this.#sink;
    const bodies = this.#wantsBodies;
    while (at < end) {
      const type = bytes[at] as number;
      // The common replies, whole and by themselves, without a call for anything but the result.
      if (this.#type === 0) {
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
            if (bodies) {
              sink.bodyBegins(length);
              sink.body(bytes, next + 2, after - 2);
            }
            sink.reply(DOLLAR, length, after - at);
            at = after;
            continue;
          }
          if (
            byte === MINUS &&
            at + 5 <= end &&
            bytes[at + 2] === ONE &&
            bytes[at + 3] === CR &&
            bytes[at + 4] === LF
          ) {
            sink.reply(DOLLAR, -1, 5);
            at += 5;
            continue;
          }
        } else if (
          type === PLUS &&
          at + 5 <= end &&
          bytes[at + 1] === LETTER_O &&
          bytes[at + 2] === LETTER_K &&
          bytes[at + 3] === CR &&
          bytes[at + 4] === LF
        ) {
          sink.reply(PLUS, 0, 5);
          at += 5;
          continue;
        } else if (type === COLON && at + 4 <= end && bytes[at + 2] === CR && bytes[at + 3] === LF) {
          const digit = (bytes[at + 1] as number) - ZERO;
          if (digit >= 0 && digit <= 9) {
            sink.reply(COLON, digit, 4);
            at += 4;
            continue;
          }
        }
      }
      this.#beginLine(type, bytes, at, end);
      at = this.#resume(bytes, at + 1, end);
    }
  }

  #beginLine(type: number, bytes: Uint8Array, at: number, end: number): void {
    if (type !== DOLLAR && type !== COLON && type !== STAR && type !== PLUS && type !== MINUS)
      throw new ReplyInvalid(beginning(bytes, at, end));
    this.#state = STATE.line;
    this.#lineType = type;
    this.#bytes++;
    this.#number = 0;
    this.#digits = 0;
    this.#negative = false;
    this.#sawReturn = false;
    this.#word = '';
    this.#wordEnded = false;
  }

  /** Goes on with a line or a body; returns where it ended or the read did. */
  #resume(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      if (this.#state === STATE.body) {
        const part = Math.min(this.#skip, end - at);
        if (this.#wantsBodies && this.#type === DOLLAR && this.#skip > 2) {
          const bodyEnd = at + Math.min(part, this.#skip - 2);
          this.#sink.body(bytes, at, bodyEnd);
        }
        this.#skip -= part;
        this.#bytes += part;
        at += part;
        if (this.#skip === 0) {
          this.#valueEnded();
          return at;
        }
      } else {
        const byte = bytes[at++] as number;
        this.#bytes++;
        if (byte === LF && this.#sawReturn) {
          if (this.#lineEnded()) return at;
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
    if (type === PLUS) return;
    if (type === MINUS) {
      if (byte === SPACE) this.#wordEnded = true;
      if (!this.#wordEnded && this.#word.length < WORD_BYTES) this.#word += String.fromCharCode(byte);
      return;
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

  /** True when the value is whole; false when a body follows. */
  #lineEnded(): boolean {
    const type = this.#lineType;
    const value = this.#negative ? -this.#number : this.#number;
    const isOutermost = this.#type === 0;
    if (isOutermost) {
      this.#type = type;
      this.#value = value;
      this.#failed = type === MINUS;
    }
    if (type === DOLLAR && value >= 0) {
      this.#state = STATE.body;
      this.#skip = value + 2;
      if (this.#wantsBodies && isOutermost) this.#sink.bodyBegins(value);
      return false;
    }
    if (type === STAR && value > 0) this.#open += value;
    this.#valueEnded();
    return true;
  }

  #valueEnded(): void {
    this.#state = STATE.start;
    this.#open--;
    if (this.#open > 0) return;
    const bytes = this.#bytes;
    const type = this.#type;
    this.#open = 1;
    this.#type = 0;
    this.#bytes = 0;
    if (this.#failed) {
      this.#failed = false;
      this.#sink.error(this.#word, bytes);
    } else {
      this.#sink.reply(type, this.#value, bytes);
    }
  }
}

/** The first bytes of what was received, for an error message. */
function beginning(bytes: Uint8Array, at: number, end: number): string {
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
