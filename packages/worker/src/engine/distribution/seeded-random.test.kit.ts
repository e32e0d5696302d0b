import type { RandomSource } from './random-source.js';

/** A small seeded generator of good quality (sfc32), for the tests of what draws from any generator. */
export class SeededRandom implements RandomSource {
  readonly #state = new Int32Array([0x9e3779b9, 0x243f6a88, 0xb7e15162, 1]);

  constructor(seed: number) {
    this.#state[0] = seed;
    this.#state[1] = Math.floor(seed / 2 ** 32);
    for (let step = 0; step < 20; step++) this.u32();
  }

  below(n: number): number {
    const excess = (2 ** 53 - n) % n;
    for (;;) {
      const bits = this.u53();
      if (bits < 2 ** 53 - excess) return bits % n;
    }
  }

  u53(): number {
    return (this.u32() >>> 6) * 2 ** 27 + (this.u32() >>> 5);
  }

  u32(): number {
    const state = this.#state as unknown as [number, number, number, number];
    const sum = (state[0] + state[1] + state[3]) | 0;
    state[3]++;
    state[0] = state[1] ^ (state[1] >>> 9);
    state[1] = (state[2] + (state[2] << 3)) | 0;
    state[2] = ((state[2] << 21) | (state[2] >>> 11)) + sum;
    return sum >>> 0;
  }
}
