import { asPacecarError, type PacecarError } from '@pacecar/protocol';
import type { Channel, EngineClock } from '../engine/driver-port.js';
import type { Lane } from '../engine/lane.js';

/** How an operation that was answered went: there, not there, or an error kind. */
export type Outcome = 'hit' | 'miss' | { readonly error: string };

/** One operation that a client has under way. */
export interface Started {
  readonly answer: Promise<unknown>;
  /** Size of the request and, once it is known, of the answer. */
  readonly bytes: number;
}

/**
 * One client of a library, as a promise channel uses it. It never connects anew by itself and never sends a command
 * twice: after a cut the engine makes a new one.
 */
export interface PromiseClient {
  /** Connects and logs in. Rejects with why it could not. */
  connect(): Promise<void>;
  /** Starts an operation of the mix on a key. */
  start(operation: number, key: number, valueBytes: number): Started;
  /** What an answer means. */
  outcome(operation: number, key: number, answer: unknown): Outcome;
  /** The size of an answer on the wire, as far as it is known. */
  answerBytes(operation: number, answer: unknown): number;
  /** The kind of an error that the target answered with; null if the connection failed instead. */
  errorKind(error: unknown): string | null;
  /** Drops the connection at once. */
  disconnect(): void;
}

/** Makes a client; `lost` is called once if its connection ends by itself. */
export type ClientFactory = (lost: (reason: string) => void) => PromiseClient;

/**
 * A channel over any client library with promises. Whatever the library does later, answers of a client that was
 * dropped are ignored: each client has its turn, and the turn of a callback must be the present one.
 */
export class PromiseChannel implements Channel {
  readonly #lane: Lane;
  readonly #clock: EngineClock;
  readonly #createClient: ClientFactory;
  readonly #connectTimeoutMs: number;
  readonly #timedOut: () => PacecarError;
  #client: PromiseClient | null = null;
  #turn = 0;
  #isOpen = false;
  #connectTimer: NodeJS.Timeout | null = null;
  #isPumping = false;

  constructor(
    lane: Lane,
    options: {
      clock: EngineClock;
      createClient: ClientFactory;
      connectTimeoutMs: number;
      /** What to say when neither success nor an error came in time. */
      timedOut: () => PacecarError;
    },
  ) {
    this.#lane = lane;
    this.#clock = options.clock;
    this.#createClient = options.createClient;
    this.#connectTimeoutMs = options.connectTimeoutMs;
    this.#timedOut = options.timedOut;
  }

  open(): void {
    this.close();
    const turn = ++this.#turn;
    const client = this.#createClient(() => this.#lost(turn));
    this.#client = client;
    this.#connectTimer = setTimeout(() => this.#refuse(turn, this.#timedOut()), this.#connectTimeoutMs);
    client.connect().then(
      () => this.#opened(turn),
      (error: unknown) => this.#refuse(turn, asPacecarError(error)),
    );
  }

  pump(nowNs: number): void {
    const client = this.#client;
    // A client may answer, and so pump, from within `start`.
    if (!this.#isOpen || client === null || this.#isPumping) return;
    this.#isPumping = true;
    const lane = this.#lane;
    const { stream } = lane;
    const turn = this.#turn;
    while (this.#isOpen && lane.take(nowNs)) {
      const { slot } = lane;
      const { operation, key } = stream;
      const started = client.start(operation, key, stream.valueBytes);
      lane.wrote(started.bytes);
      started.answer.then(
        (answer) => this.#answered(turn, slot, operation, key, answer),
        (error: unknown) => this.#failed(turn, slot, error),
      );
    }
    this.#isPumping = false;
  }

  close(): void {
    this.#turn++;
    this.#isOpen = false;
    if (this.#connectTimer !== null) clearTimeout(this.#connectTimer);
    this.#connectTimer = null;
    const client = this.#client;
    this.#client = null;
    client?.disconnect();
  }

  #opened(turn: number): void {
    if (turn !== this.#turn) return;
    if (this.#connectTimer !== null) clearTimeout(this.#connectTimer);
    this.#connectTimer = null;
    this.#isOpen = true;
    this.#lane.opened();
  }

  #refuse(turn: number, error: PacecarError): void {
    if (turn !== this.#turn) return;
    this.close();
    this.#lane.refused(error);
  }

  #lost(turn: number): void {
    // While connecting, the promise of `connect` says why.
    if (turn !== this.#turn || !this.#isOpen) return;
    this.close();
    this.#lane.cut(this.#clock.nowNs());
  }

  #answered(turn: number, slot: number, operation: number, key: number, answer: unknown): void {
    const client = this.#client;
    if (turn !== this.#turn || client === null) return;
    const nowNs = this.#clock.nowNs();
    const lane = this.#lane;
    lane.begin(nowNs);
    const outcome = client.outcome(operation, key, answer);
    const bytes = client.answerBytes(operation, answer);
    if (typeof outcome === 'string') lane.succeed(slot, outcome === 'miss', bytes);
    else lane.fail(slot, outcome.error, bytes);
    lane.end();
    this.pump(nowNs);
  }

  #failed(turn: number, slot: number, error: unknown): void {
    const client = this.#client;
    if (turn !== this.#turn || client === null) return;
    const kind = client.errorKind(error);
    if (kind === null) {
      this.#lost(turn);
      return;
    }
    const nowNs = this.#clock.nowNs();
    this.#lane.begin(nowNs);
    this.#lane.fail(slot, kind, 0);
    this.#lane.end();
    this.pump(nowNs);
  }
}
