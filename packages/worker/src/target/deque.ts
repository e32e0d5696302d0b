/** A list that takes and gives at both ends at once: a ring that grows. */
export class Deque<T> {
  #ring: (T | undefined)[] = new Array<T | undefined>(16).fill(undefined);
  #first = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  pushFirst(value: T): void {
    this.#grow();
    this.#first = (this.#first - 1) & (this.#ring.length - 1);
    this.#ring[this.#first] = value;
    this.#length++;
  }

  pushLast(value: T): void {
    this.#grow();
    this.#ring[(this.#first + this.#length) & (this.#ring.length - 1)] = value;
    this.#length++;
  }

  popFirst(): T | undefined {
    if (this.#length === 0) return undefined;
    const value = this.#ring[this.#first];
    this.#ring[this.#first] = undefined;
    this.#first = (this.#first + 1) & (this.#ring.length - 1);
    this.#length--;
    return value;
  }

  popLast(): T | undefined {
    if (this.#length === 0) return undefined;
    this.#length--;
    const place = (this.#first + this.#length) & (this.#ring.length - 1);
    const value = this.#ring[place];
    this.#ring[place] = undefined;
    return value;
  }

  /** `index` from 0 to length - 1. */
  at(index: number): T {
    return this.#ring[(this.#first + index) & (this.#ring.length - 1)] as T;
  }

  #grow(): void {
    const { length } = this.#ring;
    if (this.#length < length) return;
    const grown = new Array<T | undefined>(length * 2).fill(undefined);
    for (let index = 0; index < length; index++) grown[index] = this.at(index);
    this.#ring = grown;
    this.#first = 0;
  }
}
