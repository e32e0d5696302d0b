import { type SharedText, TEXT_BYTES } from '../../engine/shared-text.js';
import { MARK_BYTES } from '../../engine/value-source.js';
import type { Connection } from './connection.js';

/** Collects the commands of one write. */
export interface OutBuffer {
  readonly length: number;
  from(start: number): Buffer;
  clear(): void;
}

/**
 * Buffers that are used over and over by all connections of a workload. Nearly every write leaves at once, and then the
 * next connection fills the same buffer: it stays in the processor's cache, with the commands that stand in it.
 */
export class BufferPool<B extends OutBuffer> {
  readonly #make: () => B;
  readonly #free: B[] = [];

  constructor(make: () => B) {
    this.#make = make;
  }

  /** An empty one. */
  take(): B {
    return this.#free.pop() ?? this.#make();
  }

  give(buffer: B): void {
    buffer.clear();
    this.#free.push(buffer);
  }
}

/** So many buffers of one connection may be on their way out; with more to say, it waits. */
const MOST_OUT = 2;

/** What one connection sends: a buffer that is being filled, and those that are still on their way out. */
export class Outbox<B extends OutBuffer> {
  /** Nothing can be sent now: that goes on once all has left. */
  isBlocked = false;
  readonly #pool: BufferPool<B>;
  #filling: B | null = null;
  readonly #out: B[] = [];
  /** Where the part of the buffer begins that was not handed to the socket yet. */
  #segmentStart = 0;
  #isCorked = false;

  constructor(pool: BufferPool<B>) {
    this.#pool = pool;
  }

  /** The one that is being filled. */
  get buffer(): B {
    this.#filling ??= this.#pool.take();
    return this.#filling;
  }

  /** Sends what is in the buffer, if there is something. */
  flush(connection: Connection): void {
    const buffer = this.#filling;
    if (buffer === null) return;
    this.#filling = null;
    connection.write(buffer.from(this.#segmentStart));
    if (this.#isCorked) {
      this.#isCorked = false;
      connection.uncork();
    }
    this.#segmentStart = 0;
    if (connection.isFlushed) {
      this.#pool.give(buffer);
    } else {
      this.#out.push(buffer);
      this.isBlocked = this.#out.length === MOST_OUT;
    }
  }

  /**
   * Sends the buffer so far and the rest of a large value, from its mark on, out of the shared text itself, without
   * copying it. What is added after it leaves with `flush`.
   */
  sendShared(connection: Connection, shared: SharedText, valueBytes: number): void {
    const text = shared.upTo(valueBytes);
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
    for (const buffer of this.#out) this.#pool.give(buffer);
    this.#out.length = 0;
    const wasBlocked = this.isBlocked;
    this.isBlocked = false;
    return wasBlocked;
  }

  /** A new connection begins. The socket of the last one may still hold what it had to send: nobody else gets that. */
  renew(): void {
    this.#filling = null;
    this.#out.length = 0;
    this.#segmentStart = 0;
    this.#isCorked = false;
    this.isBlocked = false;
  }
}
