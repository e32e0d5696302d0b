import {
  type Amount,
  amountFor,
  type Cell,
  canMiss,
  isBackground,
  NO_COUNTERS,
  type Plan,
  type RowName,
  type Stage,
  type Workload,
} from '@pacecar/protocol';
import { besideNames } from './beside.js';
import {
  figuresOf,
  mergeTallied,
  newScratch,
  type Scratch,
  spectrumOf,
  type Tallied,
  type Tallyable,
} from './figures.js';
import { Histogram } from './histogram.js';
import { inFlightOf } from './in-flight.js';
import { littlesLawOf } from './littles-law.js';
import { objectivesOf } from './objectives.js';
import type { RunRecord, StageRecord } from './record.js';
import { rowKey } from './row-key.js';
import { scheduleOf } from './schedule.js';
import type { Load, StageSummary, Stop, UnmeasuredStage, WorkerStage } from './schema.js';
import { startSkewOf } from './start-skew.js';
import type { RowTally, StageTally, WorkerTally } from './tally.js';
import { timelineOf } from './timeline.js';

/** What is known of one stage that began. */
export interface StageSource {
  readonly plan: Plan;
  readonly cell: Cell;
  readonly index: number;
  readonly stage: Stage;
  readonly run: RunRecord;
  readonly record: StageRecord | null;
  readonly tally: StageTally | null;
}

const EMPTY = new Histogram();

export function summarizeStage(source: StageSource): StageSummary {
  const { plan, stage, tally, record } = source;
  const names = rowNames(stage, tally);
  const elapsedNs = stageElapsedNs(source);
  const scratch = newScratch();
  const rows = names.map((name) => {
    const tallied = mergeTallied([emptyRow(stage, name), ...rowsOf(tally, name)], scratch);
    return {
      ...name,
      ...figuresOf(tallied, elapsedNs),
      spectrum: spectrumOf(headOf(tallied)),
    };
  });
  const all = mergeTallied(
    names.flatMap((name) => [emptyRow(stage, name), ...rowsOf(tally, name)]),
    scratch,
  );
  const total = { ...figuresOf(all, elapsedNs), spectrum: spectrumOf(headOf(all)) };
  const outcome = outcomeOf(source);
  const load = stage.workloads.map((workload) => ({
    ...loadOf(workload, participants(source)),
    // Nobody knows to the millisecond when a worker learned that it has to stop.
    schedule: scheduleOf(
      workload,
      stage,
      tally,
      record?.stopping ? 'interrupted' : outcome,
      sendingMs(source) * 1e6,
    ),
  }));
  const workers = workerIndexes(source).map((worker) => summarizeWorker(source, worker, names, scratch));
  return {
    index: source.index,
    name: stage.name,
    kind: stage.kind,
    background: isBackground(stage),
    beside: besideNames(source),
    outcome,
    elapsedMs: elapsedNs === null ? null : elapsedNs / 1e6,
    participants: {
      complete: workers.filter((worker) => worker.complete).length,
      of: groupSize(plan, stage),
    },
    load,
    connectionsOpened: connectionsOpened(source),
    inFlight: inFlightOf(load, tally?.activity ?? null, wholeIntervals(source)),
    rows,
    total,
    workers,
    startSkew: startSkewOf(record, tally),
    littlesLaw: littlesLawOf(stage, tally, outcome, all.counters, {
      intervalMs: plan.intervalMs,
      wholeIntervals: wholeIntervals(source),
    }),
    timeline: timelineOf(tally?.timeline ?? null, names, plan.intervalMs),
    marks: [],
    objectives:
      stage.kind === 'measure'
        ? objectivesOf(plan.objectives, stage, (means) =>
            figuresOf(
              mergeTallied(
                names.filter(means).flatMap((name) => [emptyRow(stage, name), ...rowsOf(tally, name)]),
                scratch,
              ),
              elapsedNs,
            ),
          )
        : [],
    stoppedBy: stopOf(source),
    search: null,
  };
}

