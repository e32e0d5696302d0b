import type { Workload } from '@pacecar/protocol';
import type { Lane } from '../../engine/lane.js';
import { ValueCheck } from '../../engine/value-source.js';
import { PatchedChannel, PatchedWorkload } from '../wire/patched-channel.js';
import { ReplyInvalid } from '../wire/reply-invalid.js';
import type { WireOptions } from '../wire/wire-channel.js';
import type { CommandShapes } from '../wire/command-shape.js';
import { type Phrase, VERDICT } from './phrase.js';
import { OUTCOME, OUTCOME_ERRORS, OUTCOMES, type ReplySink } from './reply.js';
import { ReplyScanner } from './reply-scanner.js';

/** What all connections of a workload share in which each operation is one command on one key. */
export class KeyWorkload extends PatchedWorkload {
  /** By index into the mix, OUTCOMES of each. */
  readonly verdicts: Uint8Array;
  readonly checksValues: boolean;

  /** null: it is not such a workload. */
  static of(workload: Workload, phrases: readonly Phrase[]): KeyWorkload | null {
    const isPlain = phrases.every(
      ({ commands, batch, second }) => commands.length === 1 && batch === null && second === null,
    );
    return isPlain ? new KeyWorkload(workload, phrases) : null;
  }

  private constructor(workload: Workload, phrases: readonly Phrase[]) {
    super(
      workload,
      phrases.map(({ commands }) => commands[0] as CommandShapes),
    );
    this.verdicts = Uint8Array.from(phrases.flatMap(({ verdicts }) => [...verdicts]));
    this.checksValues = workload.checkValues && workload.mix.some(({ operation }) => operation === 'get');
  }
}

/** One pipelined connection: one reply for each command, in their order. */
export class KeyChannel extends PatchedChannel implements ReplySink {
  readonly #workload: KeyWorkload;
  readonly #scanner: ReplyScanner;
  readonly #check: ValueCheck;

  constructor(lane: Lane, workload: KeyWorkload, options: WireOptions) {
    super(lane, workload, options);
    this.#workload = workload;
    this.#scanner = new ReplyScanner(this, { values: workload.checksValues });
    this.#check = new ValueCheck(workload.text);
  }

  // --- for the connection ---

  protected override renew(): void {
    super.renew();
    this.#scanner.reset();
  }

  protected scan(bytes: Uint8Array, length: number): void {
    this.#scanner.scan(bytes, 0, length);
  }

  // --- for the scanner ---

  reply(outcome: number, items: number, bytes: number): void {
    const slot = this.nextSlot();
    const { lane } = this;
    const verdict = this.#workload.verdicts[lane.operationIn(slot) * OUTCOMES + outcome];
    if (items > 0) {
      if (items > 1 || verdict !== VERDICT.hit) throw new ReplyInvalid('a reply to another command');
      if (this.#workload.checksValues && !this.#check.right) lane.fail(slot, 'VALUE_MISMATCH', bytes);
      else lane.succeed(slot, false, bytes);
    } else if (verdict === VERDICT.hit) {
      // A read without a value found nothing.
      lane.succeed(slot, outcome === OUTCOME.read, bytes);
    } else if (verdict === VERDICT.miss) {
      lane.succeed(slot, true, bytes);
    } else if (verdict === VERDICT.failure) {
      lane.fail(slot, OUTCOME_ERRORS[outcome] as string, bytes);
    } else {
      throw new ReplyInvalid('a reply to another command');
    }
  }

  error(kind: string, bytes: number): void {
    this.lane.fail(this.nextSlot(), kind, bytes);
  }

  valueBegins(length: number): void {
    this.#check.begin(this.lane.keyIn(this.oldestSlot), length);
  }

  value(bytes: Uint8Array, start: number, end: number): void {
    this.#check.add(bytes, start, end);
  }

  valueEnds(): void {
    // What the check found is asked once the reply is whole.
  }
}
