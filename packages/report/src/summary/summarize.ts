import type { Plan } from '@pacecar/protocol';
import type { BundleSource } from '../source.js';
import type { StageEvidence } from '../verdict/evidence.js';
import { ceilingNotes } from '../verdict/generator-ceiling.js';
import { judge } from '../verdict/judge.js';
import { notesOf } from './notes.js';
import { type RunRecord, readRecord, stageKey } from './record.js';
import { summarizeRun } from './run-summary.js';
import { type CellSummary, SUMMARY_VERSION, type Summary } from './schema.js';
import { type StageSource, summarizeStage, summarizeUnmeasured } from './stage-summary.js';
import { type Tally, tallyFrames } from './tally.js';

/**
 * Reads a bundle once and says what the run came to: merged figures, and a verdict on how far they can be trusted.
 * The order of frames does not matter, a frame that stands twice counts once, and the same bundle always gives the
 * same summary. Never throws for what a bundle holds: what cannot be read is damage, and the verdict says so.
 */
export function summarize(source: BundleSource): Summary {
  const record = readRecord(source.events);
  const tally = tallyFrames(source, record.epoch);
  const run = summarizeRun(source.plan, record);
  const evidence: StageEvidence[] = [];
  const cells: CellSummary[] = [];
  for (const cell of source.plan.cells) {
    const began = stagesThatBegan(source.plan, cell.index, record, tally);
    if (began.length === 0) continue;
    const driver = source.plan.configurations.find(({ name }) => name === cell.configuration)?.driver ?? '';
    const stages = began.filter(({ stage }) => stage.kind !== 'warm-up');
    const summary: CellSummary = {
      index: cell.index,
      configuration: cell.configuration,
      driver,
      driverClass: run.drivers.find(({ name }) => name === driver)?.class ?? null,
      repetition: cell.repetition,
      coordinates: { ...cell.coordinates },
      stages: stages.map(summarizeStage),
      unmeasured: began.filter(({ stage }) => stage.kind === 'warm-up').map(summarizeUnmeasured),
    };
    cells.push(summary);
    stages.forEach((stage, position) => {
      const stageSummary = summary.stages[position];
      if (stageSummary !== undefined) evidence.push({ ...stage, summary: stageSummary });
    });
  }
  const whole = {
    plan: source.plan,
    run,
    record,
    stages: evidence,
    frames: tally.frames,
    damage: [...source.damage, ...tally.damage],
  };
  return {
    summaryVersion: SUMMARY_VERSION,
    run,
    verdict: judge(whole),
    notes: [...notesOf(record, tally, cells), ...ceilingNotes(whole)],
    cells,
  };
}

function stagesThatBegan(plan: Plan, cellIndex: number, record: RunRecord, tally: Tally): StageSource[] {
  const cell = plan.cells[cellIndex];
  if (cell === undefined) return [];
  return cell.stages.flatMap((stage, index) => {
    const key = stageKey(cell.index, index);
    const source: StageSource = {
      plan,
      cell,
      index,
      stage,
      run: record,
      record: record.stages.get(key) ?? null,
      tally: tally.stages.get(key) ?? null,
    };
    return source.record === null && source.tally === null ? [] : [source];
  });
}
