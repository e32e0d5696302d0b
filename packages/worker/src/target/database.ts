import type { Deque } from './deque.js';
import type { EntryLog } from './entry-log.js';
import { IndexedSet } from './indexed-set.js';
import type { SortedSet } from './sorted-set.js';

/** Databases that SELECT knows, as many as a Redis out of the box. */
export const DATABASES = 16;

/** What stands under a key. A string is kept as the reply to GET, so that a read is one copy. */
export type Stored = Buffer | Map<string, Buffer> | Deque<Buffer> | IndexedSet | SortedSet | EntryLog;

/** `$<length>\r\n<value>\r\n`. */
export function asReply(value: Uint8Array): Buffer {
  const head = `$${value.length}\r\n`;
  const reply = Buffer.allocUnsafeSlow(head.length + value.length + 2);
  reply.write(head, 'latin1');
  reply.set(value, head.length);
  reply[reply.length - 2] = 13;
  reply[reply.length - 1] = 10;
  return reply;
}

/** The value inside a reply made by `asReply`. */
export function valueOf(reply: Buffer): Buffer {
  return reply.subarray(reply.indexOf(10) + 1, reply.length - 2);
}

/** The keys of one database. Those whose time is over are gone as soon as anybody looks. */
export class Database {
  readonly #values = new Map<string, Stored>();
  /** When keys end, ms of `Date.now`; keys that do not are not in here. */
  readonly #ends = new Map<string, number>();
  /** The keys by places that they keep, for SCAN; made when it is first asked for. */
  #places: IndexedSet | null = null;

  get size(): number {
    for (const key of this.#ends.keys()) this.#endIfDue(key);
    return this.#values.size;
  }

  /** How many keys have an end. */
  get ending(): number {
    return this.#ends.size;
  }

  get(key: string): Stored | undefined {
    if (this.#ends.size > 0) this.#endIfDue(key);
    return this.#values.get(key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** Leaves the key's end as it is. */
  set(key: string, value: Stored): void {
    this.#values.set(key, value);
    this.#places?.add(key);
  }

  /** A new value that does not end, or at `endMs`. */
  replace(key: string, value: Stored, endMs: number | null): void {
    this.set(key, value);
    if (endMs !== null) this.#ends.set(key, endMs);
    else if (this.#ends.size > 0) this.#ends.delete(key);
  }

  delete(key: string): boolean {
    if (this.#ends.size > 0) this.#endIfDue(key);
    return this.#remove(key);
  }

  /** ms of `Date.now`; null: never. */
  endOf(key: string): number | null {
    return this.#ends.get(key) ?? null;
  }

  /** null: it does not end. */
  endAt(key: string, endMs: number | null): void {
    if (endMs === null) this.#ends.delete(key);
    else this.#ends.set(key, endMs);
  }

  /**
   * Keys of `count` places below `cursor`, and the cursor to go on with, 0 at the end; 0 begins. A key that takes
   * the place of a deleted one comes from a higher place, which was seen before: none is left out.
   */
  scan(cursor: number, count: number): { readonly next: number; readonly keys: readonly string[] } {
    this.#places ??= placesOf(this.#values.keys());
    const places = this.#places;
    const from = cursor === 0 ? places.size : Math.min(cursor, places.size);
    const next = Math.max(0, from - count);
    const keys: string[] = [];
    for (let place = from - 1; place >= next; place--) keys.push(places.at(place));
    return { next, keys: keys.filter((key) => this.has(key)) };
  }

  clear(): void {
    this.#values.clear();
    this.#ends.clear();
    this.#places = null;
  }

  #endIfDue(key: string): void {
    const endMs = this.#ends.get(key);
    if (endMs !== undefined && endMs <= Date.now()) this.#remove(key);
  }

  #remove(key: string): boolean {
    this.#ends.delete(key);
    this.#places?.delete(key);
    return this.#values.delete(key);
  }
}

function placesOf(keys: Iterable<string>): IndexedSet {
  const places = new IndexedSet();
  for (const key of keys) places.add(key);
  return places;
}
