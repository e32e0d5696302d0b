import { Distribution } from '../distribution.js';
import { errorCount, type FrameRow } from '../frame.js';
import { type Objective, objectiveMeans } from '../plan/objective.js';

const QUANTILES: Readonly<Partial<Record<Objective['metric'], number>>> = {
  p50: 0.5,
  p90: 0.9,
  p99: 0.99,
  'p99.9': 0.999,
  'p99.99': 0.9999,
};

/** What an objective is held against, merged over rows of frames. Histograms are merged, never percentiles. */
export class ObjectiveTally {
  readonly objective: Objective;
  readonly #service = new Distribution();
  readonly #response = new Distribution();
  #ok = 0;
  #failed = 0;
  #hits = 0;
  #misses = 0;

  constructor(objective: Objective) {
    this.objective = objective;
  }

  clear(): void {
    this.#service.clear();
    this.#response.clear();
    this.#ok = 0;
    this.#failed = 0;
    this.#hits = 0;
    this.#misses = 0;
  }

  /** Adds a row if the objective speaks of it. Throws BytesInvalid for a histogram that is none. */
  add(row: FrameRow): void {
    if (!objectiveMeans(this.objective, row)) return;
    this.#service.addEncoded(row.service);
    this.#response.addEncoded(row.response);
    this.#ok += row.ok;
    this.#failed += errorCount(row) + row.timeouts + row.aborted;
    this.#hits += row.hits;
    this.#misses += row.misses;
  }

  /** How many operations the figure is made of; null for a throughput, of which none is a figure as well. */
  get basis(): number | null {
    switch (this.objective.metric) {
      case 'throughput':
        return null;
      case 'errors':
        return this.#ok + this.#failed;
      case 'misses':
        return this.#hits + this.#misses;
      default:
        return this.#latency.count;
    }
  }

  /** In the unit of the threshold; null where nothing is known. `extentNs`: the time in which the operations ended. */
  figure(extentNs: number): number | null {
    const { metric } = this.objective;
    if (this.basis === 0) return null;
    switch (metric) {
      case 'throughput':
        return extentNs > 0 ? (this.#ok / extentNs) * 1e9 : null;
      case 'errors':
        return this.#failed / (this.#ok + this.#failed);
      case 'misses':
        return this.#misses / (this.#hits + this.#misses);
      case 'mean':
        return this.#latency.meanNs;
      case 'max':
        return this.#latency.maximumNs;
      default:
        return this.#latency.quantileNs(QUANTILES[metric] as number);
    }
  }

  /** Response times where every operation has one, else service times: what a report shows first. */
  get #latency(): Distribution {
    return this.#response.count > 0 && this.#response.count === this.#service.count
      ? this.#response
      : this.#service;
  }
}
