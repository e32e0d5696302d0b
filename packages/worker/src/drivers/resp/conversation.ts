import { asPacecarError, type PacecarError, type Target } from '@pacecar/protocol';
import { Connection, type ConnectionOwner, destinationOf } from '../wire/connection.js';
import { notOpened } from '../target-refusal.js';
import { Login, notResp, type RespAccess, type RespVersion } from './login.js';
import { ReplyInvalid } from '../wire/reply-invalid.js';
import { commandBytes, type ReplyValue, ReplyValueReader } from './reply-value.js';

interface Waiting {
  readonly resolve: (reply: ReplyValue) => void;
  readonly reject: (error: PacecarError) => void;
}

/** One connection on which commands are asked and answered one by one; for questions before a stage. */
export class Conversation implements ConnectionOwner {
  readonly #access: RespAccess;
  readonly #target: Target;
  readonly #timeoutMs: number;
  readonly #login: Login;
  readonly #reader = new ReplyValueReader();
  #connection: Connection | null = null;
  #isConnected = false;
  #isOpen = false;
  #waiting: Waiting | null = null;
  #timer: NodeJS.Timeout | null = null;

  /** Each step, `open` and each `ask`, is answered within the timeout or fails. */
  constructor(access: RespAccess, timeoutMs: number) {
    this.#access = access;
    this.#target = access.target;
    this.#timeoutMs = timeoutMs;
    this.#login = new Login(access);
  }

  /** What the target speaks, once it is open. */
  get protocol(): RespVersion {
    return this.#login.protocol;
  }

  /** Connects and logs in. Throws PacecarError TARGET_UNREACHABLE, TARGET_DENIED or TARGET_PROTOCOL. */
  async open(): Promise<void> {
    await this.#wait(() => {
      const { target, secure } = this.#access;
      this.#connection = new Connection(destinationOf(target, { noDelay: true, secure }), this);
    });
  }

  async ask(command: readonly string[]): Promise<ReplyValue> {
    return this.#wait(() => this.#connection?.write(commandBytes(command)));
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  connected(): void {
    this.#isConnected = true;
    this.#connection?.write(this.#login.request);
  }

  received(readBuffer: Buffer, length: number): void {
    const bytes = Buffer.from(readBuffer.subarray(0, length));
    try {
      if (!this.#isOpen) {
        if (!this.#login.receive(bytes)) return;
        this.#isOpen = true;
        this.#answer({ kind: 'nothing' });
        return;
      }
      this.#reader.add(bytes);
      const reply = this.#reader.next();
      if (reply !== null) this.#answer(reply);
    } catch (thrown) {
      this.#fail(
        thrown instanceof ReplyInvalid ? notResp(this.#target, thrown.message) : asPacecarError(thrown),
      );
    }
  }

  written(): void {
    // Nothing waits for it.
  }

  lost(reason: string): void {
    this.#fail(notOpened(this.#target, { connected: this.#isConnected, timeoutMs: null, reason }, 'RESP'));
  }

  async #wait(begin: () => void): Promise<ReplyValue> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#timer = setTimeout(() => {
        const why = { connected: this.#isConnected, timeoutMs: this.#timeoutMs, reason: 'timeout' };
        this.#fail(notOpened(this.#target, why, 'RESP'));
      }, this.#timeoutMs);
      begin();
    });
  }

  #answer(reply: ReplyValue): void {
    const waiting = this.#takeWaiting();
    waiting?.resolve(reply);
  }

  #fail(error: PacecarError): void {
    const waiting = this.#takeWaiting();
    this.close();
    waiting?.reject(error);
  }

  #takeWaiting(): Waiting | null {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    return waiting;
  }
}
