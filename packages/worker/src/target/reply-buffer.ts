const CRLF = '\r\n';
const START_BYTES = 16 * 1024;

/** Collects the replies to one read event, so that they leave in one write. */
export class ReplyBuffer {
  #bytes = Buffer.allocUnsafe(START_BYTES);
  #length = 0;
  /** RESP3 says "nothing" in another way. Set for the connection that is being served. */
  resp3 = false;

  get length(): number {
    return this.#length;
  }

  /** Ready-made reply bytes. */
  raw(reply: Buffer): void {
    this.#reserve(reply.length);
    if (reply.length < 64) {
      const bytes = this.#bytes;
      let at = this.#length;
      for (let index = 0; index < reply.length; index++) bytes[at++] = reply[index] as number;
      this.#length = at;
    } else {
      reply.copy(this.#bytes, this.#length);
      this.#length += reply.length;
    }
  }

  line(text: string): void {
    this.#reserve(text.length * 3 + 2);
    this.#length += this.#bytes.write(text + CRLF, this.#length);
  }

  simple(text: string): void {
    this.line(`+${text}`);
  }

  /** `text` begins with the class of the error, for example `ERR`. */
  error(text: string): void {
    this.line(`-${text}`);
  }

  integer(value: number): void {
    this.line(`:${value}`);
  }

  bulk(text: string): void {
    this.line(`$${Buffer.byteLength(text)}${CRLF}${text}`);
  }

  /** Bytes as they are. */
  bytes(value: Buffer): void {
    this.line(`$${value.length}`);
    this.#reserve(value.length + 2);
    value.copy(this.#bytes, this.#length);
    this.#length += value.length;
    this.line('');
  }

  /** Bytes that were kept as latin1. */
  binary(text: string): void {
    this.line(`$${text.length}`);
    this.#reserve(text.length + 2);
    this.#length += this.#bytes.write(text, this.#length, 'latin1');
    this.line('');
  }

  /** A number that may have a fraction. */
  score(text: string): void {
    if (this.resp3) this.line(`,${text}`);
    else this.bulk(text);
  }

  nothing(): void {
    this.line(this.resp3 ? '_' : '$-1');
  }

  /** In place of an array. */
  noArray(): void {
    this.line(this.resp3 ? '_' : '*-1');
  }

  array(length: number): void {
    this.line(`*${length}`);
  }

  set(length: number): void {
    this.line(this.resp3 ? `~${length}` : `*${length}`);
  }

  /** A map of `pairs` keys and values; a flat array in RESP2. */
  map(pairs: number): void {
    this.line(this.resp3 ? `%${pairs}` : `*${pairs * 2}`);
  }

  /** What was collected, as a view that is good until the next call of anything but `give`. */
  take(): Buffer {
    const view = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return view;
  }

  /** The last view is still being written: it keeps its memory, and this takes new. */
  give(): void {
    this.#bytes = Buffer.allocUnsafe(START_BYTES);
  }

  #reserve(extra: number): void {
    const needed = this.#length + extra;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
