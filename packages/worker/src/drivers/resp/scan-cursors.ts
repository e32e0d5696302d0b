import type { Slot, SlotFiller } from '../../engine/command-template.js';
import type { Operands } from '../../engine/operands.js';

/** Digits of an unsigned 64-bit number. */
const CURSOR_BYTES = 20;
const ZERO = 48;

/** Where each slot of a connection is on its own walk over all keys: the cursor that its last SCAN gave. */
export class ScanCursors {
  readonly #bytes: Uint8Array;
  readonly #lengths: Uint8Array;

  constructor(depth: number) {
    this.#bytes = new Uint8Array(depth * CURSOR_BYTES).fill(ZERO);
    this.#lengths = new Uint8Array(depth).fill(1);
  }

  isAtStart(slot: number): boolean {
    return this.#lengths[slot] === 1 && this.#bytes[slot * CURSOR_BYTES] === ZERO;
  }

  lengthOf(slot: number): number {
    return this.#lengths[slot] as number;
  }

  write(slot: number, bytes: Uint8Array, offset: number): void {
    const from = slot * CURSOR_BYTES;
    for (let index = 0; index < this.lengthOf(slot); index++)
      bytes[offset + index] = this.#bytes[from + index] as number;
  }

  /** A new cursor comes for the slot. False: that long is no cursor. */
  begin(slot: number, length: number): boolean {
    if (length === 0 || length > CURSOR_BYTES) return false;
    this.#lengths[slot] = 0;
    return true;
  }

  add(slot: number, bytes: Uint8Array, start: number, end: number): void {
    const length = this.lengthOf(slot);
    this.#bytes.set(bytes.subarray(start, end), slot * CURSOR_BYTES + length);
    this.#lengths[slot] = length + end - start;
  }
}

/** Fills the cursor into SCAN, in the place of a value. */
export class CursorFiller implements SlotFiller {
  operands: Operands | null = null;
  #cursors: ScanCursors | null = null;
  #slot = 0;

  /** The next command is for this slot. */
  stand(cursors: ScanCursors, slot: number): void {
    this.#cursors = cursors;
    this.#slot = slot;
  }

  widthOf(): number {
    return (this.#cursors as ScanCursors).lengthOf(this.#slot);
  }

  fill(_slot: Slot, bytes: Uint8Array, offset: number): void {
    (this.#cursors as ScanCursors).write(this.#slot, bytes, offset);
  }

  refill(slot: Slot, bytes: Uint8Array, offset: number): void {
    this.fill(slot, bytes, offset);
  }
}
