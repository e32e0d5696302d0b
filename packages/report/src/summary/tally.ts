import {
  addCounters,
  BytesInvalid,
  type Counters,
  decodeFrame,
  type Frame,
  type FrameRow,
  NO_COUNTERS,
  type Plan,
  probeStage,
  ProbeTally,
  stageOfNumber,
} from '@pacecar/protocol';
import type { BundleSource } from '../source.js';
import { ActivityTally } from './activity-tally.js';
import { Histogram } from './histogram.js';
import { type RunRecord, stageKey } from './record.js';
import { rowKey } from './row-key.js';
import { SequenceLog } from './sequence.js';
import { TimelineTally } from './timeline-tally.js';

/** Counters and histograms of one (workload, operation) on one worker in one stage. */
export interface RowTally {
  readonly workload: string;
  readonly operation: string;
  counters: Counters;
  /** As the latest frame says. */
  inFlight: number;
  readonly service: Histogram;
  readonly response: Histogram;
  readonly failed: Histogram;
  readonly pacing: Histogram;
}

/** Engine threads and process of one worker in one stage. */
export interface GeneratorTally {
  /** By thread: utilisation x ns, and those ns. */
  readonly busyNs: number[];
  readonly observedNs: number[];
  delayMaxNs: number;
  cpuUserUs: number;
  cpuSystemUs: number;
  residentMaxBytes: number;
}

export interface WorkerTally {
  readonly worker: number;
  readonly sequences: SequenceLog;
  readonly rows: Map<string, RowTally>;
  readonly generator: GeneratorTally;
  firstOperationNs: number | null;
  /** End of the latest interval, since the stage's start. */
  endNs: number;
}

export interface StageTally {
  readonly workers: Map<number, WorkerTally>;
  readonly timeline: TimelineTally;
  readonly activity: ActivityTally;
  /** Of a probe of a search; null: the stage is none. */
  readonly probe: ProbeTally | null;
}

export interface Tally {
  readonly stages: Map<string, StageTally>;
  /** Whole frames with an identity that had been merged already. */
  readonly duplicates: number;
  /** Frames merged. */
  readonly frames: number;
  /** Frames of warm-ups, which are left out. */
  readonly unmeasured: number;
  /** What could not be read or does not belong here, one sentence each. */
  readonly damage: readonly string[];
}

/** At most so many points stand in all timelines together, so that a summary stays readable and small. */
const POINTS = 43_200;
const FEWEST_POINTS = 60;
const MOST_POINTS = 7_200;
/** Sentences kept of frames that cannot be used; the rest is counted. */
const DAMAGE_LISTED = 20;

/** Merges every frame of the bundle once, whatever their order. Memory grows with intervals x rows, not with frames. */
export function tallyFrames(source: BundleSource, record: RunRecord): Tally {
  const { epoch } = record;
  const stages = new Map<string, StageTally>();
  const damage: string[] = [];
  let unusable = 0;
  let duplicates = 0;
  let frames = 0;
  let unmeasured = 0;
  let current: WorkerTally | null = null;
  const points = pointsPerStage(source.plan);
  for (const bytes of source.frames()) {
    const read = readFrame(bytes, source.plan, epoch);
    if (typeof read === 'string') {
      if (++unusable <= DAMAGE_LISTED) damage.push(read);
      continue;
    }
    if (read.kind === 'warm-up') {
      unmeasured++;
      continue;
    }
    const { frame } = read;
    const stage = stageOf(stages, frame, points, () => probeTally(source.plan, record, frame));
    const worker = workerOf(stage, frame.worker);
    if (worker !== current) {
      if (current !== null) packWorker(current);
      current = worker;
    }
    if (!worker.sequences.see(frame.sequence)) {
      duplicates++;
      continue;
    }
    frames++;
    mergeFrame(worker, frame);
    stage.timeline.add(frame);
    stage.activity.add(frame);
    addToProbe(stage.probe, frame);
  }
  if (unusable > DAMAGE_LISTED) damage.push(`${unusable - DAMAGE_LISTED} more frames could not be used`);
  return { stages, duplicates, frames, unmeasured, damage };
}

function readFrame(
  bytes: Uint8Array,
  plan: Plan,
  epoch: number | null,
): string | { kind: 'warm-up' } | { kind: 'frame'; frame: Frame } {
  let frame: Frame;
  try {
    frame = decodeFrame(bytes);
  } catch (thrown) {
    if (!(thrown instanceof BytesInvalid)) throw thrown;
    return `a frame of ${bytes.length} bytes cannot be read: ${thrown.message}`;
  }
  const whose = `frame ${frame.sequence} of worker ${frame.worker}`;
  if (epoch !== null && frame.epoch !== epoch)
    return `${whose} belongs to another run (epoch ${frame.epoch}, not ${epoch})`;
  const cell = plan.cells[frame.cell];
  const stage = cell === undefined ? null : stageOfNumber(cell, frame.stage);
  if (stage === null)
    return `${whose} names stage ${frame.stage} of cell ${frame.cell}, which the plan does not have`;
  return stage.kind === 'warm-up' ? { kind: 'warm-up' } : { kind: 'frame', frame };
}

