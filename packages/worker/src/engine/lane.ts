import type { Refusal } from './driver-port.js';
import type { Row } from './ledger.js';
import type { OperationStream } from './operation-stream.js';

/** What a lane reports to the stage that it belongs to. */
export interface LaneKeeper {
  /** False once the stage's end has come: nothing new starts. */
  readonly sending: boolean;
  /** Time has come to `nowNs`: intervals and the stage may end. Called once a batch. */
  advance(nowNs: number): void;
  laneOpened(lane: Lane): void;
  laneRefused(lane: Lane, refusal: Refusal): void;
  laneCut(lane: Lane): void;
  /** Nothing is in flight on this lane, and it gives no more operations now. */
  laneIdle(lane: Lane): void;
}

/** Marks a slot without an operation. Later than every time. */
const FREE = Number.POSITIVE_INFINITY;

/**
 * The engine's side of one connection: gives out operations (closed model: one for each of `depth` slots that is
 * free), remembers when each was sent, and books how it ended. Slots come back in the order in which operations end,
 * so that a connection that answers in order finds them in the order 0, 1 ... depth - 1, 0 ...
 */
export class Lane {
  readonly index: number;
  readonly depth: number;
  readonly stream: OperationStream;
  /** The slot of the operation that `take` gave. */
  slot = 0;
  readonly #keeper: LaneKeeper;
  /** Row of each entry of the workload's mix. */
  readonly #rows: readonly Row[];
  #left: number;
  #inFlight = 0;
  readonly #sentNs: Float64Array;
  readonly #operation: Uint8Array;
  readonly #key: Float64Array;
  /** Free slots, oldest first, in a ring. */
  readonly #free: Int32Array;
  #freeHead = 0;
  #freeTail = 0;
  /** Time of the batch at hand, and when the operations pending in the rows were sent. */
  #nowNs = 0;
  #pendingSentNs = FREE;
  /** Everything in flight was sent then or later. */
  #noneSentBeforeNs = Number.NEGATIVE_INFINITY;

  constructor(options: {
    index: number;
    depth: number;
    operations: number;
    stream: OperationStream;
    rows: readonly Row[];
    keeper: LaneKeeper;
  }) {
    this.index = options.index;
    this.depth = options.depth;
    this.stream = options.stream;
    this.#left = options.operations;
    this.#rows = options.rows;
    this.#keeper = options.keeper;
    this.#sentNs = new Float64Array(options.depth).fill(FREE);
    this.#operation = new Uint8Array(options.depth);
    this.#key = new Float64Array(options.depth);
    this.#free = Int32Array.from({ length: options.depth }, (_, slot) => slot);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Operations that this lane has still to send. */
  get left(): number {
    return this.#left;
  }

  // --- for the channel ---

  /**
   * Gives the next operation if one may start now: its slot stands in `slot`, the rest in `stream`. It counts as sent.
   */
  take(nowNs: number): boolean {
    if (this.#inFlight === this.depth || this.#left === 0 || !this.#keeper.sending) return false;
    const stream = this.stream;
    stream.next();
    const slot = this.#free[this.#freeHead] as number;
    this.#freeHead = this.#freeHead + 1 === this.depth ? 0 : this.#freeHead + 1;
    this.slot = slot;
    this.#sentNs[slot] = nowNs;
    this.#operation[slot] = stream.operation;
    this.#key[slot] = stream.key;
    this.#left--;
    this.#inFlight++;
    (this.#rows[stream.operation] as Row).sent++;
    return true;
  }

  /** The operation that was given last is `bytes` long on its way out. */
  wrote(bytes: number): void {
    (this.#rows[this.stream.operation] as Row).bytesSent += bytes;
  }

  /** Index into the workload's mix of the operation in a slot. */
  operationIn(slot: number): number {
    return this.#operation[slot] as number;
  }

  /** Number of the key of the operation in a slot. */
  keyIn(slot: number): number {
    return this.#key[slot] as number;
  }

  /** A batch of ends begins; all of it happened at `nowNs`. */
  begin(nowNs: number): void {
    this.#keeper.advance(nowNs);
    this.#nowNs = nowNs;
  }

  /** The operation in `slot` succeeded; `miss`: there was nothing under its key. `bytes` is the size of the answer. */
  succeed(slot: number, miss: boolean, bytes: number): void {
    const sentNs = this.#sentNs[slot] as number;
    if (sentNs !== this.#pendingSentNs) {
      this.#settle();
      this.#pendingSentNs = sentNs;
    }
    const row = this.#rows[this.#operation[slot] as number] as Row;
    row.pending++;
    row.bytesReceived += bytes;
    if (miss) row.misses++;
    this.#release(slot);
  }

  /** The operation in `slot` failed; `kind` matches ERROR_KIND. */
  fail(slot: number, kind: string, bytes: number): void {
    const row = this.#rows[this.#operation[slot] as number] as Row;
    row.error(kind, this.#nowNs - (this.#sentNs[slot] as number));
    row.bytesReceived += bytes;
    this.#release(slot);
  }

  /** The batch is over. */
  end(): void {
    this.#settle();
    if (this.#inFlight === 0) this.#keeper.laneIdle(this);
  }

  opened(): void {
    this.#keeper.laneOpened(this);
  }

  refused(refusal: Refusal): void {
    this.#keeper.laneRefused(this, refusal);
  }

  /** The connection is gone. What was in flight is aborted: nobody knows whether it happened. */
  cut(nowNs: number): void {
    this.#keeper.advance(nowNs);
    this.abort();
    this.#keeper.laneCut(this);
  }

  // --- for the stage ---

  /**
   * Whether an operation has been in flight since `beforeNs` or longer. Slots are only looked through once the oldest
   * one seen last time could be overdue, so that this may be asked often of many deep lanes.
   */
  isOverdue(beforeNs: number, nowNs: number): boolean {
    if (this.#inFlight === 0 || this.#noneSentBeforeNs > beforeNs) return false;
    let oldestNs = nowNs;
    for (const sentNs of this.#sentNs) {
      if (sentNs < oldestNs) oldestNs = sentNs;
    }
    this.#noneSentBeforeNs = oldestNs;
    return oldestNs <= beforeNs;
  }

  /** Ends everything in flight: sent at `beforeNs` or earlier is a timeout, the rest is aborted. */
  expire(beforeNs: number, nowNs: number): void {
    for (let slot = 0; slot < this.depth; slot++) {
      const sentNs = this.#sentNs[slot] as number;
      if (sentNs === FREE) continue;
      const row = this.#rows[this.#operation[slot] as number] as Row;
      if (sentNs <= beforeNs) row.timeout(nowNs - sentNs);
      else row.abort();
    }
    this.#clear();
  }

  abort(): void {
    this.expire(Number.NEGATIVE_INFINITY, 0);
  }

  #settle(): void {
    if (this.#pendingSentNs === FREE) return;
    const latencyNs = this.#nowNs - this.#pendingSentNs;
    for (const row of this.#rows) {
      if (row.pending > 0) row.settle(latencyNs);
    }
    this.#pendingSentNs = FREE;
  }

  #release(slot: number): void {
    this.#sentNs[slot] = FREE;
    this.#free[this.#freeTail] = slot;
    this.#freeTail = this.#freeTail + 1 === this.depth ? 0 : this.#freeTail + 1;
    this.#inFlight--;
  }

  #clear(): void {
    this.#sentNs.fill(FREE);
    for (let slot = 0; slot < this.depth; slot++) this.#free[slot] = slot;
    this.#freeHead = 0;
    this.#freeTail = 0;
    this.#inFlight = 0;
  }
}
