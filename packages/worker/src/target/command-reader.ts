/** What one connection may make the target hold: Redis' own bound for a bulk string, and a lot for the rest. */
const BULK_BYTES = 512 * 1024 * 1024;
const ARGUMENTS = 1024 * 1024;
const INLINE_BYTES = 64 * 1024;
const COMMAND_BYTES = BULK_BYTES + 1024 * 1024;

const CR = 13;
const LF = 10;
const SPACE = 32;
const DOLLAR = 36;
const ZERO = 48;
const NINE = 57;
const STAR = 42;
const NOTHING = Buffer.alloc(0);

/** What a client sent is not RESP, or past a bound; the text is the error reply, and the connection ends. */
export class CommandInvalid extends Error {}

/** Receives one command: argument i is `bytes[bounds[2 * i] .. bounds[2 * i + 1]]`, valid only during the call. */
export type CommandHandler = (bytes: Buffer, bounds: readonly number[], argumentCount: number) => void;

/**
 * Cuts a stream of bytes into commands, as arrays of bulk strings or inline. Nothing is copied unless a command is
 * split over reads; then its bytes are collected, and parsing waits until enough of them are there.
 */
export class CommandReader {
  readonly #handler: CommandHandler;
  readonly #bounds: number[] = [];
  #held = Buffer.alloc(0);
  #heldBytes = 0;
  /** Bytes from the start of the held command without which another try is pointless. */
  #neededBytes = 0;
  /** Where the line or command that was just parsed ends. */
  #at = 0;
  #isPaused = false;

  constructor(handler: CommandHandler) {
    this.#handler = handler;
  }

  /** From within the handler: what comes after this command is kept for `resume`. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Goes on with what was kept. Throws CommandInvalid. */
  resume(): void {
    this.#isPaused = false;
    this.feed(NOTHING);
  }

  /** Calls the handler for each whole command. Throws CommandInvalid. */
  feed(chunk: Buffer): void {
    if (this.#isPaused) {
      this.#hold(chunk, 0);
      return;
    }
    if (this.#heldBytes === 0) {
      const rest = this.#parse(chunk, chunk.length);
      if (rest < chunk.length) this.#hold(chunk, rest);
      return;
    }
    this.#hold(chunk, 0);
    if (this.#heldBytes < this.#neededBytes) return;
    const held = this.#held;
    const length = this.#heldBytes;
    this.#heldBytes = 0;
    const rest = this.#parse(held, length);
    if (rest < length) {
      held.copyWithin(0, rest, length);
      this.#heldBytes = length - rest;
    } else if (held.length > INLINE_BYTES) {
      this.#held = Buffer.alloc(0);
    }
  }

  #hold(chunk: Buffer, from: number): void {
    const length = this.#heldBytes + chunk.length - from;
    if (length > COMMAND_BYTES) throw new CommandInvalid('ERR Protocol error: a command is too long');
    if (length > this.#held.length) {
      // Doubling, so that only what has really arrived is ever held.
      const grown = Buffer.allocUnsafe(Math.max(length, Math.min(this.#held.length * 2, COMMAND_BYTES)));
      this.#held.copy(grown, 0, 0, this.#heldBytes);
      this.#held = grown;
    }
    chunk.copy(this.#held, this.#heldBytes, from);
    this.#heldBytes = length;
  }

  /** Handles every whole command and returns where the first unfinished one begins. */
  #parse(bytes: Buffer, end: number): number {
    let start = 0;
    while (start < end) {
      this.#at = start;
      this.#neededBytes = 0;
      const whole = bytes[start] === STAR ? this.#parseArray(bytes, end) : this.#parseInline(bytes, end);
      if (whole < 0) {
        this.#neededBytes = Math.max(0, this.#neededBytes - start);
        return start;
      }
      if (whole > 0) this.#handler(bytes, this.#bounds, whole);
      start = this.#at;
      if (this.#isPaused) break;
    }
    return start;
  }

  /** Number of arguments, 0 for an empty command, -1 when it is not whole yet. */
  #parseArray(bytes: Buffer, end: number): number {
    this.#at++;
    const count = this.#parseNumber(bytes, end);
    if (count === null) return -1;
    if (count > ARGUMENTS) throw new CommandInvalid('ERR Protocol error: invalid multibulk length');
    const bounds = this.#bounds;
    for (let index = 0; index < count; index++) {
      if (this.#at >= end) return -1;
      if (bytes[this.#at] !== DOLLAR) {
        const found = String.fromCharCode(bytes[this.#at] as number);
        throw new CommandInvalid(`ERR Protocol error: expected '$', got '${printable(found)}'`);
      }
      this.#at++;
      const length = this.#parseNumber(bytes, end);
      if (length === null) return -1;
      if (length < 0 || length > BULK_BYTES)
        throw new CommandInvalid('ERR Protocol error: invalid bulk length');
      const from = this.#at;
      if (from + length + 2 > end) {
        this.#neededBytes = from + length + 2;
        return -1;
      }
      bounds[2 * index] = from;
      bounds[2 * index + 1] = from + length;
      this.#at = from + length + 2;
    }
    return Math.max(0, count);
  }

  /** The number up to CR LF, or null when the line is not whole yet. */
  #parseNumber(bytes: Buffer, end: number): number | null {
    let at = this.#at;
    let value = 0;
    let negative = false;
    if (at < end && bytes[at] === 45) {
      negative = true;
      at++;
    }
    const first = at;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte === CR) {
        if (at === first) break;
        if (at + 1 >= end) return null;
        if (bytes[at + 1] !== LF) break;
        this.#at = at + 2;
        return negative ? -value : value;
      }
      if (byte < ZERO || byte > NINE || at - first > 10) break;
      value = value * 10 + byte - ZERO;
      at++;
    }
    if (at >= end) return null;
    throw new CommandInvalid('ERR Protocol error: invalid length');
  }

  #parseInline(bytes: Buffer, end: number): number {
    const newline = bytes.indexOf(LF, this.#at);
    const lineEnd = newline < 0 || newline >= end ? -1 : newline;
    if ((lineEnd < 0 ? end : lineEnd) - this.#at > INLINE_BYTES)
      throw new CommandInvalid('ERR Protocol error: too big inline request');
    if (lineEnd < 0) return -1;
    const stop = bytes[lineEnd - 1] === CR && lineEnd > this.#at ? lineEnd - 1 : lineEnd;
    let count = 0;
    let at = this.#at;
    while (at < stop) {
      while (at < stop && bytes[at] === SPACE) at++;
      if (at >= stop) break;
      this.#bounds[2 * count] = at;
      while (at < stop && bytes[at] !== SPACE) at++;
      this.#bounds[2 * count + 1] = at;
      count++;
    }
    this.#at = lineEnd + 1;
    return count;
  }
}

function printable(text: string): string {
  return /[ -~]/.test(text) ? text : '?';
}
