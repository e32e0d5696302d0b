import { Worker } from 'node:worker_threads';
import { type Event, systemReason } from '@pacecar/protocol';
import type { FrameEntry, RecordOptions } from './bundle-record.js';
import type { LiveFigures } from './live-intervals.js';
import type { RecordedFrame, RecordReply, RecordRequest } from './record-thread.js';

export type { RecordedFrame };

/**
 * Frames that wait for the disk. A thousand workers with 10 KB a second fill this in half a minute; a disk that is
 * so far behind will not catch up, and the run is better ended than its statistics lost.
 */
const MOST_WAITING_BYTES = 256 * 1024 * 1024;

export interface RecordListener {
  frameRecorded(frame: RecordedFrame): void;
  /** A frame that must not be recorded, and the connection that sent it. */
  frameRefused(connection: number, reason: string): void;
  /** About once a second. */
  figures(figures: LiveFigures): void;
  /** Once: nothing more is recorded. */
  recordFailed(reason: string): void;
}

/** The coordinator's end of the record thread. Nothing here waits for the disk. */
export class RecordPort {
  readonly #thread: Worker;
  readonly #listener: RecordListener;
  readonly #mostWaitingBytes: number;
  readonly #ended: Promise<void>;
  #waitingBytes = 0;
  #failure: string | null = null;
  #closed = false;

  constructor(options: RecordOptions, listener: RecordListener, mostWaitingBytes = MOST_WAITING_BYTES) {
    this.#listener = listener;
    this.#mostWaitingBytes = mostWaitingBytes;
    this.#thread = new Worker(new URL('./record-thread.js', import.meta.url), { workerData: options });
    this.#thread.on('message', (reply: RecordReply) => this.#take(reply));
    this.#thread.on('error', (thrown) => this.#fail(`the record thread ended: ${systemReason(thrown)}`));
    this.#ended = new Promise((resolve) => {
      this.#thread.on('exit', () => {
        if (!this.#closed) this.#fail('the record thread ended before its work was done');
        resolve();
      });
    });
  }

  frame(entry: Omit<FrameEntry, 'kind'>): void {
    if (this.#failure !== null) return;
    this.#waitingBytes += entry.bytes.length;
    if (this.#waitingBytes > this.#mostWaitingBytes)
      this.#fail(
        `${this.#waitingBytes} bytes of statistics wait for the disk, at most ${this.#mostWaitingBytes}: it is too slow`,
      );
    else {
      // A received frame is a view into a larger pool, all of which would be copied: send a block of its own.
      const bytes = new Uint8Array(entry.bytes);
      const request: RecordRequest = { kind: 'frame', ...entry, bytes };
      this.#thread.postMessage(request, [bytes.buffer]);
    }
  }

  /** Appends to a text file of the bundle. */
  log(path: string, text: string): void {
    this.#post({ kind: 'log', path, text });
  }

  event(event: Event): void {
    this.#post({ kind: 'event', event });
  }

  /** Resolves when everything is on disk and the thread is gone, or `withinMs` has passed. null: nothing was lost. */
  async close(withinMs: number): Promise<string | null> {
    this.#post({ kind: 'close' });
    const timer = setTimeout(() => {
      this.#fail(`the disk did not take the rest of the record within ${withinMs} ms`);
      void this.#thread.terminate();
    }, withinMs);
    await this.#ended;
    clearTimeout(timer);
    return this.#failure;
  }

  #post(request: RecordRequest): void {
    this.#thread.postMessage(request, []);
  }

  #take(reply: RecordReply): void {
    switch (reply.kind) {
      case 'recorded':
        for (const frame of reply.frames) this.#listener.frameRecorded(frame);
        break;
      case 'refused':
        this.#listener.frameRefused(reply.connection, reply.reason);
        break;
      case 'taken':
        this.#waitingBytes -= reply.bytes;
        break;
      case 'figures':
        this.#listener.figures(reply.figures);
        break;
      case 'failed':
        this.#fail(reply.reason);
        break;
      case 'closed':
        this.#closed = true;
        break;
    }
  }

  #fail(reason: string): void {
    if (this.#failure !== null) return;
    this.#failure = reason;
    this.#listener.recordFailed(reason);
  }
}
