import type { Operands } from '../../../engine/operands.js';

/** What operations in flight are made of, by slot, so that they can be said again at another node. */
export class OperandStore {
  readonly #parts: readonly Operands[];

  constructor(depth: number, like: Operands) {
    this.#parts = Array.from({ length: depth }, () => ({
      ...{ key: 0, valueBytes: 0, number: 0, items: 0, field: 0, writtenField: 0 },
      keys: new Float64Array(like.keys.length),
      sizes: new Float64Array(like.sizes.length),
      fields: new Int32Array(like.fields.length),
      numbers: new Float64Array(like.numbers.length),
    }));
  }

  remember(slot: number, operands: Operands): void {
    const kept = this.#parts[slot] as { -readonly [Name in keyof Operands]: Operands[Name] };
    kept.key = operands.key;
    kept.valueBytes = operands.valueBytes;
    kept.number = operands.number;
    kept.items = operands.items;
    kept.field = operands.field;
    kept.writtenField = operands.writtenField;
    // Mostly empty or of one number: a loop is less than a call.
    for (let at = 0; at < kept.keys.length; at++) kept.keys[at] = operands.keys[at] as number;
    for (let at = 0; at < kept.sizes.length; at++) kept.sizes[at] = operands.sizes[at] as number;
    for (let at = 0; at < kept.fields.length; at++) kept.fields[at] = operands.fields[at] as number;
    for (let at = 0; at < kept.numbers.length; at++) kept.numbers[at] = operands.numbers[at] as number;
  }

  recall(slot: number): Operands {
    return this.#parts[slot] as Operands;
  }
}
