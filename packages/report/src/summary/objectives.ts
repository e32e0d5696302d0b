import type { Objective, Stage } from '@pacecar/protocol';
import type { Figures, ObjectiveResult } from './schema.js';

/**
 * The objectives that speak of this stage: those for the total and for operations that it has.
 * `figuresFor(operation)` merges all workloads; null asks for the total.
 */
export function objectivesOf(
  objectives: readonly Objective[],
  stage: Stage,
  figuresFor: (operation: string | null) => Figures,
): ObjectiveResult[] {
  const has = new Set<string>(
    stage.workloads.flatMap((workload) => workload.mix.map((part) => part.operation)),
  );
  return objectives
    .filter((objective) => objective.operation === 'total' || has.has(objective.operation))
    .map((objective) => {
      const figures = figuresFor(objective.operation === 'total' ? null : objective.operation);
      const actual = METRICS[objective.metric](figures);
      return {
        ...objective,
        actual,
        met: actual !== null && COMPARISONS[objective.comparison](actual, objective.threshold),
      };
    });
}

const METRICS: Readonly<Record<Objective['metric'], (figures: Figures) => number | null>> = {
  mean: ({ service }) => service.meanNs,
  p50: ({ service }) => service.p50Ns,
  p90: ({ service }) => service.p90Ns,
  p99: ({ service }) => service.p99Ns,
  'p99.9': ({ service }) => service.p999Ns,
  'p99.99': ({ service }) => service.p9999Ns,
  max: ({ service }) => service.maxNs,
  throughput: (figures) => figures.throughputPerSec,
  errors: (figures) => (figures.sent === 0 ? null : failures(figures) / figures.sent),
  misses: ({ hits, misses }) => {
    const reads = (hits ?? 0) + (misses ?? 0);
    return reads === 0 ? null : (misses ?? 0) / reads;
  },
};

const COMPARISONS: Readonly<Record<Objective['comparison'], (actual: number, threshold: number) => boolean>> =
  {
    '<': (actual, threshold) => actual < threshold,
    '<=': (actual, threshold) => actual <= threshold,
    '>': (actual, threshold) => actual > threshold,
    '>=': (actual, threshold) => actual >= threshold,
  };

/** Operations that were sent and did not succeed: errors + timeouts + aborted. */
export function failures(figures: Pick<Figures, 'errorCount' | 'timeouts' | 'aborted'>): number {
  return figures.errorCount + figures.timeouts + figures.aborted;
}
