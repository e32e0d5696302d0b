import { actionOf, READS } from '@pacecar/protocol';
import { failures } from '../summary/objectives.js';
import type { Figures } from '../summary/schema.js';
import { formatCount, formatPercent, plural } from '../units.js';
import { type Evidence, nameStage, type Observation, type StageEvidence } from './evidence.js';

/** A stage in which nothing succeeded measured nothing. */
export function success(evidence: Evidence): Observation[] {
  const started = evidence.stages.filter(
    ({ record, tally }) => (record?.go ?? null) !== null || tally !== null,
  );
  const sending = started.filter((at) => evidence.run.outcome === 'complete' || at.summary.total.sent > 0);
  const without = sending.filter(({ summary }) => summary.total.ok === 0);
  if (without.length > 0)
    return without.map((at) => ({
      level: 'INVALID',
      text: `${nameStage(evidence, at)}: no operation succeeded (${formatCount(at.summary.total.sent)} sent)`,
      figures: { sent: at.summary.total.sent, succeeded: 0 },
      at,
    }));
  if (sending.some(({ stage }) => stage.kind === 'measure') || evidence.probes.length > 0) return [];
  const planned = evidence.plan.cells.flatMap(({ stages }) => stages).find(({ kind }) => kind === 'measure');
  if (planned !== undefined && evidence.run.outcome !== 'complete')
    return [
      {
        level: 'INVALID',
        text: `nothing was measured: ${planned.name} had not begun`,
        figures: { succeeded: 0 },
        at: null,
      },
    ];
  if (sending.length > 0) return [];
  return [{ level: 'INVALID', text: 'nothing was measured', figures: { succeeded: 0 }, at: null }];
}

/** Failed operations (errors, timeouts, aborted) as a share of all, in each stage. */
export function errorBudget(evidence: Evidence): Observation[] {
  const budget = evidence.plan.errorBudget;
  return judgeShares(evidence.stages, budget, {
    part: (at) => failures(at.summary.total),
    whole: (at) => at.summary.total.sent,
    bad: (at, part, whole, share) =>
      `${plural(part, 'operation')} of ${formatCount(whole)} failed in ${nameStage(evidence, at)} (${failureKinds(at.summary.total)}): ${share}, budget ${formatPercent(budget)}`,
    good: (part, whole, share) =>
      `${formatCount(part)} of ${plural(whole, 'operation')} failed${part === 0 ? '' : ` (${failureKinds(sumOfFailures(evidence.stages))})`}: ${share}, budget ${formatPercent(budget)}`,
  });
}

/** Reads that found nothing, as a share of all reads, in each stage. Deletes that found nothing are no reads. */
export function missBudget(evidence: Evidence): Observation[] {
  const budget = evidence.plan.missBudget;
  const reads = (at: StageEvidence) =>
    at.summary.rows.filter((row) => READS.has(actionOf(at.stage, row)?.operation ?? ''));
  return judgeShares(evidence.stages, budget, {
    part: (at) => reads(at).reduce((sum, row) => sum + (row.misses ?? 0), 0),
    whole: (at) => reads(at).reduce((sum, row) => sum + (row.hits ?? 0) + (row.misses ?? 0), 0),
    bad: (at, part, whole, share) =>
      `${plural(part, 'read')} of ${formatCount(whole)} missed in ${nameStage(evidence, at)}: ${share}, budget ${formatPercent(budget)}`,
    good: (part, whole, share) =>
      `${formatCount(part)} of ${plural(whole, 'read')} missed: ${share}, budget ${formatPercent(budget)}`,
  });
}

interface Share {
  readonly part: (at: StageEvidence) => number;
  readonly whole: (at: StageEvidence) => number;
  readonly bad: (at: StageEvidence, part: number, whole: number, share: string) => string;
  readonly good: (part: number, whole: number, share: string) => string;
}

function judgeShares(
  stages: Evidence['stages'],
  budget: number,
  { part, whole, bad, good }: Share,
): Observation[] {
  const found: Observation[] = [];
  let parts = 0;
  let wholes = 0;
  for (const at of stages) {
    const own = { part: part(at), whole: whole(at) };
    parts += own.part;
    wholes += own.whole;
    if (own.whole === 0 || own.part / own.whole <= budget) continue;
    const share = formatPercent(Math.min(1, own.part / own.whole));
    found.push({
      level: 'DEGRADED',
      text: bad(at, own.part, own.whole, share),
      figures: { ...own, share: own.part / own.whole, budget },
      at,
    });
  }
  if (found.length > 0 || wholes === 0) return found;
  return [
    {
      level: 'VALID',
      text: good(parts, wholes, formatPercent(Math.min(1, parts / wholes))),
      figures: { part: parts, whole: wholes, share: parts / wholes, budget },
      at: null,
    },
  ];
}

/** `WRONGTYPE 12, OOM 3, timeouts 1`. */
export function failureKinds(total: Pick<Figures, 'errors' | 'timeouts' | 'aborted'>): string {
  const parts = Object.entries(total.errors).map(([kind, count]) => `${kind} ${formatCount(count)}`);
  if (total.timeouts > 0) parts.push(`timeouts ${formatCount(total.timeouts)}`);
  if (total.aborted > 0) parts.push(`aborted ${formatCount(total.aborted)}`);
  return parts.join(', ');
}

/** Over all stages that count. */
export function sumOfFailures(
  stages: readonly {
    readonly summary: { readonly total: Pick<Figures, 'errors' | 'timeouts' | 'aborted'> };
  }[],
): Pick<Figures, 'errors' | 'timeouts' | 'aborted'> {
  const errors: Record<string, number> = {};
  let timeouts = 0;
  let aborted = 0;
  for (const { summary } of stages) {
    for (const [kind, count] of Object.entries(summary.total.errors))
      errors[kind] = (errors[kind] ?? 0) + count;
    timeouts += summary.total.timeouts;
    aborted += summary.total.aborted;
  }
  return { errors, timeouts, aborted };
}
