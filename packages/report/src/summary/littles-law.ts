import type { Stage, Workload } from '@pacecar/protocol';
import { plural } from '../units.js';
import type { IntervalActivity } from './activity-tally.js';
import type { LittlesLaw, StageSummary } from './schema.js';
import type { StageTally } from './tally.js';

/** Intervals that it takes: fewer say more of their ends than of what is between. */
const FEWEST_INTERVALS = 5;
const TOLERANCE = 0.05;
/** A tolerance above this would let everything pass. */
const LOOSEST = 0.25;
/** Standard deviations that chance may take. */
const CHANCE = 4;
/** Operations that begin before or end after the window must not matter: the mean time is at most this part of it. */
const LONGEST_MEAN = 1 / 50;
/** Nobody knows how long aborted operations were under way. */
const MOST_ABORTED = 0.01;

/**
 * Holds what was in flight at the ends of the whole intervals, without the first, against throughput x mean time in
 * them. A sample of what was in flight is off by chance, and where starts follow a clock by one operation a worker.
 */
export function littlesLawOf(
  stage: Stage,
  tally: StageTally | null,
  outcome: StageSummary['outcome'],
  total: { readonly sent: number; readonly aborted: number },
  time: { readonly intervalMs: number; readonly wholeIntervals: number },
): LittlesLaw {
  const why = stage.workloads.map(inStep).find((reason) => reason !== null) ?? null;
  if (why !== null) return unjudged(why);
  if (outcome !== 'complete' || tally === null) return unjudged('the stage did not run to its end');
  if (total.aborted > total.sent * MOST_ABORTED)
    return unjudged(
      `${plural(total.aborted, 'operation')} aborted, and nobody knows how long they were under way`,
    );
  const all = Array.from(
    { length: time.wholeIntervals },
    (_, interval) => tally.activity.intervals.get(interval) ?? IDLE,
  );
  const [first = IDLE, ...window] = all;
  if (window.length < FEWEST_INTERVALS)
    return unjudged(
      `it takes ${FEWEST_INTERVALS} whole intervals after the first, and there are ${window.length}`,
    );
  const windowNs = window.length * time.intervalMs * 1e6;
  const busyNs = sum(window, (interval) => interval.busyNs);
  const ended = sum(window, (interval) => interval.ended);
  const inFlight = sum(window, (interval) => interval.inFlight) / window.length;
  const product = busyNs / windowNs;
  const measured = { inFlight: rounded(inFlight), product: rounded(product) };
  if (ended === 0) return unjudged('no operation ended', measured);
  if (busyNs / ended > windowNs * LONGEST_MEAN)
    return unjudged('operations take too long for a stage this short', measured);
  const course = Math.abs((window.at(-1) ?? IDLE).inFlight - first.inFlight) / window.length;
  const byClock = stage.workloads.some(({ model }) => model.kind === 'open') ? tally.workers.size : 0;
  // As the samples themselves scatter, and by random starts at least as these must.
  const scatter = Math.sqrt(varianceOf(window.map((interval) => interval.inFlight)) / window.length);
  const chance = CHANCE * Math.max(scatter, byClock === 0 ? 0 : Math.sqrt(product / window.length));
  const tolerance = Math.max(TOLERANCE * inFlight, chance, byClock) + course;
  if (inFlight === 0 || tolerance > LOOSEST * inFlight)
    return unjudged('what was in flight went up and down too much for so few samples', measured);
  return {
    ...measured,
    deviation: product / inFlight - 1,
    tolerance: tolerance / inFlight,
    unjudged: null,
  };
}

/** An interval without a frame. */
const IDLE: IntervalActivity = { ok: 0, sent: 0, ended: 0, inFlight: 0, busyNs: 0 };

/** Why samples at the ends of intervals may say nothing of what was in flight between them; null: they may say it. */
function inStep({ name, model, reconnect }: Workload): string | null {
  if (reconnect.everyOperations !== null) return `the connections of ${name} are opened anew in step`;
  if (model.kind === 'open') return null;
  if (model.thinkTimeMs > 0) return `with think time the connections of ${name} move in step`;
  return model.start.kind === 'together' ? null : `the connections of ${name} begin one after the other`;
}

function unjudged(
  why: string,
  measured: Pick<LittlesLaw, 'inFlight' | 'product'> = { inFlight: null, product: null },
): LittlesLaw {
  return { ...measured, deviation: null, tolerance: null, unjudged: why };
}

function varianceOf(values: readonly number[]): number {
  const mean = sum(values, (value) => value) / values.length;
  return sum(values, (value) => (value - mean) ** 2) / Math.max(1, values.length - 1);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/** Three decimals, and the same text on every machine. */
function rounded(value: number): number {
  return Math.round(value * 1e3) / 1e3;
}
