import { connect, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { Target } from '@pacecar/protocol';
import { type Secure, secureReason } from '../secure.js';
import { connectionReason } from '../connection-reason.js';

/** What a connection tells its owner. Nothing is told after `close`. */
export interface ConnectionOwner {
  connected(): void;
  /** `length` bytes have arrived in `readBuffer`, good until this returns. */
  received(readBuffer: Buffer, length: number): void;
  /** All that was written has left the process. */
  written(): void;
  /** The other side ended it, or it broke. Told once. */
  lost(reason: string): void;
}

/**
 * All sockets of a thread read into this one buffer, one after the other: what arrives is used up before the next
 * read. Large, for each read is followed by a write, and stays in the processor's cache all the same.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(256 * 1024);

/**
 * Above what is ever written at once: Node then never asks for a pause, for which it would run its queue of ticks after
 * each write. How much is under way is bounded by the depth already.
 */
const NO_HIGH_WATER_MARK = 2 ** 40;
const NOTHING = new Uint8Array(0);

/** Where a connection goes, and how. */
export interface Destination {
  readonly host: string;
  readonly port: number;
  /** Path of a unix socket, in the place of host and port. */
  readonly socket?: string;
  readonly noDelay: boolean;
  /** Absent or null: nothing is encrypted. */
  readonly secure?: Secure | null;
}

export function destinationOf(
  { host, port, socket }: Pick<Target, 'host' | 'port' | 'socket'>,
  how: Pick<Destination, 'noDelay' | 'secure'>,
): Destination {
  return { host, port, ...(socket === undefined ? {} : { socket }), ...how };
}

/** One connection that reads into a fixed buffer and tells its owner what happens. */
export class Connection {
  readonly #socket: Socket;
  readonly #written: () => void;
  #isWaiting = false;
  #isClosed = false;

  constructor({ host, port, socket: path, noDelay, secure = null }: Destination, owner: ConnectionOwner) {
    // The type does not know of the streams' option.
    const options: TcpNetConnectOpts & { highWaterMark: number } = {
      highWaterMark: NO_HIGH_WATER_MARK,
      ...(path === undefined ? { host, port } : ({ path } as unknown as { port: number })),
      noDelay,
    };
    // What is encrypted is read into memory of its own anyway.
    const socket =
      secure === null
        ? connect({
            ...options,
            onread: {
              buffer: READ_BUFFER,
              callback: (length, buffer) => {
                if (!this.#isClosed) owner.received(buffer as Buffer, length);
                return true;
              },
            },
          })
        : connectSecurely({ ...options, ...secure });
    this.#socket = socket;
    this.#written = () => {
      this.#isWaiting = false;
      if (this.#isClosed) return;
      if (socket.writableLength === 0) owner.written();
      else this.#wait();
    };
    const lose = (reason: string) => {
      if (this.#isClosed) return;
      this.close();
      owner.lost(reason);
    };
    if (secure !== null)
      socket.on('data', (chunk: Buffer) => {
        if (!this.#isClosed) owner.received(chunk, chunk.length);
      });
    socket.on(secure === null ? 'connect' : 'secureConnect', () => {
      if (!this.#isClosed) owner.connected();
    });
    socket.on('error', (error) => lose(secure === null ? connectionReason(error) : secureReason(error)));
    socket.on('end', () => lose('the target closed the connection'));
    socket.on('close', () => lose('the connection was closed'));
  }

  /** Sends bytes that must not change until they have left (`isFlushed`, or `written` is told). */
  write(bytes: Uint8Array): void {
    const socket = this.#socket;
    socket.write(bytes);
    if (socket.writableLength > 0 && socket.writableCorked === 0) this.#wait();
  }

  /** Between these two, writes are collected and leave together. */
  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
    if (!this.isFlushed) this.#wait();
  }

  get isFlushed(): boolean {
    return this.#socket.writableLength === 0;
  }

  /**
   * Asks to be told when all has left. A write that leaves at once, as nearly all do, has no callback: it would cost a
   * turn of Node's queue of ticks each time. What follows the last bytes in the queue tells the same.
   */
  #wait(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#socket.write(NOTHING, this.#written);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.destroy();
  }
}
