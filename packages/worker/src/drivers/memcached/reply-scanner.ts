import { beginning, CR, LF, ReplyInvalid } from '../wire/reply-invalid.js';
import { errorKind, OUTCOME, type ReplySink } from './reply.js';

const SPACE = 32;
const ZERO = 48;
const NINE = 57;
const [A, D, E, F, H, L, M, N, S, U, V, X] = Buffer.from('ADEFHLMNSUVX') as unknown as number[];

/** Errors are sentences; a key has 250 bytes at most. */
const LINE_BYTES = 2_048;
/** More digits than any length has. */
const MOST_DIGITS = 10;

/** Lines of the text protocol that are one word, by their first letter. */
const WORDS: readonly (readonly [word: Uint8Array, outcome: number])[] = [
  [Buffer.from('STORED'), OUTCOME.done],
  [Buffer.from('END'), OUTCOME.read],
  [Buffer.from('DELETED'), OUTCOME.done],
  [Buffer.from('TOUCHED'), OUTCOME.done],
  [Buffer.from('NOT_FOUND'), OUTCOME.notFound],
  [Buffer.from('NOT_STORED'), OUTCOME.notStored],
  [Buffer.from('EXISTS'), OUTCOME.exists],
  [Buffer.from('OK'), OUTCOME.done],
];

/** Where a reply was cut by the end of a read. */
const STATE = { start: 0, line: 1, value: 2 } as const;

/**
 * Walks over replies of both protocols without making anything of them: lengths are read, values are skipped. A reply
 * may be cut anywhere by the end of a read, and goes on with the next.
 */
export class ReplyScanner {
  readonly #sink: ReplySink;
  readonly #wantsValues: boolean;
  #state: number = STATE.start;
  /** The beginning of a line that was cut. */
  readonly #line = Buffer.alloc(LINE_BYTES);
  #lineLength = 0;
  /** Of the reply at hand, in the lines and values that are over. */
  #bytes = 0;
  #items = 0;
  /** Of the value at hand, without and with its CR LF. */
  #left = 0;
  #skip = 0;
  /** The value at hand is all of the reply: that is so in the meta protocol. */
  #isWhole = false;

  constructor(sink: ReplySink, { values }: { readonly values: boolean }) {
    this.#sink = sink;
    this.#wantsValues = values;
  }

  /** A new connection begins with a new reply. */
  reset(): void {
    this.#state = STATE.start;
    this.#lineLength = 0;
    this.#bytes = 0;
    this.#items = 0;
  }

  /** Scans `bytes[start .. end]`. Throws ReplyInvalid; nothing may be scanned after that but what follows `reset`. */
  scan(bytes: Uint8Array, start: number, end: number): void {
    let at = start;
    if (this.#state !== STATE.start) at = this.#resume(bytes, at, end);
    while (at < end) {
      const next = this.#common(bytes, at, end);
      at = next > at ? next : this.#anyLine(bytes, at, end);
    }
  }

  /** A common reply that stands whole in the read; returns where it ends, or `at` if it is none. */
  #common(bytes: Uint8Array, at: number, end: number): number {
    if (at + 4 > end) return at;
    const first = bytes[at] as number;
    const second = bytes[at + 1] as number;
    if (first === V) return second === A ? this.#wholeMeta(bytes, at, end) : this.#wholeText(bytes, at, end);
    if (bytes[at + 2] !== CR || bytes[at + 3] !== LF) return at;
    const outcome = metaOutcome(first, second);
    if (outcome < 0) return at;
    this.#end(outcome, 4);
    return at + 4;
  }

