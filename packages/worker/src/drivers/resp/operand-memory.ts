import { ALL_FIELDS } from '../../engine/operation-stream.js';
import type { Operands } from '../../engine/operands.js';

/** What the second step of the operations in flight writes, by slot. */
export class OperandMemory {
  readonly #sizesPerSlot: number;
  readonly #valueBytes: Float64Array;
  readonly #writtenFields: Int32Array;
  readonly #sizes: Float64Array;
  readonly #recalled: { -readonly [Name in keyof Operands]: Operands[Name] };

  constructor(depth: number, sizesPerSlot: number) {
    this.#sizesPerSlot = sizesPerSlot;
    this.#valueBytes = new Float64Array(depth);
    this.#writtenFields = new Int32Array(depth);
    this.#sizes = new Float64Array(depth * sizesPerSlot);
    this.#recalled = {
      ...{ key: 0, valueBytes: 0, number: 0, items: 0, field: ALL_FIELDS, writtenField: ALL_FIELDS },
      keys: new Float64Array(1),
      sizes: new Float64Array(sizesPerSlot),
      fields: new Int32Array(0),
      numbers: new Float64Array(0),
    };
  }

  remember(slot: number, operands: Operands): void {
    this.#valueBytes[slot] = operands.valueBytes;
    this.#writtenFields[slot] = operands.writtenField;
    const from = slot * this.#sizesPerSlot;
    for (let index = 0; index < this.#sizesPerSlot; index++)
      this.#sizes[from + index] = operands.sizes[index] as number;
  }

  /** Good until the next call. */
  recall(slot: number, key: number): Operands {
    const recalled = this.#recalled;
    recalled.key = key;
    recalled.valueBytes = this.#valueBytes[slot] as number;
    recalled.writtenField = this.#writtenFields[slot] as number;
    const from = slot * this.#sizesPerSlot;
    for (let index = 0; index < this.#sizesPerSlot; index++)
      recalled.sizes[index] = this.#sizes[from + index] as number;
    return recalled;
  }
}
