import type { Keys, Workload } from '@pacecar/protocol';
import type { ChannelLane } from '../../engine/channel-lane.js';
import { ReplyShape } from '../../engine/reply-shape.js';
import { type SharedText, textOf } from '../../engine/shared-text.js';
import { errorKindOf } from '../error-kind.js';
import { CommandBuffer } from './command-buffer.js';
import type { Connection } from '../wire/connection.js';
import type { Operands } from '../../engine/operands.js';
import { OperandMemory } from './operand-memory.js';
import { BufferPool, Outbox } from '../wire/outbox.js';
import { ReplyContents } from './reply-contents.js';
import { ReplyInvalid } from '../wire/reply-invalid.js';
import { ReplyScanner } from './reply-scanner.js';
import type { ReplySink } from './reply-sink.js';
import { CursorFiller, ScanCursors } from './scan-cursors.js';
import { type Answer, type Script, type ScannedReads, scriptOf, type Step } from './script.js';
import { SlotRing } from '../wire/slot-ring.js';
import { WireChannel, type WireOptions } from '../wire/wire-channel.js';

/** A write leaves when it is this long. */
const SEND_BYTES = 64 * 1024;
const LINE_END = Buffer.from('\r\n');

/** What all connections of a workload of any operations share. */
export class ScriptWorkload {
  readonly scripts: readonly Script[];
  readonly buffers = new BufferPool(() => new CommandBuffer());
  readonly text: SharedText;
  readonly keys: Keys;
  readonly scans: boolean;
  readonly hasSecondStep: boolean;
  readonly wantsBodies: boolean;

  constructor(workload: Workload) {
    this.scripts = workload.mix.map((action) => scriptOf(action, workload));
    this.text = textOf(workload);
    this.keys = workload.keys;
    const answers = this.scripts.flatMap(({ first, second }) => [
      ...first.answers,
      ...(second?.answers ?? []),
    ]);
    this.wantsBodies = answers.some(({ contents }) => contents !== 'none');
    this.scans = answers.some(({ contents }) => contents === 'cursor');
    this.hasSecondStep = this.scripts.some(({ second }) => second !== null);
  }
}

/**
 * One pipelined connection for operations of several commands, several keys or several steps. Replies come in the order
 * of the commands; an operation whose second step waits for the reply to its first keeps its one slot until both are
 * answered, while others go on around it.
 */
export class ScriptChannel extends WireChannel implements ReplySink {
  readonly #workload: ScriptWorkload;
  readonly #scanner: ReplyScanner;
  readonly #outbox: Outbox<CommandBuffer>;
  readonly #shape = new ReplyShape();
  readonly #contents: ReplyContents;
  readonly #cursors: ScanCursors | null;
  readonly #memory: OperandMemory | null;
  /** Slots whose step is on its way, and those whose second step is due. */
  readonly #pending: SlotRing;
  readonly #due: SlotRing;
  /** By slot. */
  readonly #isSecond: Uint8Array;
  readonly #replies: Int32Array;
  readonly #bytes: Float64Array;
  readonly #hits: Float64Array;
  readonly #misses: Float64Array;
  readonly #failures: (string | null)[];
  /** Of the reply at hand: which one of its step, how it is read, and how many elements of it came. */
  #reply = 0;
  #answer: Answer | null = null;
  #elements = 0;

  constructor(lane: ChannelLane, workload: ScriptWorkload, options: WireOptions) {
    super(lane, options);
    const { depth, stream } = lane;
    this.#workload = workload;
    this.#scanner = new ReplyScanner(this, { items: true, bodies: workload.wantsBodies });
    this.#outbox = new Outbox(workload.buffers);
    this.#cursors = workload.scans ? new ScanCursors(depth) : null;
    this.#contents = new ReplyContents(lane, workload, this.#cursors);
    this.#memory = workload.hasSecondStep ? new OperandMemory(depth, stream.sizes.length) : null;
    this.#pending = new SlotRing(depth);
    this.#due = new SlotRing(depth);
    this.#isSecond = new Uint8Array(depth);
    this.#replies = new Int32Array(depth);
    this.#bytes = new Float64Array(depth);
    this.#hits = new Float64Array(depth);
    this.#misses = new Float64Array(depth);
    this.#failures = new Array<string | null>(depth).fill(null);
  }

