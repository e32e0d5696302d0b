import { formatLatency, formatPercent, plural } from '../units.js';
import type { RunRecord } from './record.js';
import type { CellSummary, StageSummary } from './schema.js';
import type { Tally } from './tally.js';

const REFUSALS_LISTED = 5;

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
  if (cells.some((cell) => cell.stages.some(isClosedAndMeasured))) notes.push(CLOSED_MODEL);
  return notes;
}

function isClosedAndMeasured(stage: StageSummary): boolean {
  return stage.total.ok > 0 && stage.load.some((load) => load.model === 'closed');
}

/** Said wherever latencies of a closed model are shown. */
export const CLOSED_MODEL =
  'Closed model: a new operation starts when one ends, so latencies are service times (sent to answered). Response times, which include the wait of operations that would have been due, cannot be known: a stall of the target delays the next operations instead of being counted against them (no correction for coordinated omission).';
