import { connect, type Socket } from 'node:net';
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
 * read.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/** One TCP connection that reads into a fixed buffer and tells its owner what happens. */
export class Connection {
  readonly #socket: Socket;
  readonly #written: () => void;
  #isClosed = false;

  constructor(
    address: { readonly host: string; readonly port: number; readonly noDelay: boolean },
    owner: ConnectionOwner,
  ) {
    const socket = connect({
      host: address.host,
      port: address.port,
      noDelay: address.noDelay,
      onread: {
        buffer: READ_BUFFER,
        callback: (length, buffer) => {
          if (!this.#isClosed) owner.received(buffer as Buffer, length);
          return true;
        },
      },
    });
    this.#socket = socket;
    this.#written = () => {
      if (!this.#isClosed && socket.writableLength === 0) owner.written();
    };
    const lose = (reason: string) => {
      if (this.#isClosed) return;
      this.close();
      owner.lost(reason);
    };
    socket.on('connect', () => {
      if (!this.#isClosed) owner.connected();
    });
    socket.on('error', (error) => lose(connectionReason(error)));
    socket.on('end', () => lose('the target closed the connection'));
    socket.on('close', () => lose('the connection was closed'));
  }

  /** Sends bytes that must not change until they have left (`isFlushed`, or `written` is told). */
  write(bytes: Uint8Array): void {
    this.#socket.write(bytes, this.#written);
  }

  /** Between these two, writes are collected and leave together. */
  cork(): void {
    this.#socket.cork();
  }

  uncork(): void {
    this.#socket.uncork();
  }

  get isFlushed(): boolean {
    return this.#socket.writableLength === 0;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#socket.destroy();
  }
}