/** The objective that ended the stage before its end. */
function stopOf({ record }: StageSource): Stop | null {
  const stopping = record?.stopping ?? null;
  if (stopping === null) return null;
  const { objective, actual, firstInterval, lastInterval, atMs } = stopping;
  const startAtMs = record?.go?.startAtMs ?? null;
  const afterMs = startAtMs === null ? null : Math.max(0, atMs - startAtMs);
  return { ...objective, actual, met: true, afterMs, firstInterval, lastInterval };
}

/** As `headLatency`. */
function headOf({ service, response }: Tallied): Tallied['service'] {
  return response.count > 0 && response.count === service.count ? response : service;
}

/** It was armed at most: no frame, no drain. */
export function neverBegan(stage: Pick<StageSummary, 'elapsedMs'>): boolean {
  return stage.elapsedMs === null;
}

export function summarizeUnmeasured(source: StageSource): UnmeasuredStage {
  let sent = 0;
  let failures = 0;
  for (const drain of source.record?.drains.values() ?? [])
    for (const totals of drain.totals) {
      sent += totals.sent;
      failures += totals.errors + totals.timeouts + totals.aborted;
    }
  const elapsedNs = stageElapsedNs(source);
  return {
    index: source.index,
    name: source.stage.name,
    kind: source.stage.kind,
    outcome: outcomeOf(source),
    elapsedMs: elapsedNs === null ? null : elapsedNs / 1e6,
    sent,
    failures,
    stoppedBy: stopOf(source),
  };
}

/** Rows that the plan asks for, in its order, then any others that frames have. */
function rowNames(stage: Stage, tally: StageTally | null): RowName[] {
  const names = new Map<string, RowName>();
  for (const workload of stage.workloads)
    for (const { name: operation } of workload.mix)
      names.set(rowKey(workload.name, operation), { workload: workload.name, operation });
  const others: [string, RowName][] = [];
  for (const worker of tally?.workers.values() ?? [])
    for (const [key, { workload, operation }] of worker.rows)
      if (!names.has(key)) others.push([key, { workload, operation }]);
  others.sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, name] of others) names.set(key, name);
  return [...names.values()];
}

