import type { StageSummary } from '../summary/schema.js';
import { formatCount, formatPercent } from '../units.js';

/** What near caches of the clients answered, by operation; null: there were none, or they had nothing. */
export function nearCacheText(stage: Pick<StageSummary, 'rows'>): string | null {
  const several = new Set(stage.rows.map(({ workload }) => workload)).size > 1;
  const parts = stage.rows.flatMap(({ workload, operation, hits, misses, notes }) => {
    const own = notes?.NEAR_CACHE;
    if (own === undefined) return [];
    const reads = (hits ?? 0) + (misses ?? 0);
    const of =
      reads < own
        ? ''
        : ` of ${formatCount(reads)} (${formatPercent(own / reads)}), the target ${formatCount(reads - own)}`;
    return [`${several ? `${workload} ` : ''}${operation} ${formatCount(own)}${of}`];
  });
  return parts.length === 0 ? null : `answered by the clients themselves: ${parts.join('; ')}`;
}
