import { PacecarError, type Target } from '@pacecar/protocol';
import type memjs from 'memjs';
import type { Client, Options, Server } from 'memjs';
import type { ClientTask } from '../client-task.js';
import { connectionReason } from '../connection-reason.js';
import { PROTOCOL_NAME } from '../memcached/greeting.js';
import type { PromiseClient } from '../promise-channel.js';
import { addressOf, notOpened } from '../target-refusal.js';
import { type Body, bodyBytes } from './frame-bytes.js';

/** The engine has timeouts of its own; the library's would drop the connection at a time that nobody chose. */
const NO_TIMEOUT_SEC = 24 * 3_600;
/** An operation of the binary protocol that does nothing and counts as nothing. */
const NO_OPERATION = 0x0a;
/** Sequence numbers of operations begin at 1. */
const FIRST_SEQUENCE = 0;

/** What the library makes of an answer that is not a success, and its kind. */
const ERRORS: Readonly<Record<string, { readonly kind: string; readonly body: Body }>> = {
  'Key not found': { kind: 'NOT_FOUND', body: 'notFound' },
  'Key exists': { kind: 'EXISTS', body: 'exists' },
  'Item not stored': { kind: 'NOT_STORED', body: 'notStored' },
  'Value too large': { kind: 'TOO_LARGE', body: 'tooLarge' },
  'Out of memory': { kind: 'OUT_OF_MEMORY', body: 'outOfMemory' },
  'Incr/Decr on non-numeric value': { kind: 'NOT_A_NUMBER', body: 'notANumber' },
};
const ANSWERED = /^MemJS [A-Z]+: (.*)$/;

export type Library = typeof memjs;

/** One client of the library on one server. */
export class MemjsClient implements PromiseClient {
  readonly library: Client;
  readonly #memjs: Library;
  readonly #server: Server;
  readonly #target: Target;
  readonly #lost: () => void;

  constructor(library: Library, options: { target: Target; connectTimeoutMs: number }, lost: () => void) {
    const { host, port } = options.target;
    const own: Options = {
      timeout: NO_TIMEOUT_SEC,
      conntimeout: options.connectTimeoutMs / 1_000,
      // Once: sending again would hide what happened.
      retries: 1,
      // It prints every error otherwise.
      logger: { log: () => undefined },
    };
    this.#memjs = library;
    this.#target = options.target;
    this.#lost = lost;
    this.#server = new library.Server(host, port, undefined, undefined, own);
    this.library = new library.Client([this.#server], own);
  }

  /** The library connects with its first operation; here that is one which does nothing. */
  async connect(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      let isConnected = false;
      const refuse = (reason: string) =>
        reject(notOpened(this.#target, { connected: isConnected, timeoutMs: null, reason }, PROTOCOL_NAME));
      this.#server.onError(FIRST_SEQUENCE, (error) => refuse(connectionReason(error)));
      this.#server.onResponse(FIRST_SEQUENCE, ({ header }) => {
        if (header.status === 0) resolve();
        else reject(this.#notBinary(header.status));
      });
      this.#server.sock(false, (socket) => {
        isConnected = true;
        // The library says nothing of a connection that ends without an error.
        socket.once('close', () => {
          refuse('the target closed the connection');
          this.#lost();
        });
        this.#server.write(this.#memjs.Utils.makeRequestBuffer(NO_OPERATION, '', '', '', FIRST_SEQUENCE));
      });
    });
  }

  errorKind(error: unknown, task: ClientTask): string | null {
    const text = error instanceof Error ? ANSWERED.exec(error.message)?.[1] : undefined;
    if (text === undefined) return null;
    const known = ERRORS[text];
    if (known !== undefined) task.receivedBytes += bodyBytes(known.body);
    return known?.kind ?? 'SERVER_ERROR';
  }

  disconnect(): void {
    this.#server.error(new Error('dropped'));
  }

  #notBinary(status: number): PacecarError {
    return new PacecarError(
      'TARGET_PROTOCOL',
      `the target ${addressOf(this.#target)} does not speak the binary protocol of memcached, which memjs needs: it ` +
        `answered with status ${status}; use the driver memcached`,
    );
  }
}
