import type { Workload } from '@pacecar/protocol';
import type { Lane } from '../../engine/lane.js';
import { largestValue, MARK_BYTES, sharedText, ValueCheck } from '../../engine/value-source.js';
import { errorKindOf } from '../error-kind.js';
import { CommandShapes, INLINE_VALUE_BYTES } from './command-shape.js';
import type { Connection } from './connection.js';
import { keyCommand } from './key-command.js';
import { Outbox } from './outbox.js';
import { ReplyInvalid } from './reply-line.js';
import { ReplyScanner } from './reply-scanner.js';
import type { ReplySink } from './reply-sink.js';
import { roomFor, SendBuffer } from './send-buffer.js';
import { WireChannel, type WireOptions } from './wire-channel.js';

/** What leaves in one write: large enough to make writes rare, small enough for thousands of connections. */
const SEND_BYTES = 64 * 1024;

/** What all connections of a workload share in which each operation is one command on one key. */
export class KeyWorkload {
  readonly shapes: readonly CommandShapes[];
  readonly missUpTo: readonly number[];
  readonly checksValue: readonly boolean[];
  readonly checksValues: boolean;
  readonly text: Uint8Array;
  /** Of a send buffer, and of the longest command in it. */
  readonly sendBytes: number;
  readonly commandBytes: number;

  /** null: it is not such a workload. */
  static of(workload: Workload): KeyWorkload | null {
    const commands = workload.mix.map((action) => keyCommand(action, workload));
    const shapes = commands.flatMap((command, index) =>
      command === null ? [] : [new CommandShapes(command, workload, index)],
    );
    return shapes.length < commands.length ? null : new KeyWorkload(workload, shapes);
  }

  private constructor(workload: Workload, shapes: readonly CommandShapes[]) {
    this.shapes = shapes;
    this.missUpTo = shapes.map((shape) => shape.command.missUpTo);
    this.checksValue = workload.mix.map(({ operation }) => workload.checkValues && operation === 'get');
    this.checksValues = this.checksValue.includes(true);
    this.text = sharedText(workload.values.content);
    const largestBytes = largestValue(workload.values);
    this.commandBytes = Math.max(...shapes.map((each) => roomFor(each.longest, largestBytes)));
    this.sendBytes = Math.max(this.commandBytes, Math.min(SEND_BYTES, this.commandBytes * workload.depth));
  }
}

/** One pipelined connection: commands out of two reused buffers, replies scanned where they arrive. */
export class KeyChannel extends WireChannel implements ReplySink {
  readonly #workload: KeyWorkload;
  readonly #scanner: ReplyScanner;
  readonly #outbox: Outbox<SendBuffer>;
  readonly #check: ValueCheck;
  /** Replies come in the order of the commands, and so slots go round. */
  #oldestSlot = 0;
  #hasBody = false;

  constructor(lane: Lane, workload: KeyWorkload, options: WireOptions) {
    super(lane, options);
    this.#workload = workload;
    this.#scanner = new ReplyScanner(this, { items: false, bodies: workload.checksValues });
    this.#outbox = new Outbox(() => new SendBuffer(workload.sendBytes, workload.text));
    this.#check = new ValueCheck(workload.text);
  }

  pump(nowNs: number): void {
    const outbox = this.#outbox;
    if (!this.isOpen || outbox.isBlocked) return;
    const { lane } = this;
    const { stream } = lane;
    const { shapes, sendBytes, commandBytes, text } = this.#workload;
    const fullAt = sendBytes - commandBytes;
    const connection = this.connection as Connection;
    let { buffer } = outbox;
    while (lane.take(nowNs)) {
      const before = buffer.length;
      const shape = (shapes[stream.operation] as CommandShapes).of(stream.key);
      const { valueBytes } = stream;
      buffer.add(shape, stream.key, valueBytes);
      if (valueBytes > INLINE_VALUE_BYTES) {
        outbox.sendShared(connection, text, valueBytes);
        buffer.addTail(shape);
        lane.wrote(buffer.length - before + valueBytes - MARK_BYTES);
      } else {
        lane.wrote(buffer.length - before);
      }
      if (buffer.length > fullAt) {
        outbox.flush(connection);
        if (outbox.isBlocked) return;
        buffer = outbox.buffer;
      }
    }
    if (buffer.length > 0) outbox.flush(connection);
  }

  // --- for the connection ---

  protected renew(): void {
    this.#oldestSlot = 0;
    this.#hasBody = false;
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

  reply(_type: number, value: number, bytes: number): void {
    const slot = this.#nextSlot();
    const operation = this.lane.operationIn(slot);
    if (this.#hasBody) {
      this.#hasBody = false;
      if (this.#workload.checksValue[operation] === true && !this.#check.right) {
        this.lane.fail(slot, 'VALUE_MISMATCH', bytes);
        return;
      }
    }
    this.lane.succeed(slot, value <= (this.#workload.missUpTo[operation] as number), bytes);
  }

  error(word: string, bytes: number): void {
    this.lane.fail(this.#nextSlot(), errorKindOf(word), bytes);
  }

  item(): void {
    // Replies of commands on one key are one value: the reply says it all.
  }

  errorInside(): void {
    // As for `item`.
  }

  bodyBegins(length: number): void {
    this.#hasBody = true;
    this.#check.begin(this.lane.keyIn(this.#oldestSlot), length);
  }

  body(bytes: Uint8Array, start: number, end: number): void {
    this.#check.add(bytes, start, end);
  }

  bodyEnds(): void {
    // What the check found is asked once the reply is whole.
  }

  // --- inside ---

  #nextSlot(): number {
    // A reply without a command would be booked for the wrong operation.
    if (this.lane.inFlight === 0) throw new ReplyInvalid('more replies than commands');
    const slot = this.#oldestSlot;
    this.#oldestSlot = slot + 1 === this.lane.depth ? 0 : slot + 1;
    return slot;
  }
}
