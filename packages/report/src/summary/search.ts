import {
  type Cell,
  type Plan,
  type ProbeJudgement,
  probeStage,
  type Search,
  type Stage,
  stageNumber,
} from '@pacecar/protocol';
import { perSecond } from './figures.js';
import { type ProbeRecord, type RunRecord, stageKey } from './record.js';
import type { Probe, SearchSummary, StageSummary } from './schema.js';
import { type StageSource, summarizeStage } from './stage-summary.js';
import type { Tally } from './tally.js';

/** A probe of a search that began. */
export interface ProbeSource extends StageSource {
  readonly probe: ProbeRecord;
  /** From the frames, as the coordinator judged it while the run went; null: nothing to judge by. */
  readonly judgement: ProbeJudgement | null;
  readonly summary: StageSummary;
}

/** A stage of the plan with a search, and its probes in order. */
export interface SearchSource {
  readonly stage: Stage;
  readonly search: Search;
  /** Number of the first probe. */
  readonly number: number;
  readonly run: RunRecord;
  readonly probes: readonly ProbeSource[];
}

/** A search as a whole; null where not even its first probe began. */
export function searchSource(
  plan: Plan,
  cell: Cell,
  planned: number,
  run: RunRecord,
  tally: Tally,
): SearchSource | null {
  const stage = cell.stages[planned];
  if (stage === undefined || stage.search === null) return null;
  const number = stageNumber(cell, { stage: planned, probe: 0 });
  const probes: ProbeSource[] = [];
  for (let index = number; index < number + stage.search.mostProbes; index++) {
    const key = stageKey(cell.index, index);
    const probe = run.probes.get(key);
    if (probe === undefined) continue;
    const stageTally = tally.stages.get(key) ?? null;
    const record = run.stages.get(key) ?? null;
    if (record === null && stageTally === null) continue;
    const name = `${stage.name}, probe ${index - number + 1}`;
    const spec = { ...probeStage(stage, probe.ratePerSec), name };
    const judgement = stageTally?.probe?.judge() ?? null;
    const stageSource = { plan, cell, index, stage: spec, run, record, tally: stageTally };
    probes.push({ ...stageSource, probe, judgement, summary: summarizeStage(stageSource) });
  }
  return probes.length === 0 ? null : { stage, search: stage.search, number, run, probes };
}

/** The probe whose figures stand for the search: of one without an end, the last that held, or that began. */
export function resultOf({ run, number, probes }: SearchSource): ProbeSource {
  const cell = probes[0]?.cell.index ?? 0;
  const said = run.searchEnds.get(stageKey(cell, number))?.result;
  const result =
    probes.find(({ index }) => index === said) ??
    probes.findLast(({ probe }) => probe.judgement?.held === true) ??
    probes.at(-1);
  if (result === undefined) throw new Error('a search without a probe has no result');
  return result;
}

/** Whether what stands for the search is a rate that holds: only then is it judged as other measurements are. */
export function hasHeld(source: SearchSource): boolean {
  return resultOf(source).probe.judgement?.held === true;
}

/** What the workers were told for it, under the name of the search. */
export function resultStage(source: SearchSource): Stage {
  return { ...resultOf(source).stage, name: source.stage.name };
}

export function summarizeSearch(source: SearchSource): StageSummary {
  const { number, probes } = source;
  const result = resultOf(source);
  const search = searchOf(source);
  const { outcome } = search.outcome === null ? (probes.at(-1) ?? result).summary : result.summary;
  return {
    ...result.summary,
    index: number,
    name: source.stage.name,
    outcome: search.outcome === null ? lastOutcome(outcome) : outcome,
    search,
  };
}

/** A search that has no end did not run to its end, although its last probe may have. */
function lastOutcome(outcome: StageSummary['outcome']): StageSummary['outcome'] {
  return outcome === 'complete' || outcome === 'partial' ? 'interrupted' : outcome;
}

function searchOf(source: SearchSource): SearchSummary {
  const { search, number, run, probes } = source;
  const cell = probes[0]?.cell.index ?? 0;
  const end = run.searchEnds.get(stageKey(cell, number)) ?? null;
  const rows = probes.map((probe) => probeOf(probe, number));
  const held = rows.filter((row) => row.held === true).map(({ ratePerSec }) => ratePerSec);
  const ratePerSec = end === null ? (held.length === 0 ? null : Math.max(...held)) : end.ratePerSec;
  const confirmations = rows.filter((row) => row.step === 'confirmation' && row.ratePerSec === ratePerSec);
  return {
    outcome: end?.outcome ?? null,
    workload: search.workload,
    objectives: search.objectives.map(({ text }) => text),
    minimumPerSec: search.minimumPerSec,
    maximumPerSec: search.maximumPerSec,
    precision: search.precision,
    ratePerSec,
    ceilingPerSec: end === null ? ceilingOf(rows, ratePerSec) : end.ceilingPerSec,
    result: resultOf(source).index - number + 1,
    confirmations: {
      held: confirmations.filter((row) => row.held === true).length,
      of: confirmations.filter((row) => row.held !== null).length,
    },
    probes: rows,
    totalMs: totalMs(probes),
  };
}

function ceilingOf(rows: readonly Probe[], ratePerSec: number | null): number | null {
  const above = rows.filter((row) => row.held === false && row.ratePerSec > (ratePerSec ?? 0));
  return above.length === 0 ? null : Math.min(...above.map((row) => row.ratePerSec));
}

function probeOf(source: ProbeSource, first: number): Probe {
  const { probe, index } = source;
  // What was decided while the run went, with the figures that follow from the frames.
  const judged = probe.judgement === undefined ? null : probe.judgement;
  const figures = source.judgement ?? judged;
  const ended = figures === null ? 0 : figures.ok + figures.failed;
  return {
    number: index - first + 1,
    index,
    step: probe.step,
    ratePerSec: probe.ratePerSec,
    achievedPerSec: figures === null ? null : perSecond(figures.sent, figures.windowMs * 1e6),
    held: judged?.held ?? null,
    faults: judged?.faults ?? [],
    limit: judged?.limit ?? null,
    objectives: (figures?.objectives ?? []).map(({ objective, actual, met }) => ({
      ...objective,
      actual,
      met,
    })),
    p99Ns: figures?.p99Ns ?? null,
    due: figures?.due ?? null,
    sent: figures?.sent ?? null,
    late: figures?.late ?? null,
    dropped: figures?.dropped ?? null,
    failed: figures?.failed ?? null,
    failedRatio: figures === null || ended === 0 ? null : figures.failed / ended,
    utilisation: figures?.utilisation ?? null,
    inFlight: figures?.inFlight ?? null,
    operations: source.summary.total.sent,
    elapsedMs: source.summary.elapsedMs,
  };
}

/** By the common starts: the first to the last, and the length of that one. */
function totalMs(probes: readonly ProbeSource[]): number | null {
  const first = probes.find(({ record }) => record?.go)?.record?.go?.startAtMs;
  const last = probes.findLast(({ record }) => record?.go);
  const start = last?.record?.go?.startAtMs;
  if (first === undefined || last === undefined || start === undefined) return null;
  return start - first + (last.summary.elapsedMs ?? 0);
}
