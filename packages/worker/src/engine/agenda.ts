import type { Lane } from './lane.js';

/** Lanes that wait for a time, the first one on top: a binary heap in reused arrays. */
export class Agenda {
  readonly #times: number[] = [];
  readonly #lanes: Lane[] = [];
  #size = 0;

  /** When the first lane is due; Infinity: none waits. */
  get nextNs(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#times[0] as number);
  }

  add(lane: Lane, atNs: number): void {
    const times = this.#times;
    const lanes = this.#lanes;
    let place = this.#size++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if ((times[parent] as number) <= atNs) break;
      times[place] = times[parent] as number;
      lanes[place] = lanes[parent] as Lane;
      place = parent;
    }
    times[place] = atNs;
    lanes[place] = lane;
  }

  /** Takes the first lane out. There must be one. */
  take(): Lane {
    const times = this.#times;
    const lanes = this.#lanes;
    const first = lanes[0] as Lane;
    const size = --this.#size;
    const atNs = times[size] as number;
    const lane = lanes[size] as Lane;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= size) break;
      if (child + 1 < size && (times[child + 1] as number) < (times[child] as number)) child++;
      if ((times[child] as number) >= atNs) break;
      times[place] = times[child] as number;
      lanes[place] = lanes[child] as Lane;
      place = child;
    }
    times[place] = atNs;
    lanes[place] = lane;
    return first;
  }
}
