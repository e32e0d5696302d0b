import type { Workload } from '@pacecar/protocol';
import type { Lane } from '../../engine/lane.js';
import { largestValue, type SharedText, textOf } from '../../engine/shared-text.js';
import { MARK_BYTES, ValueCheck } from '../../engine/value-source.js';
import { type CommandShapes, INLINE_VALUE_BYTES } from '../wire/command-shape.js';
import type { Connection } from '../wire/connection.js';
import { BufferPool, Outbox } from '../wire/outbox.js';
import { ReplyInvalid } from '../wire/reply-invalid.js';
import { roomFor, SendBuffer } from '../wire/send-buffer.js';
import { SlotRing } from '../wire/slot-ring.js';
import { WireChannel, type WireOptions } from '../wire/wire-channel.js';
import { KeyBytes } from './key-bytes.js';
import { type Phrase, VERDICT } from './phrase.js';
import { OUTCOME, OUTCOME_ERRORS, type ReplySink } from './reply.js';
import { ReplyScanner } from './reply-scanner.js';

/** A write leaves when it is this long. */
const SEND_BYTES = 64 * 1024;
const SPACE = 32;
/** `VALUE `, behind which the key stands. */
const VALUE_WORD_BYTES = 6;

/** What all connections of a workload share of which some operation is more than one command on one key. */
export class CompoundWorkload {
  readonly phrases: readonly Phrase[];
  readonly text: SharedText;
  readonly keys: Workload['keys'];
  readonly canMiss: readonly boolean[];
  readonly checksValues: boolean;
  readonly buffers: BufferPool<SendBuffer>;
  /** Of the longest command. */
  readonly commandBytes: number;

  constructor(workload: Workload, phrases: readonly Phrase[]) {
    this.phrases = phrases;
    this.text = textOf(workload);
    this.keys = workload.keys;
    this.canMiss = workload.mix.map(({ operation }) => operation !== 'getAll' && operation !== 'putAll');
    this.checksValues = workload.checkValues;
    const shapes = phrases.flatMap(({ commands, batch, second }) => [
      ...commands,
      ...Object.values(batch ?? {}),
      ...(second === null ? [] : [second.command]),
    ]);
    const largestBytes = largestValue(workload.values);
    this.commandBytes = Math.max(...shapes.map((each) => roomFor(each.longest, largestBytes)));
    // They grow with the operations that there are.
    this.buffers = new BufferPool(() => new SendBuffer(this.commandBytes, this.text));
  }
}

/**
 * One pipelined connection for operations on several keys or in two steps. Replies come in the order of the commands; an
 * operation whose second step waits for the reply to its first keeps its one slot until both are answered, while others
 * go on around it.
 */
export class CompoundChannel extends WireChannel implements ReplySink {
  readonly #workload: CompoundWorkload;
  readonly #scanner: ReplyScanner;
  readonly #outbox: Outbox<SendBuffer>;
  readonly #check: ValueCheck;
  readonly #keyBytes: KeyBytes;
  /** Slots whose step is on its way, and those whose second step is due. */
  readonly #pending: SlotRing;
  readonly #due: SlotRing;
  /** By slot: the value that a second step writes, keys, replies to come, and what came so far. */
  readonly #isSecond: Uint8Array;
  readonly #valueBytes: Float64Array;
  readonly #items: Int32Array;
  readonly #replies: Int32Array;
  readonly #bytes: Float64Array;
  readonly #hits: Float64Array;
  readonly #failures: (string | null)[];
  readonly #missed: Uint8Array;
  /** Of the first pending slot: replies that came, and the key of a batch that the next value is looked for from. */
  #reply = 0;
  #cursor = 0;
  /** The value at hand is one that was asked for. */
  #isExpected = true;

