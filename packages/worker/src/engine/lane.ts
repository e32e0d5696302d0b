import type { Note } from '@pacecar/protocol';
import type { Refusal } from './driver-port.js';
import type { LaneKeeper } from './lane-keeper.js';
import { LaneMemory } from './lane-memory.js';
import { dropByWeight, type Row } from './ledger.js';
import type { OperationStream } from './operation-stream.js';
import type { LaneOptions } from './lane-options.js';
import type { LaneTiming } from './lane-timing.js';
import type { Pace } from './pace.js';

/** Marks a slot without an operation. Later than every time. */
const FREE = Number.POSITIVE_INFINITY;

/**
 * The engine's side of one connection: gives out operations (closed model: one for each of `depth` slots that is
 * free; open model: those that are due, as far as there are slots), remembers when each was sent, and books how it
 * ended. Slots come back in the order in which operations end, so that a connection that answers in order finds them in
 * the order 0, 1 ... depth - 1, 0 ...
 */
export class Lane {
  readonly index: number;
  readonly depth: number;
  readonly stream: OperationStream;
  /** The slot of the operation that `take` gave. */
  slot = 0;
  /** For the keeper: waits for a time already. */
  isQueued = false;
  readonly #keeper: LaneKeeper;
  readonly #rows: readonly Row[];
  readonly #operationsPerConnection: number;
  /** Left for the present connection, and for those after it. From 0, so that V8 keeps them as numbers. */
  #turn = 0;
  #later = 0;
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
  /** Operations have more to remember than a time, a key and an action; null: they do not. */
  readonly #memory: LaneMemory | null;
  readonly timing: LaneTiming | null;
  readonly #pace: Pace | null;

