import { asPacecarError, type Operation, type Target, type Workload } from '@pacecar/protocol';
import type { Channel, EngineClock, Refusal } from '../../engine/driver-port.js';
import type { Lane } from '../../engine/lane.js';
import { largestKey } from '../../engine/inserted-keys.js';
import { largestValue, MARK_BYTES, sharedText, TEXT_BYTES, ValueCheck } from '../../engine/value-source.js';
import { errorKindOf } from '../error-kind.js';
import { CommandShapes, INLINE_VALUE_BYTES } from './command-shape.js';
import { Connection, type ConnectionOwner } from './connection.js';
import { Login, notOpened } from './login.js';
import { ReplyInvalid, ReplyScanner, type ReplySink } from './reply-scanner.js';
import { roomFor, SendBuffer } from './send-buffer.js';

/** What leaves in one write: large enough to make writes rare, small enough for thousands of connections. */
const SEND_BYTES = 64 * 1024;

/** An answer with a value up to this is a miss: nil for GET, 0 for DEL; a SET never misses. */
const MISS_UP_TO: Readonly<Partial<Record<Operation, number>>> = { get: -1, delete: 0 };

/** What all connections of a workload share. */
export class RespWorkload {
  readonly shapes: readonly CommandShapes[];
  readonly missUpTo: readonly number[];
  readonly checksValue: readonly boolean[];
  readonly checksValues: boolean;
  /** Of a send buffer, and of the longest command in it. */
  readonly sendBytes: number;
  readonly commandBytes: number;

  /** The shared text of the values. */
  readonly text: Uint8Array;

  constructor(workload: Workload) {
    this.text = sharedText(workload.values.content);
    const keys = { ...workload.keys, maximum: largestKey(workload) };
    this.shapes = workload.mix.map(
      ({ operation }, index) => new CommandShapes(operation, keys, workload.values, index),
    );
    this.missUpTo = workload.mix.map(({ operation }) => MISS_UP_TO[operation] ?? Number.NEGATIVE_INFINITY);
    this.checksValue = workload.mix.map(({ operation }) => workload.checkValues && operation === 'get');
    this.checksValues = this.checksValue.includes(true);
    const largestBytes = largestValue(workload.values);
    this.commandBytes = Math.max(...this.shapes.map((shapes) => roomFor(shapes.longest, largestBytes)));
    this.sendBytes = Math.max(this.commandBytes, Math.min(SEND_BYTES, this.commandBytes * workload.depth));
  }

  createBuffer(): SendBuffer {
    return new SendBuffer(this.sendBytes, this.text);
  }
}

/** One pipelined connection: commands out of two reused buffers, replies scanned where they arrive. */
export class RespChannel implements Channel, ConnectionOwner, ReplySink {
  readonly #lane: Lane;
  readonly #workload: RespWorkload;
  readonly #clock: EngineClock;
  readonly #target: Target;
  readonly #noDelay: boolean;
  readonly #connectTimeoutMs: number;
  readonly #scanner: ReplyScanner;
  readonly #check: ValueCheck;
  /** `#buffer` is being filled; `#other` may still be on its way out. */
  #buffer: SendBuffer;
  #other: SendBuffer;
  #otherIsOut = false;
  /** Both buffers are on their way out: sending goes on once they have left. */
  #isBlocked = false;
  #connection: Connection | null = null;
  #login: Login | null = null;
  #connectTimer: NodeJS.Timeout | null = null;
  #wasConnected = false;
  #isOpen = false;
  /** Replies come in the order of the commands, and so slots go round. */
  #oldestSlot = 0;
  #hasBody = false;
  /** Where the part of the buffer begins that was not handed to the socket yet. */
  #segmentStart = 0;
  #isCorked = false;

  constructor(
    lane: Lane,
    workload: RespWorkload,
    options: { clock: EngineClock; target: Target; noDelay: boolean; connectTimeoutMs: number },
  ) {
    this.#lane = lane;
    this.#workload = workload;
    this.#clock = options.clock;
    this.#target = options.target;
    this.#noDelay = options.noDelay;
    this.#connectTimeoutMs = options.connectTimeoutMs;
    this.#check = new ValueCheck(workload.text);
    this.#scanner = new ReplyScanner(this, workload.checksValues);
    this.#buffer = workload.createBuffer();
    this.#other = workload.createBuffer();
  }

  // --- for the engine ---

