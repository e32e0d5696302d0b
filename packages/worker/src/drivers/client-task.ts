import type { Action, Keys, Workload } from '@pacecar/protocol';
import { keyText } from '../engine/key-text.js';
import { ALL_FIELDS, type OperationStream } from '../engine/operation-stream.js';
import type { Operands } from '../engine/operands.js';
import { RecordOwners } from '../engine/record-owners.js';
import { type SharedText, textOf } from '../engine/shared-text.js';
import { fieldKey, ValueCheck, valueOf } from '../engine/value-source.js';
import { valueText } from '../engine/value-text.js';
import { DONE, HIT, MISMATCH, MISS, type Outcome } from './client-action.js';

/** Text where the workload's values are printable, else bytes. */
export type Value = string | Buffer;
type Read = Value | null | undefined;
type Range = NonNullable<Action['range']>;
type ReadRecord = Readonly<Record<string, Read>> | null | undefined;

/** What all tasks of a workload have in common. */
export class WorkloadData {
  readonly isBinary: boolean;
  readonly checksValues: boolean;
  readonly fields: number;
  readonly owners: RecordOwners;
  readonly #keys: Keys;
  readonly #text: SharedText;
  readonly #check: ValueCheck;

  constructor(workload: Workload) {
    this.isBinary = workload.values.content.kind !== 'printable';
    this.checksValues = workload.checkValues;
    this.fields = workload.records?.fields ?? 1;
    this.#keys = workload.keys;
    this.#text = textOf(workload);
    this.#check = new ValueCheck(this.#text);
    this.owners = new RecordOwners(workload.keys);
  }

