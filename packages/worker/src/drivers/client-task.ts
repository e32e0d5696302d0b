import type { Keys, Workload } from '@pacecar/protocol';
import { keyText } from '../engine/key-text.js';
import { ALL_FIELDS, type OperationStream } from '../engine/operation-stream.js';
import type { Operands } from '../engine/operands.js';
import { fieldKey, sharedText, valueOf } from '../engine/value-source.js';
import { valueText } from '../engine/value-text.js';
import { DONE, HIT, MISMATCH, MISS, type Outcome } from './client-action.js';

/** Text where the workload's values are printable, else bytes. */
export type Value = string | Buffer;
type Read = Value | null | undefined;

/** What all tasks of a workload have in common. */
export class WorkloadData {
  readonly isBinary: boolean;
  readonly checksValues: boolean;
  readonly fields: number;
  readonly #keys: Keys;
  readonly #text: Uint8Array;

  constructor(workload: Workload) {
    this.isBinary = workload.values.content.kind !== 'printable';
    this.checksValues = workload.checkValues;
    this.fields = workload.records?.fields ?? 1;
    this.#keys = workload.keys;
    this.#text = sharedText(workload.values.content);
  }

  keyText(key: number): string {
    return keyText(this.#keys, key);
  }

  value(key: number, bytes: number): Value {
    if (!this.isBinary) return valueText(key, bytes);
    return Buffer.from(valueOf(key, bytes, this.#text).buffer);
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
  foundRecord(record: Readonly<Record<string, Read>> | null | undefined): Outcome {
    let found = MISS;
    for (const name in record) {
      const value = record[name];
      if (value === null || value === undefined) continue;
      found = HIT;
      const owner = fieldKey(this.key, Number(name.slice('field'.length)));
      if (this.checksValues && !this.#data.isRight(owner, value)) return MISMATCH;
    }
    return found;
  }

  /** Of the records that a scan found, none of which is checked. */
  scanned(records: readonly (Readonly<Record<string, unknown>> | null)[]): Outcome {
    if (records.length === 0) return DONE;
    const hits = records.filter(
      (record) =>
        record !== null && Object.values(record).some((value) => value !== null && value !== undefined),
    ).length;
    return { hits, misses: records.length - hits };
  }

  #fieldOf(field: number, index: number): [string, Value] {
    return [`field${field}`, this.#data.value(fieldKey(this.key, field), this.sizes[index] as number)];
  }
}