  open(): void {
    this.close();
    this.#wasConnected = false;
    this.#oldestSlot = 0;
    this.#scanner.reset();
    this.#hasBody = false;
    this.#renewBuffers();
    this.#login = new Login(this.#target);
    this.#connectTimer = setTimeout(
      () =>
        this.#refuse(
          notOpened(this.#target, {
            connected: this.#wasConnected,
            timeoutMs: this.#connectTimeoutMs,
            reason: 'timeout',
          }),
        ),
      this.#connectTimeoutMs,
    );
    const { host, port } = this.#target;
    this.#connection = new Connection({ host, port, noDelay: this.#noDelay }, this);
  }

  pump(nowNs: number): void {
    if (!this.#isOpen || this.#isBlocked) return;
    const lane = this.#lane;
    const { stream } = lane;
    const { shapes, sendBytes, commandBytes } = this.#workload;
    const fullAt = sendBytes - commandBytes;
    let buffer = this.#buffer;
    while (lane.take(nowNs)) {
      const before = buffer.length;
      buffer.add((shapes[stream.operation] as CommandShapes).of(stream.key), stream.key, stream.valueBytes);
      if (stream.valueBytes > INLINE_VALUE_BYTES) {
        this.#sendOutside(stream.valueBytes);
        lane.wrote(buffer.length - before + stream.valueBytes - MARK_BYTES);
      } else {
        lane.wrote(buffer.length - before);
      }
      if (buffer.length > fullAt) {
        this.#flush();
        if (this.#isBlocked) return;
        buffer = this.#buffer;
      }
    }
    if (buffer.length > 0) this.#flush();
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
    this.#isOpen = false;
    this.#endLogin();
  }

  // --- for the connection ---

  connected(): void {
    this.#wasConnected = true;
    if (this.#login !== null) this.#connection?.write(this.#login.request);
  }

  received(readBuffer: Buffer, length: number): void {
    if (!this.#isOpen) {
      this.#receiveLogin(readBuffer.subarray(0, length));
      return;
    }
    const nowNs = this.#clock.nowNs();
    const lane = this.#lane;
    lane.begin(nowNs);
    try {
      this.#scanner.scan(readBuffer, 0, length);
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
    this.#otherIsOut = false;
    if (!this.#isBlocked) return;
    this.#isBlocked = false;
    this.#buffer.clear();
    this.#segmentStart = 0;
    this.pump(this.#clock.nowNs());
  }

  lost(reason: string): void {
    if (this.#isOpen) {
      this.#cut(this.#clock.nowNs());
    } else {
      this.#refuse(notOpened(this.#target, { connected: this.#wasConnected, timeoutMs: null, reason }));
    }
  }

  // --- for the scanner ---

  reply(_type: number, value: number, bytes: number): void {
    const slot = this.#nextSlot();
    const operation = this.#lane.operationIn(slot);
    if (this.#hasBody) {
      this.#hasBody = false;
      if (this.#workload.checksValue[operation] === true && !this.#check.right) {
        this.#lane.fail(slot, 'VALUE_MISMATCH', bytes);
        return;
      }
    }
    this.#lane.succeed(slot, value <= (this.#workload.missUpTo[operation] as number), bytes);
  }

  error(word: string, bytes: number): void {
    this.#lane.fail(this.#nextSlot(), errorKindOf(word), bytes);
  }

  bodyBegins(length: number): void {
    this.#hasBody = true;
    this.#check.begin(this.#lane.keyIn(this.#oldestSlot), length);
  }

  body(bytes: Uint8Array, start: number, end: number): void {
    this.#check.add(bytes, start, end);
  }

  // --- inside ---

  #nextSlot(): number {
    // A reply without a command would be booked for the wrong operation.
    if (this.#lane.inFlight === 0) throw new ReplyInvalid('more replies than commands');
    const slot = this.#oldestSlot;
    this.#oldestSlot = slot + 1 === this.#lane.depth ? 0 : slot + 1;
    return slot;
  }

  /** Sends what is in the buffer, and has an empty one in its place unless both are on their way out. */
  #flush(): void {
    const connection = this.#connection as Connection;
    const buffer = this.#buffer;
    connection.write(buffer.from(this.#segmentStart));
    if (this.#isCorked) {
      this.#isCorked = false;
      connection.uncork();
    }
    this.#segmentStart = 0;
    if (connection.isFlushed) {
      buffer.clear();
    } else if (this.#otherIsOut) {
      this.#isBlocked = true;
    } else {
      this.#otherIsOut = true;
      this.#buffer = this.#other;
      this.#other = buffer;
      this.#buffer.clear();
    }
  }

  /** The rest of a large value goes out of the shared text itself, without being copied. */
  #sendOutside(valueBytes: number): void {
    const connection = this.#connection as Connection;
    if (!this.#isCorked) {
      this.#isCorked = true;
      connection.cork();
    }
    const buffer = this.#buffer;
    connection.write(buffer.from(this.#segmentStart));
    for (let at = MARK_BYTES; at < valueBytes; ) {
      const start = at % TEXT_BYTES;
      const length = Math.min(valueBytes - at, TEXT_BYTES - start);
      connection.write(this.#workload.text.subarray(start, start + length));
      at += length;
    }
    this.#segmentStart = buffer.length;
    buffer.addLineEnd();
  }

  /** The socket of a cut connection may still hold what it had to send: a new one begins with buffers of its own. */
  #renewBuffers(): void {
    this.#segmentStart = 0;
    this.#isCorked = false;
    if (this.#isBlocked || this.#otherIsOut) {
      this.#buffer = this.#workload.createBuffer();
      this.#other = this.#workload.createBuffer();
    }
    this.#isBlocked = false;
    this.#otherIsOut = false;
    this.#buffer.clear();
  }

  #receiveLogin(bytes: Uint8Array): void {
    try {
      if (this.#login?.receive(bytes) !== true) return;
    } catch (thrown) {
      this.#refuse(asPacecarError(thrown));
      return;
    }
    this.#endLogin();
    this.#isOpen = true;
    this.#lane.opened();
  }

  #endLogin(): void {
    this.#login = null;
    if (this.#connectTimer !== null) clearTimeout(this.#connectTimer);
    this.#connectTimer = null;
  }

  #refuse(refusal: Refusal): void {
    this.close();
    this.#lane.refused(refusal);
  }

  #cut(nowNs: number): void {
    this.close();
    this.#lane.cut(nowNs);
  }
}
