import {
  arrivalCount,
  type Arrivals,
  createSchedule,
  type LanePlace,
  laneArrivalCount,
  laneCount,
  type OpenModel,
  PoissonArrivals,
  type Schedule,
  SteadyArrivals,
} from '@pacecar/protocol';
import { RandomStream, type Seed } from './random.js';

const MS = 1e6;
const NEVER = Number.POSITIVE_INFINITY;

/** What the lanes of a workload in the open model share. */
export interface OpenSchedule {
  readonly schedule: Schedule;
  readonly model: OpenModel;
}

export function openSchedule(model: OpenModel): OpenSchedule {
  return { schedule: createSchedule(model.rate), model };
}

/** A lane's arrivals, one after the other, before there is a start. */
export function arrivalsOf({ schedule, model }: OpenSchedule, place: LanePlace, seed: Seed): Arrivals {
  return model.arrivals === 'constant'
    ? new SteadyArrivals(schedule, place)
    : new PoissonArrivals(schedule, place, new RandomStream(seed));
}

/** When the operations of one lane in the open model are due, on the clock. */
export class Pace {
  /** Of the next operation; Infinity: there is none before the stage's end. */
  dueNs = NEVER;
  readonly lateAfterNs: number;
  /** Infinity: operations wait as long as it takes. */
  readonly dropAfterNs: number;
  readonly #open: OpenSchedule;
  readonly #place: LanePlace;
  readonly #arrivals: Arrivals;
  #startNs = 0;
  #endNs = 0;
  /** Arrivals up to and with the one that is due next. */
  #seen = 0;

  constructor(open: OpenSchedule, place: LanePlace, seed: Seed) {
    this.#open = open;
    this.#place = place;
    this.#arrivals = arrivalsOf(open, place, seed);
    this.lateAfterNs = open.model.lateAfterMs * MS;
    this.dropAfterNs = open.model.dropAfterMs === null ? NEVER : open.model.dropAfterMs * MS;
  }

  begin(startNs: number, endNs: number): void {
    this.#startNs = startNs;
    this.#endNs = endNs;
    this.advance();
  }

  /** Goes on to the next arrival. */
  advance(): void {
    const dueNs = this.#startNs + this.#arrivals.nextNs();
    this.#seen++;
    this.dueNs = dueNs < this.#endNs ? dueNs : NEVER;
  }

  /** The end comes sooner. */
  end(endNs: number): void {
    this.#endNs = Math.min(this.#endNs, endNs);
    if (this.dueNs >= this.#endNs) this.dueNs = NEVER;
  }

  /**
   * How many arrivals, the next one among them, there are before the end; for random arrivals the number to be
   * expected. None is drawn for it.
   */
  countLeft(): number {
    if (this.dueNs === NEVER) return 0;
    const { schedule, model } = this.#open;
    const lengthNs = this.#endNs - this.#startNs;
    if (model.arrivals === 'constant')
      return laneArrivalCount(this.#place, arrivalCount(schedule, lengthNs)) - (this.#seen - 1);
    const rest = schedule.expectedCount(lengthNs) - schedule.expectedCount(this.dueNs - this.#startNs);
    return 1 + Math.round(rest / laneCount(this.#place));
  }
}
