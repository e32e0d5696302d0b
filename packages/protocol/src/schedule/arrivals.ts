import { settled } from './count.js';
import { type LanePlace, laneArrival, laneCount } from './lane.js';
import type { Schedule } from './schedule.js';

/** How many arrivals of the whole schedule are due before `durationNs`. Infinity if they cannot be counted. */
export function arrivalCount(schedule: Schedule, durationNs: number): number {
  return Math.ceil(settled(schedule.expectedCount(durationNs)));
}

/** The arrivals of one lane, one after the other. */
export interface Arrivals {
  /** When the next operation is due: whole ns after the start, never before the one before. Infinity: never. */
  nextNs(): number;
}

/** Every arrival at its place in the schedule. */
export class SteadyArrivals implements Arrivals {
  readonly #schedule: Schedule;
  readonly #lane: LanePlace;
  #next = 0;

  constructor(schedule: Schedule, lane: LanePlace) {
    this.#schedule = schedule;
    this.#lane = lane;
  }

  nextNs(): number {
    return this.#schedule.arrivalTimeNs(laneArrival(this.#lane, this.#next++));
  }
}

/**
 * A Poisson process of the schedule's rate. Each lane has a process of its own: gaps of mean 1 are added up, stretched
 * by the number of lanes and mapped through the schedule. Independent Poisson processes put together are one, so
 * all lanes make the global rate, and none needs to know of another.
 */
export class PoissonArrivals implements Arrivals {
  readonly #schedule: Schedule;
  readonly #lanes: number;
  readonly #random: { u53(): number };
  #gaps = 0;
  #lastNs = 0;

  /** `random` gives integers in 0..2^53-1, each equally likely; a stream of its own for each lane. */
  constructor(schedule: Schedule, lane: LanePlace, random: { u53(): number }) {
    this.#schedule = schedule;
    this.#lanes = laneCount(lane);
    this.#random = random;
  }

  nextNs(): number {
    this.#gaps -= Math.log1p(-this.#random.u53() * 2 ** -53);
    // Two arrivals within a ns could otherwise change places by a rounding.
    this.#lastNs = Math.max(this.#lastNs, this.#schedule.arrivalTimeNs(this.#gaps * this.#lanes));
    return this.#lastNs;
  }
}
