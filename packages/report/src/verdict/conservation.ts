import {
  canMiss,
  type Counters,
  endedCount,
  errorCount,
  stageOfNumber,
  type Totals,
} from '@pacecar/protocol';
import { rowKey } from '../summary/row-key.js';
import type { RowTally, WorkerTally } from '../summary/tally.js';
import { formatCount } from '../units.js';
import { type Evidence, everyStage, nameStage, type Observation, type StageEvidence } from './evidence.js';

/**
 * Nothing appears and nothing vanishes: sent = ok + errors + timeouts + aborted; gets = hits + misses; a latency for
 * each ok; and what a worker counted by itself over the stage is the sum of its frames.
 */
export function conservation(evidence: Evidence): Observation[] {
  const found: Observation[] = [];
  const sum = { sent: 0, ok: 0, errors: 0, timeouts: 0, aborted: 0 };
  for (const at of everyStage(evidence))
    for (const { worker, name } of at.summary.workers) {
      const tally = at.tally?.workers.get(worker) ?? null;
      const last = at.record?.drains.get(worker)?.lastSequence ?? tally?.sequences.highest ?? -1;
      // With frames missing nothing can add up; the rule on statistics says that they are.
      if (tally !== null && tally.sequences.missingUpTo(last) > 0) continue;
      const where = `${nameStage(evidence, at)}, worker ${name}`;
      found.push(...checkWorker(at, worker, tally, where));
      for (const { counters } of tally?.rows.values() ?? []) {
        sum.sent += counters.sent;
        sum.ok += counters.ok;
        sum.errors += errorCount(counters);
        sum.timeouts += counters.timeouts;
        sum.aborted += counters.aborted;
      }
    }
  found.push(...brokenWhileRunning(evidence));
  if (found.length > 0 || evidence.frames === 0) return found;
  const ended = sum.ok + sum.errors + sum.timeouts + sum.aborted;
  // Less than sent only where a lost worker left operations in flight.
  const open = sum.sent > ended ? ` + in flight at a loss ${formatCount(sum.sent - ended)}` : '';
  return [
    {
      level: 'VALID',
      text: `nothing lost in counting: sent ${formatCount(sum.sent)} = ok ${formatCount(sum.ok)} + errors ${formatCount(sum.errors)} + timeouts ${formatCount(sum.timeouts)} + aborted ${formatCount(sum.aborted)}${open}`,
      figures: { ...sum, inFlight: sum.sent - ended },
      at: null,
    },
  ];
}

/** The coordinator checks the same while a run goes, and its warm-ups, of which no frames are kept. */
function brokenWhileRunning(evidence: Evidence): Observation[] {
  const found: Observation[] = [];
  for (const stage of evidence.record.stages.values())
    for (const { worker, reason } of stage.broken) {
      const name = evidence.record.workers.get(worker)?.name ?? `worker ${worker}`;
      const cell = evidence.plan.cells[stage.cell];
      const where = (cell === undefined ? null : stageOfNumber(cell, stage.stage))?.name ?? 'a stage';
      found.push({
        level: 'INVALID',
        text: `${where}, worker ${name}: the coordinator found counts that do not add up: ${reason}`,
        figures: { worker },
        at:
          everyStage(evidence).find((at) => at.cell.index === stage.cell && at.index === stage.stage) ?? null,
      });
    }
  return found;
}

function checkWorker(
  at: StageEvidence,
  worker: number,
  tally: WorkerTally | null,
  where: string,
): Observation[] {
  const found: Observation[] = [];
  const drain = at.record?.drains.get(worker) ?? null;
  for (const row of tally?.rows.values() ?? [])
    found.push(...checkRow(row, drain !== null, at, `${where}, ${row.operation}`));
  if (drain === null) return found;
  const counted = new Map(drain.totals.map((totals) => [rowKey(totals.workload, totals.operation), totals]));
  const keys = new Set([...counted.keys(), ...(tally?.rows.keys() ?? [])]);
  for (const key of keys) {
    const totals = counted.get(key) ?? null;
    const row = tally?.rows.get(key) ?? null;
    const difference = firstDifference(totals, row?.counters ?? null);
    if (difference !== null)
      found.push({
        level: 'INVALID',
        text: `${where}, ${totals?.operation ?? row?.operation}: the worker counted ${difference.name} ${formatCount(difference.counted)}, its frames hold ${formatCount(difference.recorded)}`,
        figures: {
          worker,
          counted: difference.counted,
          recorded: difference.recorded,
          counter: difference.name,
        },
        at,
      });
  }
  return found;
}

function checkRow(row: RowTally, drained: boolean, at: StageEvidence, where: string): Observation[] {
  const found: Observation[] = [];
  const { counters } = row;
  const ended = endedCount(counters);
  const inFlight = drained ? 0 : row.inFlight;
  if (counters.sent !== ended + inFlight)
    found.push({
      level: 'INVALID',
      text: `${where}: sent ${formatCount(counters.sent)} is not ok ${formatCount(counters.ok)} + errors ${formatCount(errorCount(counters))} + timeouts ${formatCount(counters.timeouts)} + aborted ${formatCount(counters.aborted)}${inFlight > 0 ? ` + in flight ${formatCount(inFlight)}` : ''}`,
      figures: {
        sent: counters.sent,
        ok: counters.ok,
        errors: errorCount(counters),
        timeouts: counters.timeouts,
        aborted: counters.aborted,
        inFlight,
      },
      at,
    });
  if (canMiss(at.stage, row) && counters.ok !== counters.hits + counters.misses)
    found.push({
      level: 'INVALID',
      text: `${where}: ok ${formatCount(counters.ok)} is not hits ${formatCount(counters.hits)} + misses ${formatCount(counters.misses)}`,
      figures: { ok: counters.ok, hits: counters.hits, misses: counters.misses },
      at,
    });
  const timed = row.service.count();
  if (timed !== counters.ok || row.service.invalid > 0)
    found.push({
      level: 'INVALID',
      text: `${where}: ${formatCount(counters.ok)} operations were ok, but ${formatCount(timed)} latencies were recorded`,
      figures: { ok: counters.ok, timed, unreadable: row.service.invalid },
      at,
    });
  return found;
}

const COMPARED = [
  'sent',
  'ok',
  'hits',
  'misses',
  'errors',
  'timeouts',
  'aborted',
  'late',
  'dropped',
] as const;

function firstDifference(
  totals: Totals | null,
  counters: Counters | null,
): { name: string; counted: number; recorded: number } | null {
  for (const name of COMPARED) {
    const counted = totals?.[name] ?? 0;
    const recorded = counters === null ? 0 : name === 'errors' ? errorCount(counters) : counters[name];
    if (counted !== recorded) return { name, counted, recorded };
  }
  return null;
}