  constructor(options: LaneOptions) {
    const { depth, stream, timing } = options;
    const pace = timing?.pace ?? null;
    this.index = options.index;
    this.depth = depth;
    this.stream = stream;
    this.#rows = options.rows;
    this.#keeper = options.keeper;
    this.#operationsPerConnection = options.operationsPerConnection ?? options.operations;
    this.#turn = Math.min(options.operations, this.#operationsPerConnection);
    this.#later = options.operations - this.#turn;
    this.#sentNs = new Float64Array(depth).fill(FREE);
    this.#operation = new Uint8Array(depth);
    this.#key = new Float64Array(depth);
    this.#free = Int32Array.from({ length: depth }, (_, slot) => slot);
    this.timing = timing;
    this.#pace = pace;
    this.#memory = LaneMemory.needed(stream, pace) ? new LaneMemory(depth, stream, pace !== null) : null;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Operations that this lane has still to send. */
  get left(): number {
    return this.#turn + this.#later;
  }

  // --- for the channel ---

  /**
   * Gives the next operation if one may start now: its slot stands in `slot`, the rest in `stream`. It counts as sent.
   */
  take(nowNs: number): boolean {
    if (this.#inFlight === this.depth || this.#turn === 0 || !this.#keeper.sending) return false;
    if (this.timing !== null && !this.#mayBegin(this.timing, nowNs)) return false;
    const stream = this.stream;
    stream.next();
    const slot = this.#free[this.#freeHead] as number;
    this.#freeHead = this.#freeHead + 1 === this.depth ? 0 : this.#freeHead + 1;
    this.slot = slot;
    this.#sentNs[slot] = nowNs;
    this.#operation[slot] = stream.operation;
    this.#key[slot] = stream.key;
    this.#turn--;
    this.#inFlight++;
    const row = this.#rows[stream.operation] as Row;
    row.sent++;
    if (this.#memory !== null) this.#remember(this.#memory, slot, row, nowNs);
    return true;
  }

  /** The operation that was given last is `bytes` long on its way out. */
  wrote(bytes: number): void {
    (this.#rows[this.stream.operation] as Row).bytesSent += bytes;
  }

  /** The operation in a slot, which was begun before, has sent `bytes` more. */
  wroteIn(slot: number, bytes: number): void {
    (this.#rows[this.#operation[slot] as number] as Row).bytesSent += bytes;
  }

  /** Index into the workload's mix of the operation in a slot. */
  operationIn(slot: number): number {
    return this.#operation[slot] as number;
  }

  /** Number of the key of the operation in a slot; of several the first. */
  keyIn(slot: number): number {
    return this.#key[slot] as number;
  }

  /** Key `index` of a getAll or putAll in a slot. */
  batchKeyIn(slot: number, index: number): number {
    return (this.#memory as LaneMemory).keyIn(slot, index);
  }

  /** `field` of the operation in a slot, as its stream gave it; for workloads with batches, scans or records. */
  fieldIn(slot: number): number {
    return (this.#memory as LaneMemory).fields[slot] as number;
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
    if (this.#memory !== null) this.#recall(this.#memory, slot, row, true);
    this.#release(slot);
  }

  /** The same for operations that look up several items, or whose answer alone says what was found. */
  succeedItems(slot: number, hits: number, misses: number, bytes: number): void {
    const row = this.#rows[this.#operation[slot] as number] as Row;
    row.hits += hits;
    row.misses += misses;
    this.succeed(slot, false, bytes);
  }

  /** Something happened on the way of the operation in `slot`; `bytes`: of an answer that did not end it. */
  note(slot: number, note: Note, count: number, bytes: number): void {
    (this.#rows[this.#operation[slot] as number] as Row).note(note, count, bytes);
  }

  /** Of a channel with several connections one is gone, and with it the operation in `slot`. */
  abandon(slot: number): void {
    this.#lose(slot, Number.NEGATIVE_INFINITY, 0);
    this.#release(slot);
  }

  /** The operation in `slot` failed; `kind` matches ERROR_KIND. */
  fail(slot: number, kind: string, bytes: number): void {
    const row = this.#rows[this.#operation[slot] as number] as Row;
    row.error(kind, this.#nowNs - (this.#sentNs[slot] as number));
    row.bytesReceived += bytes;
    if (this.#memory !== null) this.#recall(this.#memory, slot, row, false);
    this.#release(slot);
  }

  /** The batch is over. */
  end(): void {
    this.#settle();
    if (this.#inFlight > 0) return;
    if (this.#turn === 0 && this.#later > 0 && this.#keeper.sending) this.#keeper.laneWornOut(this);
    else this.#keeper.laneIdle(this);
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

  /** The stage begins. */
  start(startNs: number, endNs: number): void {
    this.timing?.start(startNs, endNs);
  }

  /** There is a new connection. */
  renew(nowNs: number): void {
    const { left } = this;
    this.#turn = Math.min(left, this.#operationsPerConnection);
    this.#later = left - this.#turn;
    this.timing?.freed(nowNs);
  }

  /** Whether operations come by a schedule: due ones that cannot begin are to be dropped at the end. */
  get isPaced(): boolean {
    return this.#pace !== null;
  }

  /** Open model: drops what has waited for too long. */
  shed(nowNs: number): void {
    const pace = this.#pace as Pace;
    while (nowNs - pace.dueNs > pace.dropAfterNs && this.left > 0) this.#drop(pace);
  }

  /** Nothing is due from `endNs` on. */
  endAt(endNs: number): void {
    this.#pace?.end(endNs);
  }

  /** Open model: drops all that is still due, up to `most` one by one, the rest by the mix. Returns how many of them. */
  dropRest(most: number): number {
    const pace = this.#pace as Pace;
    let dropped = 0;
    for (; pace.dueNs < FREE && this.left > 0 && dropped < most; dropped++) this.#drop(pace);
    const rest = Math.min(this.left, pace.countLeft());
    if (rest > 0) {
      dropByWeight(this.#rows, rest);
      this.#skip(rest);
    }
    return dropped;
  }

  /** Whether one has been in flight since `beforeNs`. Slots are looked through only if the oldest seen could be. */
  isOverdue(beforeNs: number, nowNs: number): boolean {
    if (this.#inFlight === 0 || this.#noneSentBeforeNs > beforeNs) return false;
    let oldestNs = nowNs;
    for (const sentNs of this.#sentNs) if (sentNs < oldestNs) oldestNs = sentNs;
    this.#noneSentBeforeNs = oldestNs;
    return oldestNs <= beforeNs;
  }

  /** Ends everything in flight: sent at `beforeNs` or earlier is a timeout, the rest is aborted. */
  expire(beforeNs: number, nowNs: number): void {
    for (let slot = 0; slot < this.depth; slot++)
      if (this.#sentNs[slot] !== FREE) this.#lose(slot, beforeNs, nowNs);
    this.#clear();
  }

  abort(): void {
    this.expire(Number.NEGATIVE_INFINITY, 0);
  }

  /** Whether the next operation may begin by time; if not, the keeper wakes this lane when it may. */
  #mayBegin(timing: LaneTiming, nowNs: number): boolean {
    if (timing.pace !== null) this.shed(nowNs);
    if (this.#turn === 0) return false;
    const atNs = timing.nextNs(this.#free[this.#freeHead] as number);
    if (atNs <= nowNs) return true;
    if (!this.isQueued && atNs < FREE) {
      this.isQueued = true;
      this.#keeper.laneWaits(this, atNs);
    }
    return false;
  }

  #remember(memory: LaneMemory, slot: number, row: Row, nowNs: number): void {
    memory.remember(slot);
    const pace = this.#pace;
    if (pace === null) return;
    const { dueNs } = pace;
    memory.dueNs[slot] = dueNs;
    if (nowNs - dueNs > pace.lateAfterNs) row.late++;
    row.pace((this.timing as LaneTiming).errorNs(dueNs, nowNs));
    pace.advance();
  }

  #recall(memory: LaneMemory, slot: number, row: Row, isWritten: boolean): void {
    if (isWritten && this.#pace !== null) row.respond(this.#nowNs - (memory.dueNs[slot] as number));
    memory.ended(slot, this.#operation[slot] as number, isWritten);
  }

  #lose(slot: number, beforeNs: number, nowNs: number): void {
    const sentNs = this.#sentNs[slot] as number;
    const row = this.#rows[this.#operation[slot] as number] as Row;
    if (sentNs <= beforeNs) row.timeout(nowNs - sentNs);
    else row.abort();
    if (this.#memory !== null) this.#recall(this.#memory, slot, row, false);
  }

  #drop(pace: Pace): void {
    const { stream } = this;
    stream.next();
    if (stream.isInsert) stream.inserts?.giveBack();
    (this.#rows[stream.operation] as Row).dropped++;
    pace.advance();
    this.#skip(1);
  }

  #skip(count: number): void {
    const fromLater = Math.min(count, this.#later);
    this.#later -= fromLater;
    this.#turn -= count - fromLater;
  }

  #settle(): void {
    if (this.#pendingSentNs === FREE) return;
    const latencyNs = this.#nowNs - this.#pendingSentNs;
    for (const row of this.#rows) if (row.pending > 0) row.settle(latencyNs);
    this.#pendingSentNs = FREE;
  }

  #release(slot: number): void {
    this.#sentNs[slot] = FREE;
    this.#free[this.#freeTail] = slot;
    this.#freeTail = this.#freeTail + 1 === this.depth ? 0 : this.#freeTail + 1;
    if (this.timing !== null) {
      if (this.#inFlight === this.depth) this.timing.freed(this.#nowNs);
      this.timing.rest(slot, this.#nowNs);
    }
    this.#inFlight--;
  }

  #clear(): void {
    this.#sentNs.fill(FREE);
    for (let slot = 0; slot < this.depth; slot++) this.#free[slot] = slot;
    this.#freeHead = 0;
    this.#freeTail = 0;
    this.#inFlight = 0;
    this.timing?.clear();
  }
}
