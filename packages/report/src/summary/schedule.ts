import { createSchedule, type Stage, type Workload } from '@pacecar/protocol';
import { perSecond } from './figures.js';
import { rowKey } from './row-key.js';
import type { Schedule, StageSummary } from './schema.js';
import type { StageTally } from './tally.js';

const TOLERANCE = 0.01;
/** Standard deviations that random arrivals may take. */
const CHANCE = 4;

/** What the schedule of an open workload asked for, and what was sent; null in the closed model. */
export function scheduleOf(
  workload: Workload,
  stage: Stage,
  tally: StageTally | null,
  outcome: StageSummary['outcome'],
  elapsedNs: number | null,
): Schedule | null {
  const { model } = workload;
  if (model.kind === 'closed') return null;
  const schedule = createSchedule(model.rate);
  const sent = sentBy(workload, tally);
  const { windowNs, slackNs } = windowOf(workload, stage, tally, elapsedNs ?? 0);
  const due = schedule.expectedCount(windowNs);
  const slack = due - schedule.expectedCount(Math.max(0, windowNs - slackNs));
  const chance = model.arrivals === 'poisson' ? CHANCE * Math.sqrt(due) : 1;
  return {
    due: Math.round(due * 1e3) / 1e3,
    sent,
    windowMs: windowNs / 1e6,
    duePerSec: perSecond(due, windowNs),
    sentPerSec: perSecond(sent, windowNs),
    deviation: due === 0 ? null : sent / due - 1,
    tolerance: due === 0 ? null : Math.max(TOLERANCE, chance / due, slack / due),
    judged: outcome === 'complete' && due > 0,
  };
}

function sentBy({ name }: Workload, tally: StageTally | null): number {
  let sent = 0;
  for (const { rows } of tally?.workers.values() ?? [])
    for (const row of rows.values()) if (row.workload === name) sent += row.counters.sent;
  return sent;
}

/**
 * How long operations were sent: the stage's time; of a background to the word to stop, which was heard between then
 * and its true end; where it ends by a count, to the end of the last interval in which some were sent, which may be an
 * interval too long.
 */
function windowOf(
  { name, mix }: Workload,
  { end }: Stage,
  tally: StageTally | null,
  elapsedNs: number,
): { windowNs: number; slackNs: number } {
  if (end.kind === 'duration') return { windowNs: Math.min(end.durationMs * 1e6, elapsedNs), slackNs: 0 };
  if (end.kind === 'stage') {
    const lastNs = tally?.timeline.points().at(-1)?.[1].endNs ?? elapsedNs;
    return { windowNs: elapsedNs, slackNs: Math.max(0, lastNs - elapsedNs) };
  }
  const keys = mix.map((action) => rowKey(name, action.name));
  const last = (tally?.timeline.points() ?? [])
    .map(([, point]) => point)
    .findLast((point) => keys.some((key) => (point.rows.get(key)?.sent ?? 0) > 0));
  return last === undefined
    ? { windowNs: 0, slackNs: 0 }
    : { windowNs: last.endNs, slackNs: last.endNs - last.startNs };
}
