import type {
  Calibration,
  DriverFacts,
  Event,
  FailureCode,
  HostFacts,
  ProbeJudgement,
  ProbeStep,
  TargetFacts,
  Totals,
} from '@pacecar/protocol';

export interface WorkerRecord {
  readonly index: number;
  readonly name: string;
  readonly group: string;
  readonly host: HostFacts;
  readonly drivers: readonly DriverFacts[];
  /** What its machine can send at most; null: it does not know. */
  readonly calibration: Calibration | null;
  cuts: number;
  clock: { readonly offsetMs: number; readonly errorMs: number } | null;
  lost: Loss | null;
}

export interface Loss {
  /** When the coordinator gave it up. */
  readonly noticedAtMs: number;
  readonly reason: string;
  /**
   * The stage that was open, of several the last that the worker takes part in, and how long it had run then; null when
   * the loss came between stages.
   */
  readonly during: {
    readonly cell: number;
    readonly stage: number;
    readonly elapsedMs: number | null;
  } | null;
}

export interface Drain {
  readonly lastSequence: number;
  readonly elapsedNs: number;
  readonly totals: readonly Totals[];
}

export interface StageRecord {
  readonly cell: number;
  readonly stage: number;
  /** Those that were told to arm. */
  readonly workers: readonly number[];
  readonly targets: Map<number, TargetFacts>;
  /** By worker, as it said when it was armed. */
  readonly connections: Map<number, number>;
  /** null until the start was given. */
  go: { readonly startAtMs: number; readonly clockErrorMs: ReadonlyMap<number, number> } | null;
  /** When everyone was told to end it now; null: it ended by itself, or not at all. */
  stoppedAtMs: number | null;
  readonly drains: Map<number, Drain>;
  readonly failures: { readonly worker: number; readonly code: FailureCode; readonly reason: string }[];
  /** What the coordinator itself found not to add up while the run went. */
  readonly broken: { readonly worker: number; readonly reason: string }[];
  /** The objective that ended it early. */
  stopping: Extract<Event, { type: 'stage-stopping' }> | null;
  /** What its workers said of the processes of a service, if it did something to one. */
  readonly reports: Extract<Event, { type: 'service-report' }>['nodes'][number][];
  closed: Extract<Event, { type: 'stage-closed' }>['outcome'] | null;
}

/** One probe of a search. */
export interface ProbeRecord {
  readonly cell: number;
  readonly stage: number;
  readonly step: ProbeStep;
  readonly ratePerSec: number;
  /** undefined until it was judged; null: it counts for nothing. */
  judgement: ProbeJudgement | null | undefined;
}

export interface RunEnd {
  readonly outcome: 'complete' | 'failed' | 'interrupted';
  readonly code: FailureCode | null;
  readonly reason: string;
}

/** What the events of a run say, by worker and by stage. */
export interface RunRecord {
  epoch: number | null;
  pacecarVersion: string | null;
  startedAt: string | null;
  endedAt: string | null;
  durationMs: number | null;
  readonly workers: Map<number, WorkerRecord>;
  readonly stages: Map<string, StageRecord>;
  /** By their own numbers, as stages are. */
  readonly probes: Map<string, ProbeRecord>;
  /** By the number of the first probe. */
  readonly searchEnds: Map<string, Extract<Event, { type: 'search-ended' }>>;
  readonly refusals: {
    readonly code: FailureCode;
    readonly reason: string;
    readonly worker: number | null;
  }[];
  signal: string | null;
  /** null when the record ends before the run did. */
  end: RunEnd | null;
}

export function stageKey(cell: number, stage: number): string {
  return `${cell}/${stage}`;
}

/** Reads the events in the order in which they were written. */
export function readRecord(events: readonly Event[]): RunRecord {
  const record: RunRecord = {
    epoch: null,
    pacecarVersion: null,
    startedAt: null,
    endedAt: null,
    durationMs: null,
    workers: new Map(),
    stages: new Map(),
    probes: new Map(),
    searchEnds: new Map(),
    refusals: [],
    signal: null,
    end: null,
  };
  for (const event of events) {
    openStage(record, event);
    readStageEvent(record, event);
    readSearchEvent(record, event);
    readWorkerEvent(record, event);
    readRunEvent(record, event);
  }
  const first = events[0];
  const last = events.at(-1);
  if (first !== undefined && last !== undefined) record.durationMs = Math.max(0, last.atMs - first.atMs);
  return record;
}

function openStage(record: RunRecord, event: Event): void {
  if (event.type !== 'stage-arming') return;
  record.stages.set(stageKey(event.cell, event.stage), {
    cell: event.cell,
    stage: event.stage,
    workers: event.workers,
    targets: new Map(),
    connections: new Map(),
    go: null,
    stoppedAtMs: null,
    drains: new Map(),
    failures: [],
    broken: [],
    stopping: null,
    reports: [],
    closed: null,
  });
}

