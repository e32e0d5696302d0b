import type { Refusal } from './driver-port.js';
import { LaneMemory } from './lane-memory.js';
import type { Row } from './ledger.js';
import type { OperationStream } from './operation-stream.js';
import type { Pace } from './pace.js';

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
  /** Its next operation may begin at `atNs`. Not said again before the lane was woken (`isQueued`). */
  laneWaits(lane: Lane, atNs: number): void;
  /** It has done as many operations as its connection may; nothing is in flight. */
  laneWornOut(lane: Lane): void;
}

export interface LaneOptions {
  readonly index: number;
  readonly depth: number;
  /** So many operations in all. */
  readonly operations: number;
  /** So many on one connection; null: any number. */
  readonly operationsPerConnection: number | null;
  readonly stream: OperationStream;
  /** Row of each entry of the workload's mix. */
  readonly rows: readonly Row[];
  readonly keeper: LaneKeeper;
  /** Open model: when operations are due; null: closed. */
  readonly pace: Pace | null;
  /** Closed model: a slot rests so long after an operation, and the lane begins so long after the stage. */
  readonly thinkNs: number;
  readonly startsAfterNs: number;
}

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
  /** Operations that the present connection has still to send, and those after it. */
  #turn: number;
  #later: number;
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
  /** Operations may have to wait for a time. */
  readonly #isTimed: boolean;
  /** Operations have more to remember than a time, a key and an action; null: they do not. */
  readonly #memory: LaneMemory | null;
  readonly #pace: Pace | null;
  readonly #thinkNs: number;
  readonly #startsAfterNs: number;
  #startsAtNs = 0;
  /** Closed model with think time: when a free slot may be used again. */
  readonly #readyNs: Float64Array;
  /** Since when there has been a connection with a free slot. */
  #freeSinceNs = 0;

  constructor(options: LaneOptions) {
    const { depth, stream, pace, thinkNs, startsAfterNs } = options;
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
    this.#pace = pace;
    this.#thinkNs = thinkNs;
    this.#startsAfterNs = startsAfterNs;
    this.#isTimed = pace !== null || thinkNs > 0 || startsAfterNs > 0;
    this.#readyNs = new Float64Array(thinkNs > 0 ? depth : 0);
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
    if (this.#isTimed && !this.#mayBegin(nowNs)) return false;
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

  /** `items` of the operation in a slot, as its stream gave it; for workloads with batches, scans or records. */
  itemsIn(slot: number): number {
    return (this.#memory as LaneMemory).items[slot] as number;
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
    this.#startsAtNs = startNs + this.#startsAfterNs;
    this.#freeSinceNs = startNs;
    this.#pace?.begin(startNs, endNs);
  }

  /** There is a new connection. */
  renew(nowNs: number): void {
    const { left } = this;
    this.#turn = Math.min(left, this.#operationsPerConnection);
    this.#later = left - this.#turn;
    this.#freeSinceNs = nowNs;
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

  /** Open model: nothing is due from `endNs` on. */
  endAt(endNs: number): void {
    this.#pace?.end(endNs);
  }

  /**
   * Open model: drops all that is still due. Up to `most` are looked at one by one; more are shared out over the
   * actions by the mix, so that a long backlog does not make the end late. Returns how many were looked at.
   */
  dropRest(most: number): number {
    const pace = this.#pace as Pace;
    let dropped = 0;
    while (pace.dueNs < FREE && this.left > 0 && dropped < most) {
      this.#drop(pace);
      dropped++;
    }
    const rest = Math.min(this.left, pace.countLeft());
    if (rest > 0) this.#dropUnseen(rest);
    return dropped;
  }

  /** Whether an operation has been in flight since `beforeNs` or longer. */
  isOverdue(beforeNs: number): boolean {
    if (this.#inFlight === 0) return false;
    const sentNs = this.#sentNs;
    for (let slot = 0; slot < sentNs.length; slot++) {
      if ((sentNs[slot] as number) <= beforeNs) return true;
    }
    return false;
  }

  /** Ends everything in flight: sent at `beforeNs` or earlier is a timeout, the rest is aborted. */
  expire(beforeNs: number, nowNs: number): void {
    for (let slot = 0; slot < this.depth; slot++) {
      const sentNs = this.#sentNs[slot] as number;
      if (sentNs === FREE) continue;
      const row = this.#rows[this.#operation[slot] as number] as Row;
      if (sentNs <= beforeNs) row.timeout(nowNs - sentNs);
      else row.abort();
      if (this.#memory !== null) this.#recall(this.#memory, slot, row, false);
    }
    this.#clear();
  }

  abort(): void {
    this.expire(Number.NEGATIVE_INFINITY, 0);
  }

  // --- inside ---

  /** Whether the next operation may begin by time; if not, the keeper wakes this lane when it may. */
  #mayBegin(nowNs: number): boolean {
    const pace = this.#pace;
    if (pace !== null) this.shed(nowNs);
    if (this.#turn === 0) return false;
    const atNs = pace === null ? this.#nextReadyNs() : pace.dueNs;
    if (atNs <= nowNs) return true;
    if (!this.isQueued && atNs < FREE) {
      this.isQueued = true;
      this.#keeper.laneWaits(this, atNs);
    }
    return false;
  }

  #nextReadyNs(): number {
    if (this.#thinkNs === 0) return this.#startsAtNs;
    return Math.max(this.#startsAtNs, this.#readyNs[this.#free[this.#freeHead] as number] as number);
  }

  #remember(memory: LaneMemory, slot: number, row: Row, nowNs: number): void {
    memory.remember(slot);
    const pace = this.#pace;
    if (pace === null) return;
    const { dueNs } = pace;
    memory.dueNs[slot] = dueNs;
    if (nowNs - dueNs > pace.lateAfterNs) row.late++;
    row.pace(nowNs - Math.max(dueNs, Math.min(nowNs, this.#freeSinceNs)));
    pace.advance();
  }

  #recall(memory: LaneMemory, slot: number, row: Row, isWritten: boolean): void {
    if (isWritten && this.#pace !== null) row.respond(this.#nowNs - (memory.dueNs[slot] as number));
    memory.ended(slot, this.#operation[slot] as number, isWritten);
  }

  #drop(pace: Pace): void {
    const { stream } = this;
    stream.next();
    if (stream.isInsert) stream.inserts?.giveBack();
    (this.#rows[stream.operation] as Row).dropped++;
    pace.advance();
    this.#skip(1);
  }

  /** Without looking at them: as many of each action as its weight says. */
  #dropUnseen(count: number): void {
    const total = this.#rows.reduce((sum, row) => sum + row.weight, 0);
    let weight = 0;
    let before = 0;
    for (const row of this.#rows) {
      weight += row.weight;
      const upTo = Math.round((count * weight) / total);
      row.dropped += upTo - before;
      before = upTo;
    }
    this.#skip(count);
  }

  #skip(count: number): void {
    const fromLater = Math.min(count, this.#later);
    this.#later -= fromLater;
    this.#turn -= count - fromLater;
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
    if (this.#isTimed) {
      if (this.#inFlight === this.depth) this.#freeSinceNs = this.#nowNs;
      if (this.#thinkNs > 0) this.#readyNs[slot] = this.#nowNs + this.#thinkNs;
    }
    this.#inFlight--;
  }

  #clear(): void {
    this.#sentNs.fill(FREE);
    for (let slot = 0; slot < this.depth; slot++) this.#free[slot] = slot;
    this.#freeHead = 0;
    this.#freeTail = 0;
    this.#inFlight = 0;
    this.#readyNs.fill(0);
  }
}
