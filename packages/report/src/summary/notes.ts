import { formatLatency, formatPercent, plural } from '../units.js';
import type { RunRecord } from './record.js';
import type { CellSummary, StageSummary } from './schema.js';
import type { Tally } from './tally.js';

const REFUSALS_LISTED = 5;
/** From here on delays of the generator are said, if they are this share of the response time at the same percentile. */
const TELLING_DELAY_NS = 5e6;
const TELLING_SHARE = 0.5;

/** What a reader should know and no rule judges, one sentence each. */
export function notesOf(record: RunRecord, tally: Tally, cells: readonly CellSummary[]): string[] {
  const notes: string[] = [];
  if (tally.duplicates > 0)
    notes.push(`${plural(tally.duplicates, 'frame')} came more than once and counted once.`);
  for (const worker of record.workers.values())
    if (worker.cuts > 0 && worker.lost === null)
      notes.push(
        `The connection of worker ${worker.name} was cut ${plural(worker.cuts, 'time')} and came back.`,
      );
  for (const refusal of record.refusals.slice(0, REFUSALS_LISTED))
    notes.push(`Refused (${refusal.code}): ${refusal.reason}`);
  if (record.refusals.length > REFUSALS_LISTED)
    notes.push(`${plural(record.refusals.length - REFUSALS_LISTED, 'more refusal')}: see events.ndjson.`);
  for (const cell of cells) {
    for (const stage of cell.unmeasured)
      if (stage.failures > 0)
        notes.push(
          `${stage.name} (not measured): ${plural(stage.failures, 'operation')} of ${plural(stage.sent, 'operation')} failed (${formatPercent(Math.min(1, stage.failures / Math.max(1, stage.sent)))}).`,
        );
    for (const stage of cell.stages) {
      const { saturated } = stage.total.service;
      if (saturated > 0)
        notes.push(
          `${stage.name}: ${plural(saturated, 'operation')} took longer than an hour, up to ${formatLatency(stage.total.service.maxNs)}; percentiles count them as one hour.`,
        );
    }
  }
  const delay = ownDelayNote(cells.flatMap(({ stages }) => stages));
  if (delay !== null) notes.push(delay);
  if (cells.some(({ stages }) => stages.some(sharesWorkers))) notes.push(SHARED_PROCESS);
  const note = closedModelNote(cells.flatMap((cell) => cell.stages));
  return note === null ? notes : [...notes, note];
}

/** Response times count from when an operation was due, so they hold what the generator itself was late by. */
function ownDelayNote(stages: readonly StageSummary[]): string | null {
  let worst: { name: string; own: number; response: number } | null = null;
  let count = 0;
  for (const { name, total } of stages) {
    const own = total.pacing?.p99Ns ?? 0;
    const response = total.response?.p99Ns ?? null;
    if (response === null || own < TELLING_DELAY_NS || own < response * TELLING_SHARE) continue;
    count++;
    if (worst === null || own > worst.own) worst = { name, own, response };
  }
  if (worst === null) return null;
  const where = count === 1 ? worst.name : `${plural(count, 'measurement')}, the worst of ${worst.name}`;
  return `Response times contain delays of the generator itself (${where}): at p99 it was ${formatLatency(worst.own)} late, of a response time of ${formatLatency(worst.response)}. Service times do not.`;
}

/** Whether a background stage ran on workers of a stage beside it. */
function sharesWorkers(
  { background, beside, workers }: StageSummary,
  _: number,
  stages: readonly StageSummary[],
): boolean {
  if (!background) return false;
  const own = new Set(workers.map(({ worker }) => worker));
  return stages.some(
    (other) => beside.includes(other.name) && other.workers.some(({ worker }) => own.has(worker)),
  );
}

const SHARED_PROCESS =
  'Stages beside each other on one worker share its process: its CPU time and memory stand in each of them, and are of all.';

/**
 * Said wherever latencies of a closed model are shown: those of measure stages, or of the others where none was
 * measured. Names what it is about where something else is open.
 */
function closedModelNote(stages: readonly StageSummary[]): string | null {
  const began = stages.filter((stage) => stage.total.ok > 0);
  const measured = began.filter((stage) => stage.kind === 'measure');
  const shown = measured.length > 0 ? measured : began;
  const closed = shown.flatMap((stage) => {
    const loads = stage.load.filter((load) => load.model === 'closed');
    if (loads.length === 0) return [];
    return loads.length === stage.load.length
      ? [stage.name]
      : loads.map((load) => `${load.workload} of ${stage.name}`);
  });
  if (closed.length === 0) return null;
  const all = shown.every((stage) => stage.load.every((load) => load.model === 'closed'));
  return `Closed model${all ? '' : ` (${[...new Set(closed)].join(', ')})`}: ${CLOSED_MODEL}`;
}

const CLOSED_MODEL =
  'a new operation starts when one ends, so latencies are service times (sent to answered). Response times, which include the wait of operations that would have been due, cannot be known: a stall of the target delays the next operations instead of being counted against them (no correction for coordinated omission).';
