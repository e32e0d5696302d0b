import type { Workload } from '@pacecar/protocol';
import type { Lane } from '../../engine/lane.js';
import { largestValue, type SharedText, textOf } from '../../engine/shared-text.js';
import { MARK_BYTES } from '../../engine/value-source.js';
import { type CommandShapes, INLINE_VALUE_BYTES } from './command-shape.js';
import type { Connection } from './connection.js';
import { BufferPool, Outbox } from './outbox.js';
import { ReplyInvalid } from './reply-invalid.js';
import { roomFor, SendBuffer } from './send-buffer.js';
import { WireChannel, type WireOptions } from './wire-channel.js';

/** The most that leaves in one write: large enough to make writes rare, small enough for the processor's cache. */
const SEND_BYTES = 256 * 1024;

/** What all connections of a workload share in which each operation is one command on one key. */
export class PatchedWorkload {
  /** By index into the mix. */
  readonly shapes: readonly CommandShapes[];
  readonly text: SharedText;
  readonly buffers: BufferPool<SendBuffer>;
  /** A send buffer with more than this in it has no room for another command. */
  readonly fullAt: number;

  constructor(workload: Workload, shapes: readonly CommandShapes[]) {
    this.shapes = shapes;
    this.text = textOf(workload);
    const largestBytes = largestValue(workload.values);
    const commandBytes = Math.max(...shapes.map((each) => roomFor(each.longest, largestBytes)));
    const sendBytes = Math.max(commandBytes, Math.min(SEND_BYTES, commandBytes * workload.depth));
    this.fullAt = sendBytes - commandBytes;
    this.buffers = new BufferPool(() => new SendBuffer(sendBytes, this.text));
  }
}

/** One pipelined connection: commands out of reused buffers, one reply for each, in their order. */
export abstract class PatchedChannel extends WireChannel {
  readonly #workload: PatchedWorkload;
  readonly #outbox: Outbox<SendBuffer>;
  /** Replies come in the order of the commands, and so slots go round. */
  protected oldestSlot = 0;

  constructor(lane: Lane, workload: PatchedWorkload, options: WireOptions) {
    super(lane, options);
    this.#workload = workload;
    this.#outbox = new Outbox(workload.buffers);
  }

  pump(nowNs: number): void {
    const outbox = this.#outbox;
    if (!this.isOpen || outbox.isBlocked) return;
    const { lane } = this;
    const { stream } = lane;
    const { shapes, fullAt, text } = this.#workload;
    const connection = this.connection as Connection;
    let buffer: SendBuffer | null = null;
    while (lane.take(nowNs)) {
      buffer ??= outbox.buffer;
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
        buffer = null;
      }
    }
    outbox.flush(connection);
  }

  protected renew(): void {
    this.oldestSlot = 0;
    this.#outbox.renew();
  }

  protected sent(): boolean {
    return this.#outbox.written();
  }

  /** The slot that the reply at hand is for. */
  protected nextSlot(): number {
    // A reply without a command would be booked for the wrong operation.
    if (this.lane.inFlight === 0) throw new ReplyInvalid('more replies than commands');
    const slot = this.oldestSlot;
    this.oldestSlot = slot + 1 === this.lane.depth ? 0 : slot + 1;
    return slot;
  }
}