  pump(nowNs: number): void {
    const outbox = this.#outbox;
    if (!this.isOpen || outbox.isBlocked) return;
    const { lane } = this;
    while (this.#due.count > 0) {
      const slot = this.#due.first;
      this.#due.drop();
      lane.wroteIn(slot, this.#beginSecond(slot));
      if (this.isFull()) return;
    }
    while (lane.take(nowNs)) {
      lane.wrote(this.beginFirst(lane.slot, lane.stream));
      if (this.isFull()) return;
    }
    outbox.flush(this.connection as Connection);
  }

  // --- for the connection ---

  protected renew(): void {
    this.#pending.clear();
    this.#due.clear();
    this.#reply = 0;
    this.#answer = null;
    this.#scanner.reset();
    this.#outbox.renew();
  }

  protected scan(bytes: Uint8Array, length: number): void {
    this.#scanner.scan(bytes, 0, length);
  }

  protected sent(): boolean {
    return this.#outbox.written();
  }

  // --- for the scanner ---

  item(depth: number, type: number, value: number): void {
    if (depth === 0) {
      this.#beginReply(type, value);
      return;
    }
    const { inside } = this.#answer as Answer;
    if (depth === 1) {
      const index = this.#elements++;
      this.#contents.element(index);
      if (inside !== null) {
        this.#endShape();
        this.#shape.begin(inside[index] ?? 'silent');
      }
    }
    this.#shape.item(inside === null ? depth : depth - 1, type, value);
  }

  errorInside(word: string): void {
    this.#failures[this.#pending.first] ??= this.failureOf(word);
  }

  bodyBegins(length: number): void {
    this.#contents.bodyBegins(length);
  }

  body(bytes: Uint8Array, start: number, end: number): void {
    this.#contents.body(bytes, start, end);
  }

  bodyEnds(): void {
    this.#contents.bodyEnds();
  }

  reply(_type: number, value: number, bytes: number): void {
    const slot = this.#pending.first;
    const { missUpTo, inside } = this.#answer as Answer;
    this.#endShape();
    // EXEC says nil if a key that was watched has changed: nothing of the transaction happened.
    if (inside !== null && value < 0) this.#failures[slot] ??= 'CONFLICT';
    if (missUpTo !== null && value <= missUpTo) this.#misses[slot] = 1;
    if (this.#contents.isWrong) this.#failures[slot] ??= 'VALUE_MISMATCH';
    this.#endReply(slot, bytes);
  }

  error(word: string, bytes: number): void {
    const slot = this.#pending.first;
    this.#failures[slot] ??= this.failureOf(word);
    this.#endReply(slot, bytes);
  }

  // --- what errors mean ---

  /** What is kept of an error until its operation ends. */
  protected failureOf(word: string): string {
    return errorKindOf(word);
  }

  protected fail(slot: number, failure: string, bytes: number): void {
    this.lane.fail(slot, failure, bytes);
  }

  /** The slot whose reply comes next; -1: none does. */
  protected get awaited(): number {
    return this.#pending.count === 0 ? -1 : this.#pending.first;
  }

  /** Says something that is no part of an operation. */
  protected sayBytes(bytes: Uint8Array): void {
    this.#outbox.buffer.addBytes(bytes);
  }

  /** Whether the walk over all keys in a slot stands at its beginning. */
  protected isScanAtStart(slot: number): boolean {
    return this.#cursors?.isAtStart(slot) ?? true;
  }

  // --- what is said ---

  /** Says the first step of the operation in a slot, with these operands; returns its bytes. */
  protected beginFirst(slot: number, operands: Operands): number {
    const script = this.#workload.scripts[this.lane.operationIn(slot)] as Script;
    this.#bytes[slot] = 0;
    this.#hits[slot] = 0;
    this.#misses[slot] = 0;
    this.#failures[slot] = null;
    this.#isSecond[slot] = 0;
    if (script.second !== null) this.#memory?.remember(slot, operands);
    return this.#say(slot, script.first, operands);
  }

  #beginSecond(slot: number): number {
    const { lane } = this;
    const { second, reads } = this.#workload.scripts[lane.operationIn(slot)] as Script;
    this.#isSecond[slot] = 1;
    if (reads !== null) return this.#sayReads(slot, reads);
    const memory = this.#memory as OperandMemory;
    return this.#say(slot, second as Step, memory.recall(slot, lane.keyIn(slot)));
  }

  #say(slot: number, { commands }: Step, operands: Operands): number {
    const { buffer } = this.#outbox;
    let bytes = 0;
    for (const command of commands) {
      const { filler } = command;
      if (filler instanceof CursorFiller) filler.stand(this.#cursors as ScanCursors, slot);
      bytes += buffer.add(command, operands);
    }
    this.#replies[slot] = commands.length;
    this.#pending.push(slot);
    return bytes;
  }

  #sayReads(slot: number, { head, tails }: ScannedReads): number {
    const { buffer } = this.#outbox;
    const before = buffer.length;
    const found = this.#contents.found(slot);
    const tail = (tails.length === 1 ? tails[0] : tails[this.lane.fieldIn(slot)]) as Buffer;
    for (let index = 0; index < found.count; index++) {
      const key = found.at(index);
      buffer.addBytes(head);
      buffer.addBytes(Buffer.from(String(key.length)));
      buffer.addBytes(LINE_END);
      buffer.addBytes(key);
      buffer.addBytes(tail);
    }
    this.#replies[slot] = found.count;
    this.#pending.push(slot);
    return buffer.length - before;
  }

