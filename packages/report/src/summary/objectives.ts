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
      const actual = metricOf(figures, objective.metric);
      return { ...objective, actual, met: actual !== null && holds(actual, objective) };
    });
}

function metricOf(figures: Figures, metric: Objective['metric']): number | null {
  const { service } = figures;
  switch (metric) {
    case 'mean':
      return service.meanNs;
    case 'p50':
      return service.p50Ns;
    case 'p90':
      return service.p90Ns;
    case 'p99':
      return service.p99Ns;
    case 'p99.9':
      return service.p999Ns;
    case 'p99.99':
      return service.p9999Ns;
    case 'max':
      return service.maxNs;
    case 'throughput':
      return figures.throughputPerSec;
    case 'errors':
      return figures.sent === 0 ? null : failures(figures) / figures.sent;
    case 'misses': {
      const reads = (figures.hits ?? 0) + (figures.misses ?? 0);
      return reads === 0 ? null : (figures.misses ?? 0) / reads;
    }
  }
}

/** Operations that were sent and did not succeed: errors + timeouts + aborted. */
export function failures(figures: Pick<Figures, 'errorCount' | 'timeouts' | 'aborted'>): number {
  return figures.errorCount + figures.timeouts + figures.aborted;
}

function holds(actual: number, { comparison, threshold }: Objective): boolean {
  switch (comparison) {
    case '<':
      return actual < threshold;
    case '<=':
      return actual <= threshold;
    case '>':
      return actual > threshold;
    case '>=':
      return actual >= threshold;
  }
}
