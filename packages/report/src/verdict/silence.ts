import { createSchedule } from '@pacecar/protocol';
import { type IntervalRun, runsOf } from '../summary/activity-tally.js';
import { wholeIntervals } from '../summary/stage-summary.js';
import { formatCount, formatDuration, plural } from '../units.js';
import { type Evidence, nameStage, type Observation, type StageEvidence } from './evidence.js';
import { failureKinds } from './outcomes.js';

/** Shorter pauses show in the latencies; a busy machine makes them without any fault of the target. */
const SHORTEST_MS = 500;
/** So many operations must have been missing in a pause that chance does not explain it. */
const FEWEST_EXPECTED = 10;
const LISTED = 4;

/** In every interval that lies wholly inside a stage some operation of some worker succeeded. */
export function targetSilent(evidence: Evidence): Observation[] {
  const { intervalMs } = evidence.plan;
  const found: Observation[] = [];
  let answered = 0;
  let unjudged = 0;
  for (const at of evidence.stages) {
    // A stage without any success has a finding of its own.
    if (at.tally === null || at.summary.total.ok === 0) continue;
    const whole = wholeIntervals(at);
    const silent: number[] = [];
    let judged = 0;
    let ok = 0;
    for (const [interval, activity] of at.tally.activity.intervals) {
      if (interval >= whole) continue;
      judged++;
      ok += activity.ok;
      if (activity.ok === 0) silent.push(interval);
    }
    answered += judged - silent.length;
    const runs = tellingRuns(silent, at, ok / Math.max(1, judged - silent.length), 1, intervalMs);
    const count = lengthOf(runs);
    unjudged += silent.length - count;
    if (count > 0) found.push(silenceOf(evidence, at, runs, count, judged));
  }
  if (found.length > 0 || unjudged > 0 || answered === 0) return found;
  return [
    {
      level: 'VALID',
      text:
        answered === 1
          ? 'operations succeeded in the one whole interval'
          : `operations succeeded in each of ${plural(answered, 'whole interval')}`,
      figures: { intervals: answered, intervalMs },
      at: null,
    },
  ];
}

function silenceOf(
  evidence: Evidence,
  at: StageEvidence,
  runs: readonly IntervalRun[],
  count: number,
  judged: number,
): Observation {
  const { intervalMs } = evidence.plan;
  const kinds = failureKinds(at.summary.total);
  return {
    level: 'DEGRADED',
    text: `target silent: no operation succeeded in ${formatCount(count)} of ${plural(judged, 'interval')} of ${nameStage(evidence, at)}: ${timesOf(runs, intervalMs)}${kinds === '' ? '' : ` (failed in the stage: ${kinds})`}`,
    figures: {
      silentIntervals: count,
      intervals: judged,
      silentMs: count * intervalMs,
      aborted: at.summary.total.aborted,
      timeouts: at.summary.total.timeouts,
    },
    at,
  };
}

/** A worker went on sending and ending operations as long as others did. */
export function workerStoodStill(evidence: Evidence): Observation[] {
  const { intervalMs, liveness } = evidence.plan;
  const delayLimitMs = Math.max(1_000, intervalMs, 2 * liveness.heartbeatMs);
  const found: Observation[] = [];
  for (const at of evidence.stages) {
    if (at.tally === null) continue;
    for (const { worker, name, elapsedMs, generator } of at.summary.workers) {
      const own = at.tally.activity.workers.get(worker);
      if (own === undefined) continue;
      const whole = Math.min(wholeIntervals(at), Math.floor((elapsedMs ?? 0) / intervalMs));
      const idle = own.idle.filter(
        (interval) => interval < whole && (at.tally?.activity.intervals.get(interval)?.ok ?? 0) > 0,
      );
      const share = 1 / Math.max(1, at.tally.workers.size);
      const runs = tellingRuns(idle, at, own.sent / Math.max(1, own.active), share, intervalMs);
      const idleMs = lengthOf(runs) * intervalMs;
      const delayMs = (generator?.delayMaxNs ?? 0) / 1e6;
      if (idleMs === 0 && delayMs < delayLimitMs) continue;
      const how =
        idleMs === 0
          ? 'an event loop of it was held up'
          : `no operation in ${plural(lengthOf(runs), 'interval')} in which others had some: ${timesOf(runs, intervalMs)}`;
      found.push({
        level: 'DEGRADED',
        text: `worker ${name} stood still for ${formatDuration(Math.max(idleMs, delayMs))} of ${nameStage(evidence, at)} (${how})`,
        figures: { worker, name, idleMs, delayMaxMs: delayMs },
        at,
      });
    }
  }
  return found;
}

/**
 * Those that are long enough, and in which operations enough were to be expected: by the schedules, `share` of it,
 * where all workloads have one, else `perInterval`.
 */
function tellingRuns(
  intervals: readonly number[],
  { stage: { workloads } }: StageEvidence,
  perInterval: number,
  share: number,
  intervalMs: number,
): IntervalRun[] {
  // Connections that pause in step are silent together.
  const pauseMs = Math.max(
    0,
    ...workloads.map(({ model }) => (model.kind === 'closed' ? model.thinkTimeMs : 0)),
  );
  const schedules = workloads.flatMap(({ model }) =>
    model.kind === 'open' ? [createSchedule(model.rate)] : [],
  );
  const due = (interval: number) =>
    schedules.reduce((sum, schedule) => sum + schedule.expectedCount(interval * intervalMs * 1e6), 0);
  return runsOf(intervals).filter(({ from, to }) => {
    const expected =
      schedules.length === workloads.length ? (due(to) - due(from)) * share : (to - from) * perInterval;
    return (to - from) * intervalMs >= SHORTEST_MS + pauseMs && expected >= FEWEST_EXPECTED;
  });
}

function lengthOf(runs: readonly IntervalRun[]): number {
  return runs.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** `2.0 s .. 4.0 s, 7.0 s .. 8.0 s`, since the stage's start. */
function timesOf(runs: readonly IntervalRun[], intervalMs: number): string {
  const times = runs
    .slice(0, LISTED)
    .map(({ from, to }) => `${seconds(from * intervalMs)} .. ${seconds(to * intervalMs)}`);
  const more = runs.length - times.length;
  return times.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