  /** Sends what is long enough to go. True: nothing more can be sent now. */
  protected isFull(): boolean {
    const outbox = this.#outbox;
    if (outbox.buffer.length < SEND_BYTES) return false;
    outbox.flush(this.connection as Connection);
    return outbox.isBlocked;
  }

  // --- what is answered ---

  #beginReply(type: number, value: number): void {
    // A reply without a command would be booked for the wrong operation.
    if (this.#pending.count === 0) throw new ReplyInvalid('more replies than commands');
    const slot = this.#pending.first;
    const { first, second } = this.#workload.scripts[this.lane.operationIn(slot)] as Script;
    const { answers } = (this.#isSecond[slot] === 1 ? second : first) as Step;
    const answer = (answers.length === 1 ? answers[0] : answers[this.#reply]) as Answer;
    this.#answer = answer;
    this.#elements = 0;
    this.#contents.begin(slot, answer, this.#reply);
    if (answer.inside === null) {
      this.#shape.begin(answer.rule);
      this.#shape.item(0, type, value);
    } else {
      this.#shape.begin('silent');
    }
  }

  #endShape(): void {
    const shape = this.#shape;
    const slot = this.#pending.first;
    shape.end();
    this.#hits[slot] = (this.#hits[slot] as number) + shape.hits;
    this.#misses[slot] = (this.#misses[slot] as number) + shape.misses;
  }

  #endReply(slot: number, bytes: number): void {
    this.#bytes[slot] = (this.#bytes[slot] as number) + bytes;
    this.#answer = null;
    if (++this.#reply < (this.#replies[slot] as number)) return;
    this.#reply = 0;
    this.#pending.drop();
    if (this.#hasMore(slot)) this.#due.push(slot);
    else this.#end(slot);
  }

  #hasMore(slot: number): boolean {
    if (this.#isSecond[slot] === 1 || this.#failures[slot] !== null) return false;
    const { second, reads } = this.#workload.scripts[this.lane.operationIn(slot)] as Script;
    return second !== null && (reads === null || this.#contents.found(slot).count > 0);
  }

  #end(slot: number): void {
    const { lane } = this;
    const failure = this.#failures[slot] as string | null;
    const bytes = this.#bytes[slot] as number;
    const misses = this.#misses[slot] as number;
    if (failure !== null) this.fail(slot, failure, bytes);
    else if ((this.#workload.scripts[lane.operationIn(slot)] as Script).canMiss)
      lane.succeed(slot, misses > 0, bytes);
    else lane.succeedItems(slot, this.#hits[slot] as number, misses, bytes);
  }
}
