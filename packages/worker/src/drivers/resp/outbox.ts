import { MARK_BYTES, TEXT_BYTES } from '../../engine/value-source.js';
import type { Connection } from './connection.js';

/** Collects the commands of one write. */
export interface OutBuffer {
  readonly length: number;
  from(start: number): Buffer;
  clear(): void;
}

/** Two buffers in turn: one is being filled while the other may still be on its way out. */
export class Outbox<B extends OutBuffer> {
  /** The one that is being filled. */
  buffer: B;
  /** Both are on their way out: sending goes on once they have left. */
  isBlocked = false;
  readonly #make: () => B;
  #other: B;
  #otherIsOut = false;
  /** Where the part of the buffer begins that was not handed to the socket yet. */
  #segmentStart = 0;
  #isCorked = false;

  constructor(make: () => B) {
    this.#make = make;
    this.buffer = make();
    this.#other = make();
  }

  /** Sends what is in the buffer, and has an empty one in its place unless both are on their way out. */
  flush(connection: Connection): void {
    const { buffer } = this;
    connection.write(buffer.from(this.#segmentStart));
    if (this.#isCorked) {
      this.#isCorked = false;
      connection.uncork();
    }
    this.#segmentStart = 0;
    if (connection.isFlushed) {
      buffer.clear();
    } else if (this.#otherIsOut) {
      this.isBlocked = true;
    } else {
      this.#otherIsOut = true;
      this.buffer = this.#other;
      this.#other = buffer;
      this.buffer.clear();
    }
  }

  /**
   * Sends the buffer so far and the rest of a large value, from its mark on, out of the shared text itself, without
   * copying it. What is added after it leaves with `flush`.
   */
  sendShared(connection: Connection, text: Uint8Array, valueBytes: number): void {
    if (!this.#isCorked) {
      this.#isCorked = true;
      connection.cork();
    }
    const { buffer } = this;
    connection.write(buffer.from(this.#segmentStart));
    for (let at = MARK_BYTES; at < valueBytes; ) {
      const start = at % TEXT_BYTES;
      const length = Math.min(valueBytes - at, TEXT_BYTES - start);
      connection.write(text.subarray(start, start + length));
      at += length;
    }
    this.#segmentStart = buffer.length;
  }

  /** All has left. True if sending was blocked and goes on now. */
  written(): boolean {
    this.#otherIsOut = false;
    if (!this.isBlocked) return false;
    this.isBlocked = false;
    this.buffer.clear();
    this.#segmentStart = 0;
    return true;
  }

  /** The socket of a cut connection may still hold what it had to send: a new one begins with buffers of its own. */
  renew(): void {
    this.#segmentStart = 0;
    this.#isCorked = false;
    if (this.isBlocked || this.#otherIsOut) {
      this.buffer = this.#make();
      this.#other = this.#make();
    }
    this.isBlocked = false;
    this.#otherIsOut = false;
    this.buffer.clear();
  }
}
