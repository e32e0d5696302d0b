import type { Workload } from '@pacecar/protocol';
import { RandomStream, type Seed } from './random.js';

/** Which action of the workload's mix is next, by its index. One for each connection. */
export interface MixSource {
  next(): number;
}

class OnlyAction implements MixSource {
  next(): number {
    return 0;
  }
}

/** Each action at random by its weight. */
class RandomMix implements MixSource {
  readonly #random: RandomStream;
  /** Action i is chosen for numbers below its threshold, the last one for the rest. */
  readonly #thresholds: readonly number[];

  constructor(thresholds: readonly number[], seed: Seed) {
    this.#thresholds = thresholds;
    this.#random = new RandomStream(seed);
  }

  next(): number {
    const thresholds = this.#thresholds;
    const drawn = this.#random.u32();
    let action = 0;
    while (action < thresholds.length && drawn >= (thresholds[action] as number)) action++;
    return action;
  }
}

/** The first action so many times, then the second, and round again. */
class RatioMix implements MixSource {
  readonly #turns: readonly number[];
  #action = 0;
  #left: number;

  constructor(turns: readonly number[]) {
    this.#turns = turns;
    this.#left = turns[0] as number;
  }

  next(): number {
    if (this.#left === 0) {
      this.#action = this.#action + 1 === this.#turns.length ? 0 : this.#action + 1;
      this.#left = this.#turns[this.#action] as number;
    }
    this.#left--;
    return this.#action;
  }
}

export type MixFactory = (seed: Seed) => MixSource;

/** A mix in mode ratio has whole weights. */
export function createMix({ mix, mixMode }: Pick<Workload, 'mix' | 'mixMode'>): MixFactory {
  if (mix.length === 1) return () => new OnlyAction();
  const weights = mix.map(({ weight }) => weight);
  if (mixMode === 'ratio') {
    const turns = weights.map((weight) => Math.max(1, Math.round(weight)));
    return () => new RatioMix(turns);
  }
  const shared = thresholds(weights);
  return (seed) => new RandomMix(shared, seed);
}

function thresholds(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const result: number[] = [];
  let sum = 0;
  for (const weight of weights.slice(0, -1)) {
    sum += weight;
    result.push(Math.round((sum / total) * 0x100000000));
  }
  return result;
}