  constructor(lane: Lane, workload: CompoundWorkload, options: WireOptions) {
    super(lane, options);
    const { depth } = lane;
    this.#workload = workload;
    this.#scanner = new ReplyScanner(this, { values: workload.checksValues });
    this.#outbox = new Outbox(workload.buffers);
    this.#check = new ValueCheck(workload.text);
    this.#keyBytes = new KeyBytes(workload.keys);
    this.#pending = new SlotRing(depth);
    this.#due = new SlotRing(depth);
    this.#isSecond = new Uint8Array(depth);
    this.#valueBytes = new Float64Array(depth);
    this.#items = new Int32Array(depth);
    this.#replies = new Int32Array(depth);
    this.#bytes = new Float64Array(depth);
    this.#hits = new Float64Array(depth);
    this.#failures = new Array<string | null>(depth).fill(null);
    this.#missed = new Uint8Array(depth);
  }

  pump(nowNs: number): void {
    const outbox = this.#outbox;
    if (!this.isOpen || outbox.isBlocked) return;
    const { lane } = this;
    while (this.#due.count > 0) {
      const slot = this.#due.first;
      this.#due.drop();
      lane.wroteIn(slot, this.#saySecond(slot));
      if (this.#isFull()) return;
    }
    while (lane.take(nowNs)) {
      lane.wrote(this.#sayFirst(lane.slot));
      if (this.#isFull()) return;
    }
    outbox.flush(this.connection as Connection);
  }

  // --- for the connection ---

  protected renew(): void {
    this.#pending.clear();
    this.#due.clear();
    this.#reply = 0;
    this.#cursor = 0;
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

  reply(outcome: number, items: number, bytes: number): void {
    const slot = this.#waitingSlot();
    const verdict = this.#verdictsOf(slot)[outcome];
    if (verdict === VERDICT.breach || (items > 0 && outcome !== OUTCOME.read))
      throw new ReplyInvalid('a reply to another command');
    if (verdict === VERDICT.failure) this.#failures[slot] ??= OUTCOME_ERRORS[outcome] as string;
    if (verdict === VERDICT.miss || (outcome === OUTCOME.read && items === 0)) this.#missed[slot] = 1;
    this.#hits[slot] = (this.#hits[slot] as number) + items;
    this.#endReply(slot, bytes);
  }

  error(kind: string, bytes: number): void {
    const slot = this.#waitingSlot();
    this.#failures[slot] ??= kind;
    this.#endReply(slot, bytes);
  }

  valueBegins(length: number, line: Uint8Array, lineAt: number, lineEnd: number): void {
    const slot = this.#waitingSlot();
    const key = this.#keyOfValue(slot, line, lineAt, lineEnd);
    this.#isExpected = key !== null;
    this.#check.begin(key ?? 0, length);
  }

  value(bytes: Uint8Array, start: number, end: number): void {
    this.#check.add(bytes, start, end);
  }

  valueEnds(): void {
    if (!this.#isExpected || !this.#check.right) this.#failures[this.#pending.first] ??= 'VALUE_MISMATCH';
  }

  // --- what is said ---

  #sayFirst(slot: number): number {
    const { stream } = this.lane;
    const { commands, batch, repliesByKey } = this.#workload.phrases[stream.operation] as Phrase;
    const items = batch === null ? 1 : stream.items;
    this.#isSecond[slot] = 0;
    this.#valueBytes[slot] = stream.valueBytes;
    this.#items[slot] = items;
    this.#replies[slot] = repliesByKey ? items : 1;
    this.#bytes[slot] = 0;
    this.#hits[slot] = 0;
    this.#failures[slot] = null;
    this.#missed[slot] = 0;
    this.#pending.push(slot);
    let bytes = 0;
    if (batch === null) {
      for (const command of commands) bytes += this.#say(command, stream.key, stream.valueBytes);
      return bytes;
    }
    for (let index = 0; index < items; index++) {
      const isLast = index === items - 1;
      const shapes = index === 0 ? (isLast ? batch.only : batch.first) : isLast ? batch.last : batch.inner;
      bytes += this.#say(shapes, stream.keys[index] as number, stream.sizes[index] ?? 0);
    }
    return bytes;
  }

  #saySecond(slot: number): number {
    const { lane } = this;
    const { second } = this.#workload.phrases[lane.operationIn(slot)] as Phrase;
    this.#isSecond[slot] = 1;
    this.#replies[slot] = 1;
    this.#pending.push(slot);
    const { command } = second as NonNullable<Phrase['second']>;
    return this.#say(command, lane.keyIn(slot), this.#valueBytes[slot] as number);
  }

  /** Adds one command and returns its length. */
  #say(shapes: CommandShapes, key: number, valueBytes: number): number {
    const { buffer } = this.#outbox;
    const { commandBytes, text } = this.#workload;
    const shape = shapes.of(key);
    buffer.reserve(commandBytes);
    const before = buffer.length;
    buffer.add(shape, key, valueBytes);
    if (shape.value !== 'after' || valueBytes <= INLINE_VALUE_BYTES) return buffer.length - before;
    this.#outbox.sendShared(this.connection as Connection, text, valueBytes);
    buffer.addTail(shape);
    return buffer.length - before + valueBytes - MARK_BYTES;
  }

  /** Sends what there is if it is much. True: sending goes on once it has left. */
  #isFull(): boolean {
    const outbox = this.#outbox;
    if (outbox.buffer.length < SEND_BYTES) return false;
    outbox.flush(this.connection as Connection);
    return outbox.isBlocked;
  }

  // --- what is answered ---

  /** The slot that the reply at hand is for. */
  #waitingSlot(): number {
    // A reply without a command would be booked for the wrong operation.
    if (this.#pending.count === 0) throw new ReplyInvalid('more replies than commands');
    return this.#pending.first;
  }

  #verdictsOf(slot: number): Uint8Array {
    const { verdicts, second } = this.#workload.phrases[this.lane.operationIn(slot)] as Phrase;
    return this.#isSecond[slot] === 1 && second !== null ? second.verdicts : verdicts;
  }

  /** The key that a value belongs to; null: it was not asked for. */
  #keyOfValue(slot: number, line: Uint8Array, lineAt: number, lineEnd: number): number | null {
    const { lane } = this;
    const { batch, repliesByKey } = this.#workload.phrases[lane.operationIn(slot)] as Phrase;
    if (batch === null) return lane.keyIn(slot);
    if (repliesByKey) return lane.batchKeyIn(slot, this.#reply);
    // Values come in the order of the keys, without those that are not there.
    const keyAt = lineAt + VALUE_WORD_BYTES;
    const keyEnd = line.indexOf(SPACE, keyAt);
    while (this.#cursor < (this.#items[slot] as number)) {
      const key = lane.batchKeyIn(slot, this.#cursor++);
      if (keyEnd < lineEnd && this.#keyBytes.is(key, line, keyAt, keyEnd)) return key;
    }
    return null;
  }

  #endReply(slot: number, bytes: number): void {
    this.#bytes[slot] = (this.#bytes[slot] as number) + bytes;
    this.#cursor = 0;
    if (++this.#reply < (this.#replies[slot] as number)) return;
    this.#reply = 0;
    this.#pending.drop();
    const { second } = this.#workload.phrases[this.lane.operationIn(slot)] as Phrase;
    if (second !== null && this.#isSecond[slot] === 0 && this.#failures[slot] === null) this.#due.push(slot);
    else this.#end(slot);
  }

  #end(slot: number): void {
    const { lane } = this;
    const failure = this.#failures[slot] as string | null;
    const bytes = this.#bytes[slot] as number;
    if (failure !== null) {
      lane.fail(slot, failure, bytes);
      return;
    }
    const operation = lane.operationIn(slot);
    if (this.#workload.canMiss[operation] === true) {
      lane.succeed(slot, this.#missed[slot] === 1, bytes);
      return;
    }
    const { verdicts } = this.#workload.phrases[operation] as Phrase;
    const hits = this.#hits[slot] as number;
    const isRead = verdicts[OUTCOME.read] !== VERDICT.breach;
    lane.succeedItems(slot, hits, isRead ? (this.#items[slot] as number) - hits : 0, bytes);
  }
}
