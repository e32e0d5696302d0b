/** As much of BSON as it takes to ask a server how it is: commands of texts and numbers, and their answers. */

export type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

/** For people; empty for what is no text, number or truth. */
export function plainText(value: Value | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? `${value}`
    : '';
}

export function encodeDocument(document: Readonly<Record<string, string | number | boolean>>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(document)) {
    const head = (type: number): Buffer => Buffer.from(`${String.fromCharCode(type)}${name}\0`, 'utf8');
    if (typeof value === 'string') {
      const text = Buffer.from(`${value}\0`);
      parts.push(head(0x02), int32(text.length), text);
    } else if (typeof value === 'boolean') {
      parts.push(head(0x08), Buffer.of(value ? 1 : 0));
    } else {
      parts.push(head(0x10), int32(value));
    }
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([int32(body.length + 5), body, Buffer.of(0)]);
}

/** Values of other kinds (dates, binary data ...) come out as null. Throws RangeError for bytes that are no document. */
export function decodeDocument(bytes: Buffer): { [name: string]: Value } {
  return new Reading(bytes).document(0);
}

const MOST_DEPTH = 20;
/** Kinds of which only the length matters here. */
const FIXED: ReadonlyMap<number, number> = new Map([
  [0x06, 0],
  [0x07, 12],
  [0x09, 8],
  [0x0a, 0],
  [0x11, 8],
  [0x13, 16],
  [0x7f, 0],
  [0xff, 0],
]);

class Reading {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  document(depth: number): { [name: string]: Value } {
    if (depth > MOST_DEPTH) throw new RangeError('documents within documents within documents');
    const end = this.#at + this.#int32();
    if (end > this.#bytes.length) throw new RangeError('a document beyond the end');
    const document: { [name: string]: Value } = Object.create(null) as { [name: string]: Value };
    while (this.#at < end - 1) {
      const type = this.#bytes.readUInt8(this.#at++);
      const name = this.#name();
      document[name] = this.#value(type, depth);
    }
    this.#at = end;
    return document;
  }

  #value(type: number, depth: number): Value {
    switch (type) {
      case 0x01:
        return this.#bytes.readDoubleLE(this.#skip(8));
      case 0x02:
        return this.#text();
      case 0x03:
        return this.document(depth + 1);
      case 0x04:
        return Object.values(this.document(depth + 1));
      case 0x05:
        this.#skip(this.#int32() + 1);
        return null;
      case 0x08:
        return this.#bytes.readUInt8(this.#skip(1)) === 1;
      case 0x10:
        return this.#int32();
      case 0x12:
        return Number(this.#bytes.readBigInt64LE(this.#skip(8)));
      default: {
        const length = FIXED.get(type);
        if (length === undefined) throw new RangeError(`a value of the unknown kind ${type}`);
        this.#skip(length);
        return null;
      }
    }
  }

  #text(): string {
    const length = this.#int32();
    const at = this.#skip(length);
    return this.#bytes.toString('utf8', at, at + length - 1);
  }

  #name(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) throw new RangeError('a name without an end');
    const name = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return name;
  }

  #int32(): number {
    return this.#bytes.readInt32LE(this.#skip(4));
  }

  /** The place before the step. */
  #skip(length: number): number {
    const at = this.#at;
    if (length < 0 || at + length > this.#bytes.length) throw new RangeError('a length beyond the end');
    this.#at += length;
    return at;
  }
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
