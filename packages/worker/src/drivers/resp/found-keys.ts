/** Keys that a reply is bringing, one after the other in one memory that is used again. */
export class FoundKeys {
  #bytes = Buffer.alloc(1024);
  #length = 0;
  readonly #ends: number[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.#length = 0;
    this.#count = 0;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    const needed = this.#length + end - start;
    if (needed > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(grown);
      this.#bytes = grown;
    }
    this.#bytes.set(bytes.subarray(start, end), this.#length);
    this.#length = needed;
  }

  /** The key at hand is whole. */
  end(): void {
    this.#ends[this.#count++] = this.#length;
  }

  at(index: number): Buffer {
    return this.#bytes.subarray(index === 0 ? 0 : this.#ends[index - 1], this.#ends[index]);
  }
}
