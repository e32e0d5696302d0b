import {
  isBackground,
  type Objective,
  objectiveMeans,
  objectiveMet,
  type RowName,
  type Stage,
} from '@pacecar/protocol';
import { headLatency } from './head-latency.js';
import type { Figures, ObjectiveResult } from './schema.js';

/**
 * The objectives that speak of this stage: those for the total and for actions that it has. `figuresFor` merges the
 * rows that an objective means.
 */
export function objectivesOf(
  objectives: readonly Objective[],
  stage: Stage,
  figuresFor: (means: (row: RowName) => boolean) => Figures,
): ObjectiveResult[] {
  const has = stage.workloads.flatMap(({ name: workload, mix }) =>
    mix.map(({ name: operation }) => ({ workload, operation })),
  );
  const means = (objective: Objective, row: RowName) => objectiveMeans(objective, row, isBackground(stage));
  return objectives
    .filter((objective) => has.some((row) => means(objective, row)))
    .map((objective) => {
      const figures = figuresFor((row) => means(objective, row));
      const actual = METRICS[objective.metric](figures);
      return {
        ...objective,
        actual,
        met: objectiveMet(objective, actual),
      };
    });
}

const METRICS: Readonly<Record<Objective['metric'], (figures: Figures) => number | null>> = {
  mean: (figures) => headLatency(figures).latency.meanNs,
  p50: (figures) => headLatency(figures).latency.p50Ns,
  p90: (figures) => headLatency(figures).latency.p90Ns,
  p99: (figures) => headLatency(figures).latency.p99Ns,
  'p99.9': (figures) => headLatency(figures).latency.p999Ns,
  'p99.99': (figures) => headLatency(figures).latency.p9999Ns,
  max: (figures) => headLatency(figures).latency.maxNs,
  throughput: (figures) => figures.throughputPerSec,
  errors: (figures) => (figures.sent === 0 ? null : failures(figures) / figures.sent),
  misses: ({ hits, misses }) => {
    const reads = (hits ?? 0) + (misses ?? 0);
    return reads === 0 ? null : (misses ?? 0) / reads;
  },
};

/** Operations that were sent and did not succeed: errors + timeouts + aborted. */
export function failures(figures: Pick<Figures, 'errorCount' | 'timeouts' | 'aborted'>): number {
  return figures.errorCount + figures.timeouts + figures.aborted;
}
