/** Slots in the order in which they came, at most as many as there are. */
export class SlotRing {
  readonly #slots: Int32Array;
  #head = 0;
  #count = 0;

  constructor(capacity: number) {
    this.#slots = new Int32Array(capacity);
  }

  get count(): number {
    return this.#count;
  }

  get first(): number {
    return this.#slots[this.#head] as number;
  }

  push(slot: number): void {
    const end = this.#head + this.#count;
    this.#slots[end < this.#slots.length ? end : end - this.#slots.length] = slot;
    this.#count++;
  }

  drop(): void {
    this.#head = this.#head + 1 === this.#slots.length ? 0 : this.#head + 1;
    this.#count--;
  }

  clear(): void {
    this.#head = 0;
    this.#count = 0;
  }
}