  keyText(key: number): string {
    return keyText(this.#keys, key);
  }

  value(key: number, bytes: number): Value {
    if (!this.isBinary) return valueText(key, bytes);
    return Buffer.from(valueOf(key, bytes, this.#text).buffer);
  }

  /** A part of the value of `key`, as far as one can know. */
  isRightPart(key: number, part: Value, { offsetBytes: offset, lengthBytes: asked }: Range): boolean {
    const bytes = Buffer.from(part);
    this.#check.beginPart(key, { offset, asked, received: bytes.length });
    this.#check.add(bytes, 0, bytes.length);
    return this.#check.right;
  }

  isRight(key: number, value: Value): boolean {
    const right = this.value(key, value.length);
    return typeof right === 'string' ? value === right : right.equals(Buffer.from(value));
  }
}

/**
 * One operation in flight on a client: what it is made of, good until it has ended, in the texts and values that
 * libraries take; what its answer means; and how many bytes it took. Numbers of keys and fields are those of the
 * stream; what an operation does not have is stale.
 */
export class ClientTask implements Operands {
  key = 0;
  valueBytes = 0;
  number = 0;
  items = 1;
  field: number = ALL_FIELDS;
  writtenField: number = ALL_FIELDS;
  readonly keys: Float64Array;
  readonly sizes: Float64Array;
  readonly fields: Int32Array;
  readonly numbers: Float64Array;
  /** As far as the library lets one know; the driver adds to them. */
  sentBytes = 0;
  receivedBytes = 0;
  /** Items that the library has answered by itself, from what it keeps: the target was not asked for them. */
  localItems = 0;
  /** What scans of one slot remember from one to the next: where they are. Null at first. */
  cursor: unknown = null;
  readonly #data: WorkloadData;

  constructor(data: WorkloadData, stream: OperationStream) {
    this.#data = data;
    this.keys = new Float64Array(stream.keys.length);
    this.sizes = new Float64Array(stream.sizes.length);
    this.fields = new Int32Array(stream.fields.length);
    this.numbers = new Float64Array(stream.numbers.length);
  }

  /** Takes over the operation at which the stream stands. */
  take(stream: OperationStream): void {
    this.key = stream.key;
    this.valueBytes = stream.valueBytes;
    this.number = stream.number;
    this.sentBytes = 0;
    this.receivedBytes = 0;
    this.localItems = 0;
    if (!stream.isComposed) return;
    this.items = stream.items;
    this.field = stream.field;
    this.writtenField = stream.writtenField;
    this.keys.set(stream.keys);
    this.sizes.set(stream.sizes);
    this.fields.set(stream.fields);
    this.numbers.set(stream.numbers);
  }

  get checksValues(): boolean {
    return this.#data.checksValues;
  }

  /** Values are bytes, not text. */
  get isBinary(): boolean {
    return this.#data.isBinary;
  }

  // --- what is said ---

  get keyText(): string {
    return this.#data.keyText(this.key);
  }

  get value(): Value {
    return this.#data.value(this.key, this.valueBytes);
  }

  /** Keys of getAll and putAll. */
  keyTexts(): string[] {
    const texts: string[] = [];
    for (let index = 0; index < this.items; index++)
      texts.push(this.#data.keyText(this.keys[index] as number));
    return texts;
  }

  /** Keys and values of putAll. */
  entries(): [key: string, value: Value][] {
    const entries: [string, Value][] = [];
    for (let index = 0; index < this.items; index++) {
      const key = this.keys[index] as number;
      entries.push([this.#data.keyText(key), this.#data.value(key, this.sizes[index] as number)]);
    }
    return entries;
  }

  /** Name of the one field that readRecord, scanRecords and readModifyWriteRecord read; null: all. */
  get fieldName(): string | null {
    return this.field === ALL_FIELDS ? null : `field${this.field}`;
  }

  /** Names and values that updateRecord and readModifyWriteRecord write. */
  writtenFields(): [name: string, value: Value][] {
    return this.writtenField === ALL_FIELDS ? this.newFields() : [this.#fieldOf(this.writtenField, 0)];
  }

  /** Names and values of a new record. */
  newFields(): [name: string, value: Value][] {
    return Array.from({ length: this.#data.fields }, (_, field) => this.#fieldOf(field, field));
  }

  // --- what is answered ---

  /** Of a value that was read; nothing there is null or undefined. */
  found(value: Read): Outcome {
    if (value === null || value === undefined) return MISS;
    return this.checksValues && !this.#data.isRight(this.key, value) ? MISMATCH : HIT;
  }

  /** Of a part of a value; of an absent one, and past the end of one, it is empty. */
  foundPart(part: Value, range: Range): Outcome {
    if (part.length === 0) return MISS;
    return this.checksValues && !this.#data.isRightPart(this.key, part, range) ? MISMATCH : HIT;
  }

  /** Of the values of a getAll, in the order of its keys. */
  foundAll(values: readonly Read[]): Outcome {
    let hits = 0;
    for (let index = 0; index < this.items; index++) {
      const value = values[index];
      if (value === null || value === undefined) continue;
      if (this.checksValues && !this.#data.isRight(this.keys[index] as number, value)) return MISMATCH;
      hits++;
    }
    return { hits, misses: this.items - hits };
  }

  /** Of a record that was read, by names of fields: one without any is not there. */
  foundRecord(record: ReadRecord): Outcome {
    return this.#foundFields(record, this.checksValues ? this.#data.owners.ofKey(this.key) : -1);
  }

  /** `owner`: by what the record is marked; -1: nothing is checked. */
  #foundFields(record: ReadRecord, owner: number): Outcome {
    let found = MISS;
    for (const name in record) {
      const value = record[name];
      if (value === null || value === undefined) continue;
      found = HIT;
      if (owner < 0) continue;
      if (!this.#data.isRight(fieldKey(owner, Number(name.slice('field'.length))), value)) return MISMATCH;
    }
    return found;
  }

  /** Of the records that a scan found, by their keys. */
  scanned(records: readonly (readonly [key: string, record: ReadRecord])[]): Outcome {
    if (records.length === 0) return DONE;
    let hits = 0;
    for (const [key, record] of records) {
      const owner = this.checksValues ? this.#data.owners.ofText(Buffer.from(key)) : -1;
      const outcome = this.#foundFields(record, owner);
      if ('error' in outcome) return outcome;
      hits += outcome.hits;
    }
    return { hits, misses: records.length - hits };
  }

  #fieldOf(field: number, index: number): [string, Value] {
    const owner = fieldKey(this.#data.owners.ofKey(this.key), field);
    return [`field${field}`, this.#data.value(owner, this.sizes[index] as number)];
  }
}
