import { type Cell, type Plan, sendsLoad, stageNumber } from '@pacecar/protocol';
import type { BundleSource } from '../source.js';
import type { StageEvidence } from '../verdict/evidence.js';
import { ceilingNotes } from '../verdict/generator-ceiling.js';
import { judge } from '../verdict/judge.js';
import { marksOf, summarizeAct } from './acts.js';
import { notesOf } from './notes.js';
import { type RunRecord, readRecord, stageKey } from './record.js';
import { summarizeRun } from './run-summary.js';
import {
  hasHeld,
  resultOf,
  resultStage,
  type SearchSource,
  searchSource,
  summarizeSearch,
} from './search.js';
import { type CellSummary, SUMMARY_VERSION, type StageSummary, type Summary } from './schema.js';
import { type StageSource, summarizeStage, summarizeUnmeasured } from './stage-summary.js';
import { type Tally, tallyFrames } from './tally.js';

/**
 * Reads a bundle once and says what the run came to: merged figures, and a verdict on how far they can be trusted.
 * The order of frames does not matter, a frame that stands twice counts once, and the same bundle always gives the
 * same summary. Never throws for what a bundle holds: what cannot be read is damage, and the verdict says so.
 */
export function summarize(source: BundleSource): Summary {
  const record = readRecord(source.events);
  const tally = tallyFrames(source, record);
  const run = summarizeRun(source.plan, record);
  const evidence: StageEvidence[] = [];
  const searches: SearchSource[] = [];
  const cells: CellSummary[] = [];
  for (const cell of source.plan.cells) {
    const began = stagesThatBegan(source.plan, cell, record, tally);
    if (began.length === 0) continue;
    const driver = source.plan.configurations.find(({ name }) => name === cell.configuration)?.driver ?? '';
    const acts = began.flatMap((stage) =>
      'search' in stage || sendsLoad(stage.stage) ? [] : [summarizeAct(stage)],
    );
    const stages: StageSummary[] = [];
    for (const stage of began)
      if ('search' in stage) {
        const summary = summarizeSearch(stage);
        stages.push(summary);
        searches.push(stage);
        // A rate that does not hold is an answer, and no measurement to be judged.
        if (hasHeld(stage)) evidence.push({ ...resultOf(stage), stage: resultStage(stage), summary });
      } else if (stage.stage.kind !== 'warm-up' && sendsLoad(stage.stage)) {
        const plain = summarizeStage(stage);
        const summary = { ...plain, marks: marksOf(stage, plain.elapsedMs, acts) };
        stages.push(summary);
        evidence.push({ ...stage, summary });
      }
    cells.push({
      index: cell.index,
      configuration: cell.configuration,
      driver,
      driverClass: run.drivers.find(({ name }) => name === driver)?.class ?? null,
      repetition: cell.repetition,
      coordinates: { ...cell.coordinates },
      stages,
      unmeasured: began.flatMap((stage) =>
        !('search' in stage) && stage.stage.kind === 'warm-up' ? [summarizeUnmeasured(stage)] : [],
      ),
      acts,
    });
  }
  const whole = {
    plan: source.plan,
    run,
    record,
    stages: evidence,
    searches,
    probes: searches.flatMap((search) =>
      search.probes.filter((probe) => !hasHeld(search) || probe !== resultOf(search)),
    ),
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

/** What is known of the stages of a cell, in order; one with a search stands for its probes. */
function stagesThatBegan(
  plan: Plan,
  cell: Cell,
  record: RunRecord,
  tally: Tally,
): (StageSource | SearchSource)[] {
  return cell.stages.flatMap((stage, planned): (StageSource | SearchSource)[] => {
    if (stage.search !== null) {
      const search = searchSource(plan, cell, planned, record, tally);
      return search === null ? [] : [search];
    }
    const index = stageNumber(cell, { stage: planned, probe: null });
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
