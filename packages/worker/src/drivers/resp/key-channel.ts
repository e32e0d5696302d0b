import type { Action, Operation, Workload } from '@pacecar/protocol';
import type { Lane } from '../../engine/lane.js';
import { ValueCheck } from '../../engine/value-source.js';
import { errorKindOf } from '../error-kind.js';
import { CommandShapes } from '../wire/command-shape.js';
import { type KeyCommand, keyCommand } from './key-command.js';
import { keyForm } from './key-form.js';
import { PatchedChannel, PatchedWorkload } from '../wire/patched-channel.js';
import { ReplyScanner } from './reply-scanner.js';
import type { ReplySink } from './reply-sink.js';
import type { WireOptions } from '../wire/wire-channel.js';

/** Operations whose answer is a value or a part of one. */
const CHECKED: ReadonlySet<string> = new Set<Operation>(['get', 'getRange']);

/** What all connections of a workload share in which each operation is one command on one key. */
export class KeyWorkload extends PatchedWorkload {
  readonly missUpTo: readonly number[];
  readonly checksValue: readonly boolean[];
  /** By operation: the part of a value that it reads; null: all of it. */
  readonly ranges: readonly Action['range'][];
  readonly checksValues: boolean;

  /** null: it is not such a workload. */
  static of(workload: Workload): KeyWorkload | null {
    const commands = workload.mix.flatMap((action) => keyCommand(action, workload) ?? []);
    return commands.length < workload.mix.length ? null : new KeyWorkload(workload, commands);
  }

  private constructor(workload: Workload, commands: readonly KeyCommand[]) {
    super(
      workload,
      commands.map((command, index) => new CommandShapes(keyForm(command), workload, index)),
    );
    this.missUpTo = commands.map(({ missUpTo }) => missUpTo);
    this.checksValue = workload.mix.map(({ operation }) => workload.checkValues && CHECKED.has(operation));
    this.ranges = workload.mix.map(({ operation, range }) => (operation === 'getRange' ? range : null));
    this.checksValues = this.checksValue.includes(true);
  }
}

/** One pipelined connection: replies scanned where they arrive. */
export class KeyChannel extends PatchedChannel implements ReplySink {
  readonly #workload: KeyWorkload;
  readonly #scanner: ReplyScanner;
  readonly #check: ValueCheck;
  #hasBody = false;

  constructor(lane: Lane, workload: KeyWorkload, options: WireOptions) {
    super(lane, workload, options);
    this.#workload = workload;
    this.#scanner = new ReplyScanner(this, { items: false, bodies: workload.checksValues });
    this.#check = new ValueCheck(workload.text);
  }

  // --- for the connection ---

  protected override renew(): void {
    super.renew();
    this.#hasBody = false;
    this.#scanner.reset();
  }

  protected scan(bytes: Uint8Array, length: number): void {
    this.#scanner.scan(bytes, 0, length);
  }

  // --- for the scanner ---

  reply(_type: number, value: number, bytes: number): void {
    const slot = this.nextSlot();
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
    this.lane.fail(this.nextSlot(), errorKindOf(word), bytes);
  }

  item(): void {
    // Replies of commands on one key are one value: the reply says it all.
  }

  errorInside(): void {
    // As for `item`.
  }

  bodyBegins(length: number): void {
    this.#hasBody = true;
    const slot = this.oldestSlot;
    const key = this.lane.keyIn(slot);
    const range = this.#workload.ranges[this.lane.operationIn(slot)] ?? null;
    if (range === null) this.#check.begin(key, length);
    else {
      const { offsetBytes: offset, lengthBytes: asked } = range;
      this.#check.beginPart(key, { offset, asked, received: length });
    }
  }

  body(bytes: Uint8Array, start: number, end: number): void {
    this.#check.add(bytes, start, end);
  }

  bodyEnds(): void {
    // What the check found is asked once the reply is whole.
  }
}