/** The stage that a worker took part in when it was lost; of several the last one. */
function openStageOf(record: RunRecord, worker: number): StageRecord | null {
  const open = [...record.stages.values()].filter(({ closed }) => closed === null);
  return open.findLast(({ workers }) => workers.includes(worker)) ?? open.at(-1) ?? null;
}

function readStageEvent(record: RunRecord, event: Event): void {
  if (!('stage' in event)) return;
  const stage = record.stages.get(stageKey(event.cell, event.stage));
  if (stage === undefined) return;
  switch (event.type) {
    case 'worker-armed':
      stage.connections.set(event.worker, event.connections);
      if (event.target !== null) stage.targets.set(event.worker, event.target);
      break;
    case 'stage-go':
      stage.go = {
        startAtMs: event.startAtMs,
        clockErrorMs: new Map(event.workers.map(({ worker, clockErrorMs }) => [worker, clockErrorMs])),
      };
      break;
    case 'stage-stop':
      stage.stoppedAtMs = event.atMs;
      break;
    case 'worker-drained':
      stage.drains.set(event.worker, {
        lastSequence: event.lastSequence,
        elapsedNs: event.elapsedNs,
        totals: event.totals,
      });
      break;
    case 'worker-failed':
      stage.failures.push({ worker: event.worker, code: event.code, reason: event.reason });
      break;
    case 'conservation-broken':
      stage.broken.push({ worker: event.worker, reason: event.reason });
      break;
    case 'service-report':
      stage.reports.push(...event.nodes);
      break;
    case 'stage-stopping':
      stage.stopping = event;
      break;
    case 'stage-closed':
      stage.closed = event.outcome;
      break;
    default:
      break;
  }
}

function readSearchEvent(record: RunRecord, event: Event): void {
  switch (event.type) {
    case 'search-probe': {
      const { cell, stage, step, ratePerSec } = event;
      record.probes.set(stageKey(cell, stage), { cell, stage, step, ratePerSec, judgement: undefined });
      break;
    }
    case 'search-judged': {
      const probe = record.probes.get(stageKey(event.cell, event.stage));
      if (probe !== undefined) probe.judgement = event.judgement;
      break;
    }
    case 'search-ended':
      record.searchEnds.set(stageKey(event.cell, event.stage), event);
      break;
    default:
      break;
  }
}

function readWorkerEvent(record: RunRecord, event: Event): void {
  if (event.type === 'worker-joined') {
    record.workers.set(event.worker, {
      index: event.worker,
      name: event.name,
      group: event.group,
      host: event.facts,
      drivers: event.drivers,
      calibration: event.calibration,
      cuts: 0,
      clock: null,
      lost: null,
    });
    return;
  }
  if (event.type === 'worker-left') {
    // Its seat was free again before the run began; whoever took it joined after.
    record.workers.delete(event.worker);
    return;
  }
  if (event.type !== 'worker-cut' && event.type !== 'worker-lost' && event.type !== 'clock') return;
  const worker = record.workers.get(event.worker);
  if (worker === undefined) return;
  if (event.type === 'worker-cut') worker.cuts++;
  else if (event.type === 'clock') worker.clock = { offsetMs: event.offsetMs, errorMs: event.errorMs };
  else worker.lost = lossOf(event, openStageOf(record, event.worker));
}

function lossOf({ atMs, reason }: Extract<Event, { type: 'worker-lost' }>, open: StageRecord | null): Loss {
  if (open === null) return { noticedAtMs: atMs, reason, during: null };
  const elapsedMs = open.go === null ? null : Math.max(0, atMs - open.go.startAtMs);
  return { noticedAtMs: atMs, reason, during: { cell: open.cell, stage: open.stage, elapsedMs } };
}

function readRunEvent(record: RunRecord, event: Event): void {
  switch (event.type) {
    case 'run-started':
      record.epoch = event.epoch;
      record.pacecarVersion = event.pacecarVersion;
      record.startedAt = event.wallTime;
      break;
    case 'worker-refused':
      record.refusals.push({ code: event.code, reason: event.reason, worker: null });
      break;
    case 'message-refused':
      record.refusals.push({ code: event.code, reason: event.reason, worker: event.worker });
      break;
    case 'interrupted':
      record.signal = event.signal;
      break;
    case 'run-ended':
      record.endedAt = event.wallTime;
      record.end = { outcome: event.outcome, code: event.code, reason: event.reason };
      break;
    default:
      break;
  }
}
