import type { StageSummary } from '../summary/schema.js';
import { formatCount } from '../units.js';

const WORDS = [
  ['MOVED', 'moved'],
  ['ASK', 'asked'],
  ['RETRIED', 'said again'],
] as const;

/** How often nodes of a cluster sent operations elsewhere, by operation; null: they did not. */
export function redirectText(stage: Pick<StageSummary, 'rows'>): string | null {
  const several = new Set(stage.rows.map(({ workload }) => workload)).size > 1;
  const parts = stage.rows.flatMap(({ workload, operation, notes }) => {
    const counted = WORDS.flatMap(([note, word]) => {
      const count = notes?.[note];
      return count === undefined ? [] : [`${formatCount(count)} ${word}`];
    });
    return counted.length === 0 ? [] : [`${several ? `${workload} ` : ''}${operation} ${counted.join(', ')}`];
  });
  return parts.length === 0 ? null : parts.join('; ');
}
