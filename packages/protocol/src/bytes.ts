/** LEB128 integers up to 2^53-1, strings and blocks, in a growing buffer. The alphabet of frames. */
const TWO_32 = 0x100000000;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 1024) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  u32(value: number): void {
    this.#reserve(4);
    for (let shift = 24; shift >= 0; shift -= 8) this.#bytes[this.#length++] = (value >>> shift) & 0xff;
  }

  /** Unsigned LEB128 of an integer in 0..2^53-1. */
  varint(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`${value} is not an integer in 0..2^53-1`);
    this.#varint(value);
  }

  /** Signed integer as zig-zag LEB128: the alphabet of HdrHistogram V2 payloads. |value| < 2^52. */
  zigzag(value: number): void {
    if (!Number.isSafeInteger(value * 2)) throw new RangeError(`${value} is not an integer within +-2^52`);
    this.#varint(value < 0 ? -value * 2 - 1 : value * 2);
  }

  /** Unsigned LEB128 of any size. */
  bigVarint(value: bigint): void {
    if (value < 0n) throw new RangeError(`${value} is negative`);
    this.#reserve(32);
    let rest = value;
    while (rest >= 128n) {
      this.#reserve(1);
      this.#bytes[this.#length++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#reserve(1);
    this.#bytes[this.#length++] = Number(rest);
  }

  /** A fraction such as a utilisation, in IEEE 754 single precision. */
  float(value: number): void {
    this.#reserve(4);
    new DataView(this.#bytes.buffer).setFloat32(this.#length, value);
    this.#length += 4;
  }

  text(value: string): void {
    this.block(encoder.encode(value));
  }

  block(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80000000) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  #reserve(extra: number): void {
    const needed = this.#length + extra;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** Thrown by ByteReader for bytes that end early or hold what they may not. */
export class BytesInvalid extends Error {}

export class ByteReader {
  readonly #bytes: Uint8Array;
  #at: number;
  readonly #end: number;

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  get position(): number {
    return this.#at;
  }
  get remaining(): number {
    return this.#end - this.#at;
  }

  u32(): number {
    this.#need(4);
    let value = 0;
    for (let i = 0; i < 4; i++) value = value * 256 + this.#byte();
    return value;
  }

  varint(): number {
    let low = 0;
    let factor = 1;
    for (;;) {
      const byte = this.#byte();
      low += (byte & 127) * factor;
      if (byte < 128) break;
      factor *= 128;
      if (factor > TWO_32 * TWO_32) throw new BytesInvalid('a number runs past 64 bits');
    }
    if (low > Number.MAX_SAFE_INTEGER) throw new BytesInvalid('a number is past 2^53-1');
    return low;
  }

  /** How many of something follow. */
  count(most: number, what: string): number {
    const count = this.varint();
    if (count > most) throw new BytesInvalid(`${count} ${what} in a frame, at most ${most}`);
    return count;
  }

  zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  bigVarint(): bigint {
    let value = 0n;
    let shift = 0n;
    for (;;) {
      const byte = this.#byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
      shift += 7n;
      if (shift > 126n) throw new BytesInvalid('a number runs past 128 bits');
    }
  }

  float(): number {
    this.#need(4);
    const value = new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getFloat32(this.#at);
    this.#at += 4;
    return value;
  }

  text(longest: number): string {
    const bytes = this.block();
    if (bytes.length > longest) throw new BytesInvalid(`a text of ${bytes.length} bytes, at most ${longest}`);
    try {
      return decoder.decode(bytes);
    } catch {
      throw new BytesInvalid('a text is not UTF-8');
    }
  }

  /** A view, not a copy. */
  block(): Uint8Array {
    const length = this.varint();
    this.#need(length);
    const view = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return view;
  }

  #byte(): number {
    this.#need(1);
    return this.#bytes[this.#at++] as number;
  }

  #need(bytes: number): void {
    if (this.#at + bytes > this.#end) throw new BytesInvalid(`the bytes end at ${this.#end}`);
  }
}