function rowsOf(tally: StageTally | null, name: RowName): RowTally[] {
  const key = rowKey(name.workload, name.operation);
  const rows: RowTally[] = [];
  for (const worker of tally?.workers.values() ?? []) {
    const row = worker.rows.get(key);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

function summarizeWorker(
  source: StageSource,
  index: number,
  names: readonly RowName[],
  scratch: Scratch,
): WorkerStage {
  const { tally, record, run } = source;
  const worker = tally?.workers.get(index) ?? null;
  const drain = record?.drains.get(index) ?? null;
  const elapsedNs = drain?.elapsedNs ?? (worker === null ? null : worker.endNs);
  const own = names.map((name) => {
    const row = worker?.rows.get(rowKey(name.workload, name.operation));
    const empty = emptyRow(source.stage, name);
    return { name, rows: row === undefined ? [empty] : [empty, row] };
  });
  return {
    worker: index,
    name: run.workers.get(index)?.name ?? `worker ${index}`,
    complete:
      drain !== null && (worker?.sequences.missingUpTo(drain.lastSequence) ?? drain.lastSequence + 1) === 0,
    elapsedMs: elapsedNs === null ? null : elapsedNs / 1e6,
    rows: own.map(({ name, rows }) => ({ ...name, ...figuresOf(mergeTallied(rows, scratch), elapsedNs) })),
    total: figuresOf(
      mergeTallied(
        own.flatMap(({ rows }) => rows),
        scratch,
      ),
      elapsedNs,
    ),
    generator: worker === null ? null : generatorOf(worker),
  };
}

function generatorOf({ generator }: WorkerTally): WorkerStage['generator'] {
  let utilisation: number | null = null;
  generator.busyNs.forEach((busyNs, thread) => {
    const observedNs = generator.observedNs[thread] ?? 0;
    if (observedNs > 0) utilisation = Math.max(utilisation ?? 0, Math.min(1, busyNs / observedNs));
  });
  return {
    utilisation: utilisation === null ? null : Math.round(utilisation * 1e4) / 1e4,
    delayMaxNs: generator.busyNs.length === 0 ? null : generator.delayMaxNs,
    cpuUserMs: generator.cpuUserUs / 1e3,
    cpuSystemMs: generator.cpuSystemUs / 1e3,
    residentMaxBytes: generator.residentMaxBytes,
  };
}

function workerIndexes({ record, tally }: StageSource): number[] {
  const indexes = new Set([...(record?.workers ?? []), ...(tally?.workers.keys() ?? [])]);
  return [...indexes].sort((a, b) => a - b);
}

/** To the end of the last worker; of a worker that never drained, to the end of its last frame. */
function stageElapsedNs(source: StageSource): number | null {
  let elapsedNs: number | null = null;
  for (const index of workerIndexes(source)) {
    const own =
      source.record?.drains.get(index)?.elapsedNs ?? source.tally?.workers.get(index)?.endNs ?? null;
    if (own !== null) elapsedNs = Math.max(elapsedNs ?? 0, own);
  }
  return elapsedNs;
}

/** Intervals that lie wholly inside the stage's sending time: 0 .. this, less one. The drain is not among them. */
export function wholeIntervals(source: StageSource): number {
  return Math.floor(sendingMs(source) / source.plan.intervalMs);
}

/** How long the stage sent: to its end, or until everyone was told to end it. The drain is not a part of it. */
function sendingMs(source: StageSource): number {
  const { end } = source.stage;
  const elapsedMs = (stageElapsedNs(source) ?? 0) / 1e6;
  const lengthMs = end.kind === 'duration' ? end.durationMs : Number.POSITIVE_INFINITY;
  const { stoppedAtMs = null, go = null } = source.record ?? {};
  const stopMs =
    stoppedAtMs === null || go === null ? Number.POSITIVE_INFINITY : Math.max(0, stoppedAtMs - go.startAtMs);
  return Math.min(elapsedMs, lengthMs, stopMs);
}

/** A stage that nobody closed ended as its run did. */
export function outcomeOf({ record, run }: StageSource): StageSummary['outcome'] {
  const closed = record?.closed ?? null;
  if (closed !== null) return closed;
  return run.end?.outcome === 'failed' ? 'failed' : 'interrupted';
}

function groupSize(plan: Plan, stage: Stage): number {
  return plan.groups.find((group) => group.name === stage.group)?.size ?? 0;
}

/** Shares of the load: places among those that were told to arm, for each worker that took part. */
interface Participants {
  readonly places: readonly number[];
  readonly of: number;
}

/** Who was started; before the start, who was told to arm; without events, all that the plan asks for. */
function participants({ plan, stage, record }: StageSource): Participants {
  if (record === null) {
    const of = groupSize(plan, stage);
    return { places: Array.from({ length: of }, (_, place) => place), of };
  }
  const { go, workers } = record;
  const places = workers.flatMap((worker, place) =>
    go === null || go.clockErrorMs.has(worker) ? [place] : [],
  );
  return { places, of: workers.length };
}

function connectionsOpened({ record }: StageSource): number | null {
  if (record === null || record.connections.size === 0) return null;
  let sum = 0;
  for (const [worker, connections] of record.connections)
    if (record.go === null || record.go.clockErrorMs.has(worker)) sum += connections;
  return sum;
}

function loadOf(workload: Workload, present: Participants): Omit<Load, 'schedule'> {
  return {
    workload: workload.name,
    model: workload.model.kind,
    workers: present.places.length,
    threads: spreadOf(workload.threads, present, 1),
    connections: spreadOf(workload.connections, present, 1),
    depth: workload.depth,
    inFlightLimit: spreadOf(workload.connections, present, workload.depth),
  };
}

function spreadOf(amount: Amount, { places, of }: Participants, factor: number): Load['connections'] {
  const shares = places.map((place) => amountFor(amount, of, place) * factor);
  if (shares.length === 0) return { total: 0, minimumPerWorker: 0, maximumPerWorker: 0 };
  return {
    total: shares.reduce((sum, share) => sum + share, 0),
    minimumPerWorker: Math.min(...shares),
    maximumPerWorker: Math.max(...shares),
  };
}

/** Says whether the row's operation looks keys up, and counts nothing. */
function emptyRow(stage: Stage, name: RowName): Tallyable {
  const looksUp = canMiss(stage, name);
  return { looksUp, counters: NO_COUNTERS, service: EMPTY, response: EMPTY, failed: EMPTY, pacing: EMPTY };
}
