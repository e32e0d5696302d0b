import { type ReplyRule, ReplyShape } from '../../engine/reply-shape.js';
import { ARRAY, BULK, ERROR, INTEGER, NULL } from '../../engine/resp-type.js';
import type { Outcome } from '../client-action.js';
import { errorKindOf } from '../error-kind.js';

/**
 * Replies as the library gives them: texts or bytes (statuses and doubles too), numbers (booleans too), null, lists
 * (sets and maps too), a map as an object from some methods, and errors inside of lists.
 */
export class ReplyTree {
  /** Size of what was read last on the wire, as far as its values tell. */
  bytes = 0;
  readonly #nullBytes: number;
  readonly #shape = new ReplyShape();
  #error: string | null = null;

  constructor(protocol: 2 | 3) {
    this.#nullBytes = protocol === 3 ? 3 : 5;
  }

  /** Hits and misses by the shape of a reply; an error inside of it is that of the operation. */
  judge(reply: unknown, rule: ReplyRule): Outcome {
    this.measure(reply);
    if (this.#error !== null) return { error: this.#error };
    const shape = this.#shape;
    shape.begin(rule);
    const parts = partsOf(reply);
    shape.item(0, typeOf(reply), parts?.length ?? valueOf(reply));
    for (const part of parts ?? []) shape.item(1, typeOf(part), partsOf(part)?.length ?? valueOf(part));
    shape.end();
    return { hits: shape.hits, misses: shape.misses };
  }

  /** The size of a reply on the wire. */
  measure(reply: unknown): number {
    this.bytes = 0;
    this.#error = null;
    this.#add(reply);
    return this.bytes;
  }

  #add(reply: unknown): void {
    const parts = partsOf(reply);
    if (parts !== null) {
      this.bytes += lineBytes(parts.length);
      for (const part of parts) this.#add(part);
    } else if (typeof reply === 'string' || reply instanceof Buffer) {
      this.bytes += bulkBytes(Buffer.byteLength(reply));
    } else if (reply instanceof Error) {
      this.#error ??= errorKindOf(reply.message);
      this.bytes += statusBytes(reply.message);
    } else {
      this.bytes += typeof reply === 'number' ? lineBytes(reply) : this.#nullBytes;
    }
  }
}

function partsOf(reply: unknown): readonly unknown[] | null {
  if (Array.isArray(reply)) return reply as readonly unknown[];
  if (typeof reply !== 'object' || reply === null || reply instanceof Buffer || reply instanceof Error)
    return null;
  return Object.entries(reply).flat();
}

function typeOf(reply: unknown): number {
  if (typeof reply === 'string' || reply instanceof Buffer) return BULK;
  if (typeof reply === 'number') return INTEGER;
  if (reply instanceof Error) return ERROR;
  return reply === null || reply === undefined ? NULL : ARRAY;
}

function valueOf(reply: unknown): number {
  if (typeof reply === 'number') return reply;
  return typeof reply === 'string' || reply instanceof Buffer ? reply.length : -1;
}

/** A type, a number and the end of a line. */
function lineBytes(value: number): number {
  return 3 + String(value).length;
}

/** `$<length>\r\n<bytes>\r\n`. */
function bulkBytes(length: number): number {
  return lineBytes(length) + length + 2;
}

/** A status or an error. */
export function statusBytes(text: string): number {
  return 3 + Buffer.byteLength(text);
}

/** The size of a command on the wire. */
export function commandBytes(name: string, words: readonly (string | Buffer)[]): number {
  let bytes = lineBytes(words.length + 1) + bulkBytes(Buffer.byteLength(name));
  for (const word of words) bytes += bulkBytes(Buffer.byteLength(word));
  return bytes;
}
