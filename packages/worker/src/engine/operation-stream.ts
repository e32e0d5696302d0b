import type { Records, Workload } from '@pacecar/protocol';
import { type ActionDraws, drawsOf } from './action-draws.js';
import type { ConnectionInserts } from './connection-inserts.js';
import type { InsertedKeys } from './inserted-keys.js';
import { type KeySource, type KeySourceFactory, keySources } from './key-source.js';
import { createMix, type MixFactory, type MixSource } from './mix-source.js';
import type { LanePortion } from './portion.js';
import { RandomStream, type Seed, seedOf } from './random.js';
import { createSizes, type SizeDistribution } from './value/size-distribution.js';

/** Which of a connection's streams a seed is for: adding one later leaves the others as they are. */
export const STREAM = { mix: 1, keys: 2, sizes: 3, arrivals: 4, fields: 5, numbers: 6, items: 7 } as const;

/** What names a connection's streams, besides the portion itself. Never a thread. */
export interface StreamIdentity {
  /** Of the run. */
  readonly seed: number;
  readonly stage: number;
  /** Index of the worker in the run. */
  readonly worker: number;
}

/** The seed of one of a connection's streams. */
export function streamSeed(identity: StreamIdentity, portion: LanePortion, stream: number): Seed {
  return seedOf(identity.seed, identity.stage, portion.workload, identity.worker, portion.connection, stream);
}

/** What the operations of all connections of a workload have in common on one thread: tables and constants. */
export class WorkloadStreams {
  readonly draws: readonly ActionDraws[];
  readonly records: Records | null;
  readonly valueSizes: SizeDistribution;
  readonly fieldSizes: SizeDistribution;
  /** The keys that the workload inserts; null: it does not. */
  readonly inserted: InsertedKeys | null;
  readonly #keys: KeySourceFactory;
  readonly #mix: MixFactory;

  /** Throws PacecarError REQUEST_INVALID for an impossible workload. */
  constructor(workload: Workload, inserted: InsertedKeys | null) {
    // Without keys of their own, inserts write those of the range: a load is a stage that ends with every key once.
    this.draws = workload.mix
      .map((action) => drawsOf(action, workload))
      .map((draws) => (inserted === null ? { ...draws, inserts: false } : draws));
    this.records = workload.records;
    this.valueSizes = createSizes(workload.values.size);
    this.fieldSizes = createSizes(workload.records?.fieldSize ?? workload.values.size);
    this.inserted = this.draws.some(({ inserts }) => inserts) ? inserted : null;
    this.#keys = keySources(workload.keys, this.inserted);
    this.#mix = createMix(workload);
  }

  /** The operations of one connection. */
  stream(portion: LanePortion, identity: StreamIdentity): OperationStream {
    const seed = (stream: number) => streamSeed(identity, portion, stream);
    return new OperationStream(this, {
      keys: this.#keys(portion.keys, seed(STREAM.keys)),
      mix: this.#mix(seed(STREAM.mix)),
      inserts: this.inserted?.connection(portion.connection) ?? null,
      seed,
    });
  }

  /** The most keys, values, fields and numbers that one operation has. */
  most(what: 'keys' | 'values' | 'fields'): number {
    return Math.max(1, ...this.draws.map((draws) => draws[what]));
  }
}

/** Most operations there are draw as little as one of these says; the others are `composed`. */
const KIND = { read: 0, write: 1, touch: 2, composed: 3 } as const;

function kindOf(draws: ActionDraws): number {
  if (!draws.isPlain || draws.inserts) return KIND.composed;
  if (draws.values > 0) return KIND.write;
  return draws.reads ? KIND.read : KIND.touch;
}

/** All fields of a record. */
export const ALL_FIELDS = -1;

/**
 * The operations of one connection, in order: a function of the plan, the seed, the stage, the worker and the
 * connection. `next` moves to the next one, which then stands in the fields, good until the next call; what an
 * operation does not have is stale there.
 *
 *   get, put, add, replace, delete, increment, expire, getRange, putRange, readModifyWrite: key, valueBytes
 *   insert, insertRecord        key (new), valueBytes or sizes[0 .. fields-1]
 *   getAll, putAll              keys[0 .. items-1], and for putAll sizes[0 .. items-1]
 *   scan, scanRecords           key to begin at, items; scanRecords: field
 *   readRecord                  key, field
 *   updateRecord                key, writtenField, sizes[0], or sizes[0 .. fields-1] for ALL_FIELDS
 *   readModifyWriteRecord       the two before together
 *   command, transaction        for the i-th __key__ keys[i] (in a transaction always `key`), __data__ sizes[i]
 *                               (a value of `key`), __field__ fields[i],
 *                               __rand_int__, __score__ and __member__ numbers[i] in their common order, __counter__ number
 */