  /** `VA length CR LF value CR LF`. */
  #wholeMeta(bytes: Uint8Array, at: number, end: number): number {
    let next = at + 3;
    let byte = next < end ? (bytes[next] as number) : 0;
    let length = 0;
    while (byte >= ZERO && byte <= NINE) {
      length = length * 10 + byte - ZERO;
      next++;
      byte = next < end ? (bytes[next] as number) : 0;
    }
    const value = next + 2;
    const after = value + length + 2;
    if (byte !== CR || bytes[at + 2] !== SPACE || next === at + 3 || next - at > MOST_DIGITS + 3) return at;
    if (after > end) return at;
    this.#wholeValue(length, bytes, at, value);
    this.#end(OUTCOME.read, after - at);
    return after;
  }

  /** `VALUE key flags length CR LF value CR LF END CR LF`. */
  #wholeText(bytes: Uint8Array, at: number, end: number): number {
    // A blank ends the key, the flags; both are skipped.
    let next = at + 6;
    while (next < end && bytes[next] !== SPACE) next++;
    next++;
    while (next < end && bytes[next] !== SPACE) next++;
    const digits = ++next;
    let byte = next < end ? (bytes[next] as number) : 0;
    let length = 0;
    while (byte >= ZERO && byte <= NINE) {
      length = length * 10 + byte - ZERO;
      next++;
      byte = next < end ? (bytes[next] as number) : 0;
    }
    const value = next + 2;
    const after = value + length + 2;
    if (byte !== CR || next === digits || next - digits > MOST_DIGITS || after + 5 > end) return at;
    if (bytes[at + 4] !== E || bytes[at + 5] !== SPACE || !isEnd(bytes, after)) return at;
    this.#wholeValue(length, bytes, at, value);
    this.#end(OUTCOME.read, after + 5 - at);
    return after + 5;
  }

  #wholeValue(length: number, bytes: Uint8Array, at: number, value: number): void {
    const end = value + length;
    if (bytes[end] !== CR || bytes[end + 1] !== LF)
      throw new ReplyInvalid(beginning(bytes, at, bytes.length));
    this.#items++;
    if (!this.#wantsValues) return;
    this.#sink.valueBegins(length, bytes, at, value - 2);
    this.#sink.value(bytes, value, end);
    this.#sink.valueEnds();
  }

  /** Goes on with what was cut; returns where it ended or the read did. */
  #resume(bytes: Uint8Array, start: number, end: number): number {
    return this.#isInValue ? this.#valuePart(bytes, start, end) : this.#anyLine(bytes, start, end);
  }

  get #isInValue(): boolean {
    return this.#state === STATE.value;
  }

  /** Any line; its beginning may have come with an earlier read. */
  #anyLine(bytes: Uint8Array, start: number, end: number): number {
    const found = bytes.indexOf(LF, start);
    const lineEnd = found < 0 || found >= end ? end : found + 1;
    if (lineEnd - start + this.#lineLength > LINE_BYTES) throw new ReplyInvalid(beginning(bytes, start, end));
    if (lineEnd === end && bytes[end - 1] !== LF) {
      this.#line.set(bytes.subarray(start, end), this.#lineLength);
      this.#lineLength += end - start;
      this.#state = STATE.line;
      return end;
    }
    this.#state = STATE.start;
    if (this.#lineLength === 0) {
      this.#wholeLine(bytes, start, lineEnd);
    } else {
      this.#line.set(bytes.subarray(start, lineEnd), this.#lineLength);
      const length = this.#lineLength + lineEnd - start;
      this.#lineLength = 0;
      this.#wholeLine(this.#line, 0, length);
    }
    // It may have been one behind which a value stands.
    return this.#isInValue && lineEnd < end ? this.#valuePart(bytes, lineEnd, end) : lineEnd;
  }

  /** The line `bytes[at .. next]`, its end included. */
  #wholeLine(bytes: Uint8Array, at: number, next: number): void {
    const end = next - 2;
    const length = end - at;
    if (length < 1 || bytes[end] !== CR) throw new ReplyInvalid(beginning(bytes, at, next));
    const first = bytes[at] as number;
    if (first === V) {
      this.#valueLine(bytes, at, end);
      return;
    }
    if (length === 2 || (length > 2 && bytes[at + 2] === SPACE)) {
      const outcome = metaOutcome(first, bytes[at + 1] as number);
      if (outcome >= 0) {
        this.#end(outcome, next - at);
        return;
      }
    }
    for (const [word, outcome] of WORDS) {
      if (word.length !== length || !isWord(bytes, at, word)) continue;
      this.#end(outcome, next - at);
      return;
    }
    if (isNumber(bytes, at, end)) this.#end(OUTCOME.done, next - at);
    else this.#errorLine(bytes, at, end);
  }

  #errorLine(bytes: Uint8Array, at: number, end: number): void {
    const kind = errorKind(Buffer.from(bytes.subarray(at, end)).toString('latin1'));
    if (kind === null) throw new ReplyInvalid(beginning(bytes, at, end));
    const size = this.#bytes + end + 2 - at;
    this.#bytes = 0;
    this.#items = 0;
    this.#sink.error(kind, size);
  }

  /** `VA length flags` or `VALUE key flags length cas`: a value follows. */
  #valueLine(bytes: Uint8Array, at: number, end: number): void {
    const isMeta = bytes[at + 1] === A && bytes[at + 2] === SPACE;
    const isText = bytes[at + 1] === A && bytes[at + 2] === L && bytes[at + 3] === U && bytes[at + 4] === E;
    let next = isMeta ? at + 3 : skipWord(bytes, skipWord(bytes, skipWord(bytes, at, end), end), end);
    const digits = next;
    let length = 0;
    for (; next < end && next - digits < MOST_DIGITS; next++) {
      const byte = bytes[next] as number;
      if (byte < ZERO || byte > NINE) break;
      length = length * 10 + byte - ZERO;
    }
    const isOver = next === end || bytes[next] === SPACE;
    if (!(isMeta || isText) || next === digits || !isOver) throw new ReplyInvalid(beginning(bytes, at, end));
    this.#bytes += end + 2 - at;
    this.#isWhole = isMeta;
    this.#left = length;
    this.#skip = length + 2;
    this.#state = STATE.value;
    if (this.#wantsValues) this.#sink.valueBegins(length, bytes, at, end);
  }

  #valuePart(bytes: Uint8Array, start: number, end: number): number {
    const part = Math.min(this.#skip, end - start);
    const own = Math.min(this.#left, part);
    if (own > 0 && this.#wantsValues) this.#sink.value(bytes, start, start + own);
    // What ends the value may be cut as well.
    for (let index = own; index < part; index++)
      if (bytes[start + index] !== (this.#skip - index === 2 ? CR : LF))
        throw new ReplyInvalid(beginning(bytes, start + index, end));
    this.#left -= own;
    this.#skip -= part;
    this.#bytes += part;
    if (this.#skip > 0) return end;
    this.#state = STATE.start;
    this.#items++;
    if (this.#wantsValues) this.#sink.valueEnds();
    if (this.#isWhole) this.#end(OUTCOME.read, 0);
    return start + part;
  }

  #end(outcome: number, lineBytes: number): void {
    const items = this.#items;
    const bytes = this.#bytes + lineBytes;
    this.#items = 0;
    this.#bytes = 0;
    this.#sink.reply(outcome, items, bytes);
  }
}

/** The outcome that two letters say in the meta protocol; -1: none. */
function metaOutcome(first: number, second: number): number {
  if (first === H) return second === D ? OUTCOME.done : -1;
  if (first === E) return second === N ? OUTCOME.read : second === X ? OUTCOME.exists : -1;
  if (first === N) return second === F ? OUTCOME.notFound : second === S ? OUTCOME.notStored : -1;
  return first === M && second === N ? OUTCOME.noOperation : -1;
}

function isEnd(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === E &&
    bytes[at + 1] === N &&
    bytes[at + 2] === D &&
    bytes[at + 3] === CR &&
    bytes[at + 4] === LF
  );
}

function isWord(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let index = 0; index < word.length; index++) if (bytes[at + index] !== word[index]) return false;
  return true;
}

function isNumber(bytes: Uint8Array, at: number, end: number): boolean {
  for (let index = at; index < end; index++) {
    const byte = bytes[index] as number;
    // A counter that got shorter is padded with blanks.
    if ((byte < ZERO || byte > NINE) && !(byte === SPACE && index > at)) return false;
  }
  return true;
}

/** Where the next word begins. */
function skipWord(bytes: Uint8Array, at: number, end: number): number {
  let next = at;
  while (next < end && bytes[next] !== SPACE) next++;
  return next + 1;
}
