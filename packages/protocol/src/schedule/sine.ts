import { productError } from './product-error.js';
import type { RateProfile } from './profile.js';
import type { Schedule } from './schedule.js';

const NS_PER_MS = 1e6;
/** The wave is inverted to a hundredth of a ns, or to the last bit of a long period. */
const PRECISION_NS = 0.01;
/** Newton's steps are few; where the rate touches 0 they are halvings, of which a double has no more than this. */
const MOST_STEPS = 80;

/**
 * A rate that swings. Whole periods have mean x period arrivals each; within one, with u in periods,
 *
 *   count(u) = period x (mean u + amplitude / pi x sin(pi (2 phase + u)) sin(pi u))
 *
 * which has no closed inverse: Newton's method, fenced in by halving.
 */
export class SineSchedule implements Schedule {
  readonly #mean: number;
  readonly #amplitude: number;
  readonly #phase: number;
  readonly #periodNs: number;
  readonly #periodSec: number;
  readonly #countPerPeriod: number;

  constructor(profile: Extract<RateProfile, { kind: 'sine' }>) {
    this.#mean = profile.meanPerSec;
    this.#amplitude = profile.amplitudePerSec;
    this.#phase = profile.phase;
    this.#periodNs = profile.periodMs * NS_PER_MS;
    this.#periodSec = profile.periodMs / 1_000;
    this.#countPerPeriod = (profile.meanPerSec * profile.periodMs) / 1_000;
  }

  expectedCount(atNs: number): number {
    const periods = Math.floor(atNs / this.#periodNs);
    const u = (atNs - periods * this.#periodNs) / this.#periodNs;
    return periods * this.#countPerPeriod + this.#periodSec * this.#wave(u);
  }

  arrivalTimeNs(n: number): number {
    const periods = Math.floor(n / this.#countPerPeriod);
    const product = periods * this.#countPerPeriod;
    const rest = n - product - productError(periods, this.#countPerPeriod, product);
    return Math.round(periods * this.#periodNs + this.#invert(rest / this.#periodSec) * this.#periodNs);
  }

  #wave(u: number): number {
    const swing = Math.sin(Math.PI * (2 * this.#phase + u)) * Math.sin(Math.PI * u);
    return this.#mean * u + (this.#amplitude / Math.PI) * swing;
  }

  /** The u in 0..1 at which the wave is `value`. */
  #invert(value: number): number {
    let low = 0;
    let high = 1;
    let u = Math.min(1, Math.max(0, value / this.#mean));
    for (let step = 0; step < MOST_STEPS; step++) {
      const error = this.#wave(u) - value;
      if (error > 0) high = u;
      else low = u;
      const slope = this.#mean + this.#amplitude * Math.sin(2 * Math.PI * (this.#phase + u));
      const newton = u - error / slope;
      const next = newton >= low && newton <= high ? newton : (low + high) / 2;
      const move = Math.abs(next - u);
      u = next;
      if (move * this.#periodNs < PRECISION_NS || move <= 2 ** -53) break;
    }
    return u;
  }
}
