import { EXIT, FAILURE_CODES } from '@pacecar/protocol';
import type { SearchSummary, Summary } from './summary/schema.js';

/** Rules whose finding fails the command although the measurement itself may stand. */
const FAILING_RULES: ReadonlySet<string> = new Set(['error-budget']);

/**
 * How a process that made or reads this run ends (EXIT): the code of what ended the run early, 1 for INVALID, an
 * exceeded error budget, a missed objective, a search that found no rate and, when `strict`, DEGRADED; else 0.
 */
export function exitCodeOf(summary: Summary, options: { readonly strict: boolean }): number {
  const { run, verdict } = summary;
  if (run.outcome !== 'complete') return run.code === null ? EXIT.failed : FAILURE_CODES[run.code];
  if (verdict.status === 'INVALID') return EXIT.failed;
  if (verdict.reasons.some((reason) => FAILING_RULES.has(reason.rule))) return EXIT.failed;
  if (missedObjectives(summary) > 0 || searchesWithoutRate(summary) > 0) return EXIT.failed;
  if (options.strict && verdict.status === 'DEGRADED') return EXIT.failed;
  return EXIT.ok;
}

/** How many searches came to no rate that holds. */
export function searchesWithoutRate(summary: Summary): number {
  let without = 0;
  for (const cell of summary.cells)
    for (const { search } of cell.stages) if (search !== null && isWithoutRate(search)) without++;
  return without;
}

/** It came to its end, and no rate was confirmed. */
export function isWithoutRate({ outcome }: SearchSummary): boolean {
  return outcome === 'none' || outcome === 'unsettled';
}

/** How many objectives were missed, over all measure stages. */
export function missedObjectives(summary: Summary): number {
  let missed = 0;
  for (const cell of summary.cells)
    for (const stage of cell.stages) for (const objective of stage.objectives) if (!objective.met) missed++;
  return missed;
}
