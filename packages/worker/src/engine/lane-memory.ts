import type { OperationStream } from './operation-stream.js';
import type { Pace } from './pace.js';

/** What is remembered of operations in flight beyond time, key and action, by slot. */
export class LaneMemory {
  /** When an operation was due, in the open model. */
  readonly dueNs: Float64Array;
  /** These are empty if each operation has one key and at most one value. */
  readonly fields: Int32Array;
  readonly #stream: OperationStream;
  readonly #keysPerSlot: number;
  readonly #keys: Float64Array;
  /** Empty if nothing is inserted. */
  readonly #inserts: Float64Array;

  constructor(depth: number, stream: OperationStream, isOpen: boolean) {
    this.#stream = stream;
    const parts = stream.isComposed ? depth : 0;
    this.dueNs = new Float64Array(isOpen ? depth : 0);
    this.fields = new Int32Array(parts);
    this.#keysPerSlot = stream.keys.length;
    this.#keys = new Float64Array(parts * this.#keysPerSlot);
    this.#inserts = new Float64Array(stream.inserts === null ? 0 : depth);
  }

  static needed(stream: OperationStream, pace: Pace | null): boolean {
    return pace !== null || stream.isComposed || stream.inserts !== null;
  }

  keyIn(slot: number, index: number): number {
    return this.#keys[slot * this.#keysPerSlot + index] as number;
  }

  /** The operation at which the stream stands begins in `slot`. */
  remember(slot: number): void {
    const stream = this.#stream;
    if (stream.isInsert) this.#inserts[slot] = stream.insert;
    if (!stream.isComposed) return;
    this.fields[slot] = stream.field;
    const perSlot = this.#keysPerSlot;
    for (let index = 0; index < stream.items && index < perSlot; index++)
      this.#keys[slot * perSlot + index] = stream.keys[index] as number;
  }

  ended(slot: number, operation: number, isWritten: boolean): void {
    if (this.#inserts.length > 0 && this.#stream.insertsBy(operation))
      this.#stream.inserts?.ended(this.#inserts[slot] as number, isWritten);
  }
}
