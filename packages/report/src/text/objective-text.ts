import type { ObjectiveResult } from '../summary/schema.js';
import { formatLatency, formatPercent, formatRate } from '../units.js';

/** The figure that an objective came to, in its own unit. */
export function formatObjective({ metric, actual }: Pick<ObjectiveResult, 'metric' | 'actual'>): string {
  if (actual === null) return 'without data';
  if (metric === 'throughput') return `${formatRate(actual)}/s`;
  if (metric === 'errors' || metric === 'misses') return formatPercent(actual);
  return formatLatency(actual);
}
