/** A seeded stream of random numbers (mulberry32): the same seed gives the same simulation on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds must not give neighbouring streams.
    this.#state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) >>> 0;
    for (let round = 0; round < 4; round++) this.next();
  }

  /** From 0 up to, but not, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  /** Both inclusive. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)] as T;
  }

  /** A stream of its own, so that more draws in one part do not shift every other part. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 0x100000000));
  }
}
