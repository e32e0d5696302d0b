import { failures } from '../summary/objectives.js';
import type { Level, SearchSummary, Summary } from '../summary/schema.js';
import { searchAnswer } from '../text/search-text.js';
import { failureKinds, sumOfFailures } from './outcomes.js';
import { formatCount, formatPercent, plural } from '../units.js';

/** The first line of every report. */
export interface Headline {
  readonly status: Level;
  /** Said beside the status: the run did not go to its end. */
  readonly mark: 'interrupted' | 'failed' | null;
  /** Why, in one sentence; for VALID what stands behind it. */
  readonly text: string;
}

export function headlineOf(summary: Summary): Headline {
  const { run, verdict } = summary;
  return {
    status: verdict.status,
    mark: run.outcome === 'complete' ? null : run.outcome,
    text: verdict.reasons[0]?.text ?? goodNews(summary),
  };
}

function goodNews(summary: Summary): string {
  const { run } = summary;
  let sent = 0;
  let failed = 0;
  const stages = summary.cells.flatMap((cell) => cell.stages.map((stage) => ({ summary: stage })));
  for (const { summary: stage } of stages) {
    sent += stage.search === null ? stage.total.sent : probesSent(stage.search);
    failed += failures(stage.total);
  }
  const outcome =
    failed === 0
      ? 'none failed'
      : `${formatCount(failed)} failed (${failureKinds(sumOfFailures(stages))}: ${formatPercent(failed / sent)}, within budget)`;
  return `${searchNews(summary)}${run.participants.joined} of ${plural(run.participants.of, 'worker')}, ${plural(sent, 'operation')} counted once, ${outcome}`;
}

/** The answer that a run was made for, where it is one. */
function searchNews({ cells }: Summary): string {
  const searches = cells.flatMap(({ stages }) => stages.flatMap(({ search }) => search ?? []));
  const [only] = searches;
  return only === undefined || searches.length > 1 ? '' : `${searchAnswer(only).text}; `;
}

function probesSent({ probes }: SearchSummary): number {
  return probes.reduce((sum, { operations }) => sum + operations, 0);
}
