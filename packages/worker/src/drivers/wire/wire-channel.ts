import { asPacecarError, type Target } from '@pacecar/protocol';
import type { Channel, EngineClock, Refusal } from '../../engine/driver-port.js';
import type { ChannelLane } from '../../engine/channel-lane.js';
import { Connection, type ConnectionOwner, destinationOf } from './connection.js';
import { notOpened } from '../target-refusal.js';
import type { Secure } from '../secure.js';
import { ReplyInvalid } from './reply-invalid.js';

/** What is said first on a connection, until the target has let us in. */
export interface Greeting {
  readonly request: Uint8Array;
  /** True once it has. Throws PacecarError TARGET_DENIED or TARGET_PROTOCOL. */
  receive(bytes: Uint8Array): boolean;
}

export interface WireOptions {
  readonly clock: EngineClock;
  readonly target: Target;
  readonly noDelay: boolean;
  /** Absent or null: nothing is encrypted. */
  readonly secure?: Secure | null;
  readonly connectTimeoutMs: number;
  /** Name of the protocol, for messages. */
  readonly protocol: string;
  greeting(): Greeting;
}

/** One connection from its attempt to its end; what is said on it in between is another class's. */
export abstract class WireChannel implements Channel, ConnectionOwner {
  protected readonly lane: ChannelLane;
  protected connection: Connection | null = null;
  protected isOpen = false;
  readonly #options: WireOptions;
  #greeting: Greeting | null = null;
  #connectTimer: NodeJS.Timeout | null = null;
  #wasConnected = false;

  constructor(lane: ChannelLane, options: WireOptions) {
    this.lane = lane;
    this.#options = options;
  }

  abstract pump(nowNs: number): void;

  /** A new connection begins: nothing of the last one is left. */
  protected abstract renew(): void;
  /** `length` bytes of replies have come. Throws ReplyInvalid. */
  protected abstract scan(bytes: Uint8Array, length: number): void;
  /** All that was written has left. True: sending goes on now. */
  protected abstract sent(): boolean;

  // --- for the engine ---

  open(): void {
    this.close();
    this.#wasConnected = false;
    this.renew();
    const { target, noDelay, secure = null, connectTimeoutMs } = this.#options;
    this.#greeting = this.#options.greeting();
    this.#connectTimer = setTimeout(
      () => this.#refuse(this.#notOpened(connectTimeoutMs, 'timeout')),
      connectTimeoutMs,
    );
    this.connection = new Connection(destinationOf(target, { noDelay, secure }), this);
  }

  close(): void {
    this.connection?.close();
    this.connection = null;
    this.isOpen = false;
    this.#endGreeting();
  }

  // --- for the connection ---

  connected(): void {
    this.#wasConnected = true;
    if (this.#greeting !== null) this.connection?.write(this.#greeting.request);
  }

  received(readBuffer: Buffer, length: number): void {
    if (!this.isOpen) {
      this.#receiveGreeting(readBuffer.subarray(0, length));
      return;
    }
    const nowNs = this.#options.clock.nowNs();
    const { lane } = this;
    lane.begin(nowNs);
    try {
      this.scan(readBuffer, length);
    } catch (thrown) {
      if (!(thrown instanceof ReplyInvalid)) throw thrown;
      lane.end();
      this.#cut(nowNs);
      return;
    }
    lane.end();
    this.pump(nowNs);
  }

  written(): void {
    if (this.sent()) this.pump(this.#options.clock.nowNs());
  }

  lost(reason: string): void {
    if (this.isOpen) {
      this.#cut(this.#options.clock.nowNs());
    } else {
      this.#refuse(this.#notOpened(null, reason));
    }
  }

  // --- inside ---

  #receiveGreeting(bytes: Uint8Array): void {
    try {
      if (this.#greeting?.receive(bytes) !== true) return;
    } catch (thrown) {
      this.#refuse(asPacecarError(thrown));
      return;
    }
    this.#endGreeting();
    this.isOpen = true;
    this.lane.opened();
  }

  #endGreeting(): void {
    this.#greeting = null;
    if (this.#connectTimer !== null) clearTimeout(this.#connectTimer);
    this.#connectTimer = null;
  }

  #notOpened(timeoutMs: number | null, reason: string): Refusal {
    const { target, protocol } = this.#options;
    return notOpened(target, { connected: this.#wasConnected, timeoutMs, reason }, protocol);
  }

  #refuse(refusal: Refusal): void {
    this.close();
    this.lane.refused(refusal);
  }

  #cut(nowNs: number): void {
    this.close();
    this.lane.cut(nowNs);
  }
}