export class OperationStream {
  /** Index of the action in the workload's mix. */
  operation = 0;
  /** Number of the operation on its connection, from 0. */
  number = -1;
  /** Number of the key; of several the first. */
  key = 0;
  /** Size of the value to write; of several the first; 0 for operations without one. */
  valueBytes = 0;
  /** Items of a batch or a scan. */
  items = 1;
  /** Field to read: its number, or ALL_FIELDS. */
  field = ALL_FIELDS;
  writtenField = ALL_FIELDS;
  /** Number of the insert on its connection. */
  insert = 0;
  readonly keys: Float64Array;
  readonly sizes: Float64Array;
  readonly fields: Int32Array;
  readonly numbers: Float64Array;
  /** Of the connection; null: the workload inserts nothing. */
  readonly inserts: ConnectionInserts | null;
  /** Some action has more than one key and one value. */
  readonly isComposed: boolean;
  readonly #draws: readonly ActionDraws[];
  /** Of each action: one of KIND. */
  readonly #kinds: Uint8Array;
  readonly #records: Records | null;
  readonly #keySource: KeySource;
  readonly #mix: MixSource;
  readonly #valueSizes: SizeDistribution;
  readonly #fieldSizes: SizeDistribution;
  readonly #sizeRandom: RandomStream;
  readonly #fieldRandom: RandomStream;
  readonly #numberRandom: RandomStream;
  readonly #itemRandom: RandomStream;

  constructor(
    shared: WorkloadStreams,
    own: {
      keys: KeySource;
      mix: MixSource;
      inserts: ConnectionInserts | null;
      seed: (stream: number) => Seed;
    },
  ) {
    this.#draws = shared.draws;
    this.#kinds = Uint8Array.from(shared.draws, kindOf);
    this.isComposed = shared.draws.some(({ isPlain }) => !isPlain);
    this.#records = shared.records;
    this.#valueSizes = shared.valueSizes;
    this.#fieldSizes = shared.fieldSizes;
    this.#keySource = own.keys;
    this.#mix = own.mix;
    this.inserts = own.inserts;
    this.#sizeRandom = new RandomStream(own.seed(STREAM.sizes));
    this.#fieldRandom = new RandomStream(own.seed(STREAM.fields));
    this.#numberRandom = new RandomStream(own.seed(STREAM.numbers));
    this.#itemRandom = new RandomStream(own.seed(STREAM.items));
    this.keys = new Float64Array(shared.most('keys'));
    this.sizes = new Float64Array(shared.most('values'));
    this.fields = new Int32Array(shared.most('fields'));
    this.numbers = new Float64Array(Math.max(1, ...shared.draws.map(({ numbers }) => numbers.length)));
  }

  next(): void {
    this.number++;
    const operation = this.#mix.next();
    this.operation = operation;
    switch (this.#kinds[operation]) {
      case KIND.read:
        this.key = this.#keySource.nextRead();
        this.valueBytes = 0;
        return;
      case KIND.write:
        this.key = this.#keySource.nextWrite();
        this.valueBytes = this.#valueSizes.draw(this.#sizeRandom);
        return;
      case KIND.touch:
        this.key = this.#keySource.nextWrite();
        this.valueBytes = 0;
        return;
      default:
        this.#nextParts(this.#draws[operation] as ActionDraws);
    }
  }

  /** Whether the operation at hand is an insert. */
  get isInsert(): boolean {
    return (this.#draws[this.operation] as ActionDraws).inserts;
  }

  /** Whether an action of the mix inserts. */
  insertsBy(operation: number): boolean {
    return (this.#draws[operation] as ActionDraws).inserts;
  }

  #nextInsert(): number {
    const inserts = this.inserts as ConnectionInserts;
    this.insert = inserts.take();
    return inserts.keyOf(this.insert);
  }

  #nextKeys(draws: ActionDraws): void {
    if (draws.keys === 0) return;
    for (let index = 0; index < draws.keys; index++)
      this.keys[index] = draws.reads ? this.#keySource.nextRead() : this.#keySource.nextWrite();
    this.key = this.keys[0] as number;
  }

  /** What operations have beyond one key and one value. */
  #nextParts(draws: ActionDraws): void {
    if (draws.inserts) this.key = this.#nextInsert();
    else this.#nextKeys(draws);
    const sizes = draws.sizesOfFields ? this.#fieldSizes : this.#valueSizes;
    for (let index = 0; index < draws.values; index++) this.sizes[index] = sizes.draw(this.#sizeRandom);
    this.valueBytes = draws.values === 0 ? 0 : (this.sizes[0] as number);
    const records = this.#records;
    const fieldCount = records?.fields ?? 1;
    if (draws.readsField)
      this.field = records?.readAllFields === true ? ALL_FIELDS : this.#fieldRandom.below(fieldCount);
    if (draws.writesField)
      this.writtenField = records?.writeAllFields === true ? ALL_FIELDS : this.#fieldRandom.below(fieldCount);
    for (let index = 0; index < draws.fields; index++)
      this.fields[index] = this.#fieldRandom.below(fieldCount);
    for (let index = 0; index < draws.numbers.length; index++)
      this.numbers[index] = this.#numberRandom.below(draws.numbers[index] as number);
    this.items = draws.mostItems === null ? draws.items : 1 + this.#itemRandom.below(draws.mostItems);
  }
}
