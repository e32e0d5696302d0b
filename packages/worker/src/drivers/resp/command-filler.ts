import type { Keys, Placeholder, Workload } from '@pacecar/protocol';
import type { Slot, SlotFiller } from '../../engine/command-template.js';
import { writePadded } from '../../engine/distribution/decimal64.js';
import { keyDigits, writeKeyNumber } from '../../engine/key-text.js';
import { ALL_FIELDS } from '../../engine/operation-stream.js';
import { RecordOwners } from '../../engine/record-owners.js';
import { type SharedText, textOf } from '../../engine/shared-text.js';
import { fieldKey, MARK_BYTES, writeMark, writeShared } from '../../engine/value-source.js';
import { digitsOf } from '../wire/command-shape.js';
import type { Operands } from '../../engine/operands.js';

const FIELD_PREFIX = Buffer.from('field');

/** Which of an operation's keys, values, fields and numbers stands in which slot of one command. */
export interface FillerRole {
  key(operands: Operands, occurrence: number): number;
  /** By which a value is marked, and its length. */
  valueKey(operands: Operands, occurrence: number): number;
  /** The field of the record that a value is; null: values are none. */
  readonly valueField: ((operands: Operands, occurrence: number) => number) | null;
  valueBytes(operands: Operands, occurrence: number): number;
  field(operands: Operands, occurrence: number): number;
  /** Of the other placeholders. */
  number(operands: Operands, placeholder: Placeholder, occurrence: number): number;
}

/** Fills the slots of commands with texts of the operation that stands in `operands`. */
export class CommandFiller implements SlotFiller {
  operands: Operands | null = null;
  readonly #role: FillerRole;
  readonly #keys: Keys;
  readonly #prefix: Buffer;
  readonly #suffix: Buffer;
  readonly #text: SharedText;
  readonly #owners: RecordOwners;

  constructor(workload: Workload, role: FillerRole) {
    this.#role = role;
    this.#keys = workload.keys;
    this.#prefix = Buffer.from(workload.keys.prefix);
    this.#suffix = Buffer.from(workload.keys.suffix);
    this.#text = textOf(workload);
    this.#owners = new RecordOwners(workload.keys);
  }

  widthOf({ placeholder, occurrence }: Slot): number {
    const operands = this.operands as Operands;
    const role = this.#role;
    if (placeholder === 'key')
      return (
        this.#prefix.length + keyDigits(this.#keys, role.key(operands, occurrence)) + this.#suffix.length
      );
    if (placeholder === 'data') return role.valueBytes(operands, occurrence);
    return FIELD_PREFIX.length + digitsOf(role.field(operands, occurrence), 0);
  }

  fill(slot: Slot, bytes: Uint8Array, offset: number, width: number): void {
    switch (slot.placeholder) {
      case 'key':
        bytes.set(this.#prefix, offset);
        bytes.set(this.#suffix, offset + width - this.#suffix.length);
        break;
      case 'data':
        if (width > MARK_BYTES)
          writeShared(bytes, offset + MARK_BYTES, MARK_BYTES, width - MARK_BYTES, this.#text);
        break;
      case 'field':
        bytes.set(FIELD_PREFIX, offset);
        break;
      default:
    }
    this.refill(slot, bytes, offset, width);
  }

  /** The same where a command of the same template, and so with texts of the same lengths, stood before. */
  refill({ placeholder, occurrence }: Slot, bytes: Uint8Array, offset: number, width: number): void {
    const operands = this.operands as Operands;
    const role = this.#role;
    switch (placeholder) {
      case 'key': {
        const key = role.key(operands, occurrence);
        const at = offset + this.#prefix.length;
        if (this.#keys.order === 'hashed') writeKeyNumber(this.#keys, key, bytes, at);
        else writePadded(key, width - this.#prefix.length - this.#suffix.length, bytes, at);
        break;
      }
      case 'data':
        writeMark(bytes, offset, width, this.#owner(operands, occurrence));
        break;
      case 'field': {
        const digits = width - FIELD_PREFIX.length;
        writePadded(role.field(operands, occurrence), digits, bytes, offset + FIELD_PREFIX.length);
        break;
      }
      default:
        writePadded(role.number(operands, placeholder, occurrence), width, bytes, offset);
    }
  }

  /** By which the value in a slot is marked. */
  #owner(operands: Operands, occurrence: number): number {
    const { valueField } = this.#role;
    if (valueField === null) return this.#role.valueKey(operands, occurrence);
    return fieldKey(this.#owners.ofKey(operands.key), valueField(operands, occurrence));
  }
}

/** One key and one value. */
const ONE: FillerRole = {
  key: ({ key }) => key,
  valueKey: ({ key }) => key,
  valueField: null,
  valueBytes: ({ valueBytes }) => valueBytes,
  field: ({ field }) => field,
  number: () => 0,
};

/** Keys and values side by side. */
const BATCH: FillerRole = {
  ...ONE,
  key: ({ keys }, occurrence) => keys[occurrence] as number,
  valueKey: ({ keys }, occurrence) => keys[occurrence] as number,
  valueBytes: ({ sizes }, occurrence) => sizes[occurrence] as number,
};

/** The fields of one record: the one that is read, and those that are written. */
const READ_FIELD: FillerRole = ONE;
const WRITTEN_FIELDS: FillerRole = {
  ...ONE,
  valueField: ({ writtenField }, occurrence) => (writtenField === ALL_FIELDS ? occurrence : writtenField),
  valueBytes: ({ sizes }, occurrence) => sizes[occurrence] as number,
  field: ({ writtenField }) => writtenField,
};
/** All fields of a new record. */
const NEW_FIELDS: FillerRole = {
  ...WRITTEN_FIELDS,
  valueField: (_operands, occurrence) => occurrence,
};

export const ROLES = {
  one: ONE,
  batch: BATCH,
  readField: READ_FIELD,
  writtenFields: WRITTEN_FIELDS,
  newFields: NEW_FIELDS,
} as const;

/** How often each placeholder stands in the commands of an action so far. */
export type Occurrences = Record<Placeholder | 'drawn', number>;

export function noOccurrences(): Occurrences {
  return { key: 0, data: 0, field: 0, rand_int: 0, score: 0, member: 0, counter: 0, drawn: 0 };
}

/**
 * The next command of an action in the target's own language: its slots, in order, take what the stream drew for the
 * placeholders of all of them. `pinned`: one key in all places.
 */
export function commandRole(
  slots: readonly Slot[],
  seen: Occurrences,
  { pinned }: { readonly pinned: boolean },
): FillerRole {
  const places: Record<Placeholder, number[]> = {
    ...{ key: [], data: [], field: [], rand_int: [], score: [], member: [], counter: [] },
  };
  for (const { placeholder } of slots) {
    const isDrawn = placeholder === 'rand_int' || placeholder === 'score' || placeholder === 'member';
    places[placeholder].push(seen[isDrawn ? 'drawn' : placeholder]++);
  }
  return {
    key: pinned
      ? ({ key }) => key
      : ({ keys }, occurrence) => keys[places.key[occurrence] as number] as number,
    valueKey: ({ key }) => key,
    valueField: null,
    valueBytes: ({ sizes }, occurrence) => sizes[places.data[occurrence] as number] as number,
    field: ({ fields }, occurrence) => fields[places.field[occurrence] as number] as number,
    number: ({ numbers, number }, placeholder, occurrence) =>
      placeholder === 'counter' ? number : (numbers[places[placeholder][occurrence] as number] as number),
  };
}