/** Judges a probe again, from what the bundle holds of it. */
function probeTally(
  { cells, intervalMs, errorBudget }: Plan,
  record: RunRecord,
  frame: Frame,
): ProbeTally | null {
  const cell = cells[frame.cell];
  const key = stageKey(frame.cell, frame.stage);
  const probe = record.probes.get(key);
  const planned = cell === undefined ? null : stageOfNumber(cell, frame.stage);
  if (probe === undefined || planned === null || planned.search === null) return null;
  const workers = record.stages.get(key)?.workers.length ?? 0;
  const stage = probeStage(planned, probe.ratePerSec);
  return new ProbeTally({ stage, search: planned.search, intervalMs, errorBudget, workers });
}

/** A histogram that is none is told where rows are merged. */
function addToProbe(probe: ProbeTally | null, frame: Frame): void {
  try {
    probe?.add(frame);
  } catch (thrown) {
    if (!(thrown instanceof BytesInvalid)) throw thrown;
  }
}

function stageOf(
  stages: Map<string, StageTally>,
  frame: Frame,
  points: number,
  probe: () => ProbeTally | null,
): StageTally {
  const key = stageKey(frame.cell, frame.stage);
  let stage = stages.get(key);
  if (stage === undefined) {
    stage = {
      workers: new Map(),
      timeline: new TimelineTally(points),
      activity: new ActivityTally(),
      probe: probe(),
    };
    stages.set(key, stage);
  }
  return stage;
}

function workerOf(stage: StageTally, index: number): WorkerTally {
  let worker = stage.workers.get(index);
  if (worker === undefined) {
    worker = {
      worker: index,
      sequences: new SequenceLog(),
      rows: new Map(),
      generator: {
        busyNs: [],
        observedNs: [],
        delayMaxNs: 0,
        cpuUserUs: 0,
        cpuSystemUs: 0,
        residentMaxBytes: 0,
      },
      firstOperationNs: null,
      endNs: 0,
    };
    stage.workers.set(index, worker);
  }
  return worker;
}

function mergeFrame(worker: WorkerTally, frame: Frame): void {
  const latest = frame.sequence === worker.sequences.highest;
  for (const row of frame.rows) mergeRow(worker, row, latest);
  if (frame.firstOperationNs !== null)
    worker.firstOperationNs = Math.min(
      worker.firstOperationNs ?? frame.firstOperationNs,
      frame.firstOperationNs,
    );
  worker.endNs = Math.max(worker.endNs, frame.endNs);
  const { generator } = worker;
  const lengthNs = frame.endNs - frame.startNs;
  frame.threads.forEach((thread, index) => {
    generator.busyNs[index] = (generator.busyNs[index] ?? 0) + thread.utilisation * lengthNs;
    generator.observedNs[index] = (generator.observedNs[index] ?? 0) + lengthNs;
    generator.delayMaxNs = Math.max(generator.delayMaxNs, thread.delayNs);
  });
  generator.cpuUserUs += frame.cpuUserUs;
  generator.cpuSystemUs += frame.cpuSystemUs;
  generator.residentMaxBytes = Math.max(generator.residentMaxBytes, frame.residentBytes);
}

function mergeRow(worker: WorkerTally, row: FrameRow, latest: boolean): void {
  const key = rowKey(row.workload, row.operation);
  let tally = worker.rows.get(key);
  if (tally === undefined) {
    tally = {
      workload: row.workload,
      operation: row.operation,
      counters: NO_COUNTERS,
      inFlight: 0,
      service: new Histogram(),
      response: new Histogram(),
      failed: new Histogram(),
      pacing: new Histogram(),
    };
    worker.rows.set(key, tally);
  }
  tally.counters = addCounters(tally.counters, row);
  if (latest) tally.inFlight = row.inFlight;
  tally.service.add(row.service);
  tally.response.add(row.response);
  tally.failed.add(row.failed);
  if (row.pacing !== undefined) tally.pacing.add(row.pacing);
}

function packWorker(worker: WorkerTally): void {
  for (const row of worker.rows.values()) {
    row.service.pack();
    row.response.pack();
    row.failed.pack();
    row.pacing.pack();
  }
}

function pointsPerStage(plan: Plan): number {
  let stages = 0;
  for (const cell of plan.cells)
    for (const { kind, search } of cell.stages) if (kind !== 'warm-up') stages += search?.mostProbes ?? 1;
  return Math.min(MOST_POINTS, Math.max(FEWEST_POINTS, Math.floor(POINTS / Math.max(1, stages))));
}
