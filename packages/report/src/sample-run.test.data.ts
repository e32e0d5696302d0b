import {
  encodeFrame,
  type Event,
  type EventBody,
  type Frame,
  type FrameRow,
  NO_COUNTERS,
  PACECAR_VERSION,
  plainAction,
  plainStage,
  plainWorkload,
  type Plan,
  Recorder,
  type Stage,
  type Totals,
} from '@pacecar/protocol';
import type { BundleSource } from './source.js';

/** Bundles made by hand with the real recorder and frame codec, for tests. */
export const EPOCH = 7;

/** Operations of one kind in one interval on one worker. */
export interface SampleRow {
  readonly workload?: string;
  readonly operation: string;
  /** [latencyNs, how many] of those that were ok. */
  readonly ok?: readonly (readonly [latencyNs: number, times: number])[];
  /** Of `ok`. */
  readonly misses?: number;
  readonly errors?: Readonly<Record<string, number>>;
  readonly timeouts?: number;
  readonly aborted?: number;
  /** Sent, not ended yet at the end of the interval. */
  readonly inFlight?: number;
  /** Ended in this interval beyond what it sent: what was in flight at the end of the one before. */
  readonly carried?: number;
  /** Open model: response times, and the generator's own error, as `ok` is given. */
  readonly response?: SampleRow['ok'];
  readonly pacing?: SampleRow['ok'];
  readonly late?: number;
  readonly dropped?: number;
}

export interface SampleWorker {
  /** By interval. */
  readonly frames: readonly (readonly SampleRow[])[];
  /** Since the stage's start. 0.2 ms x (worker + 1) when left out. */
  readonly firstOperationNs?: number;
  readonly elapsedNs?: number;
  /** Length of the last interval, in which the stage drained; a whole one when left out. */
  readonly lastNs?: number;
  readonly clockErrorMs?: number;
  /** Lost instead of drained. */
  readonly lost?: string;
}

export interface SampleStage {
  readonly cell?: number;
  readonly stage: number;
  readonly workers: readonly SampleWorker[];
}

export const measureStage: Stage = plainStage({
  workloads: [
    plainWorkload({
      connections: { count: 10, scope: 'worker' },
      mix: [plainAction('get', 8), plainAction('put', 2)],
      keys: { minimum: 1, maximum: 100_000, prefix: 'key-', width: 8 },
    }),
  ],
  end: { kind: 'duration', durationMs: 2_000 },
  armTimeoutMs: 5_000,
});

export function samplePlan(workers: number, changes: Partial<Plan> = {}): Plan {
  return {
    pacecar: 1,
    name: 'quickstart',
    seed: 1,
    groups: [{ name: 'clients', size: workers }],
    configurations: [
      {
        name: 'redis7',
        driver: 'resp',
        target: {
          kind: 'address',
          host: '127.0.0.1',
          port: 6379,
          username: null,
          password: null,
          database: 0,
        },
        settings: {},
      },
    ],
    cells: [{ index: 0, configuration: 'redis7', repetition: 0, coordinates: {}, stages: [measureStage] }],
    order: 'interleaved',
    onWorkerLoss: 'fail',
    errorBudget: 0,
    missBudget: 0,
    startSkewLimitMs: 250,
    objectives: [],
    intervalMs: 1_000,
    liveness: {
      heartbeatMs: 500,
      lostAfterMs: 5_000,
      leaseMs: 10_000,
      joinTimeoutMs: 60_000,
      startLeadMs: 500,
    },
    ...changes,
  };
}

export function frameOf(
  at: { worker: number; cell?: number; stage: number; sequence: number },
  rows: readonly SampleRow[],
  changes: Partial<Frame> = {},
): Frame {
  return {
    epoch: EPOCH,
    cell: 0,
    ...at,
    interval: at.sequence,
    startNs: at.sequence * 1e9,
    endNs: (at.sequence + 1) * 1e9,
    firstOperationNs: null,
    rows: rows.map(rowOf),
    threads: [{ utilisation: 0.5, delayNs: 1_000_000 }],
    cpuUserUs: 300_000,
    cpuSystemUs: 200_000,
    residentBytes: 100 * 1024 * 1024,
    ...changes,
  };
}

/** A whole run: everybody joins, every stage is armed, started, drained and closed, unless a worker is lost. */
export function sampleBundle(
  plan: Plan,
  stages: readonly SampleStage[],
): BundleSource & { events: Event[]; bytes: Uint8Array[] } {
  const events: Event[] = [];
  const bytes: Uint8Array[] = [];
  let atMs = 0;
  const say = (event: EventBody, laterMs = 10) => {
    atMs += laterMs;
    const wallTime = new Date(Date.UTC(2026, 0, 31, 12, 0, 0) + atMs).toISOString();
    events.push({ ...event, atMs, wallTime });
  };
  say({ type: 'run-started', epoch: EPOCH, pacecarVersion: PACECAR_VERSION, bundleVersion: 1 });
  const workers = plan.groups.reduce((sum, group) => sum + group.size, 0);
  for (let worker = 0; worker < workers; worker++) joinWorker(worker, say);
  const lost = new Set<number>();
  for (const sample of stages) {
    const cell = sample.cell ?? 0;
    const at = { cell, stage: sample.stage };
    const present = sample.workers.map((_, worker) => worker).filter((worker) => !lost.has(worker));
    say({ type: 'stage-arming', ...at, workers: present });
    for (const worker of present)
      say({ type: 'worker-armed', ...at, worker, connections: 10, target: TARGET });
    const startAtMs = atMs + 500;
    say({
      type: 'stage-go',
      ...at,
      startAtMs,
      workers: present.map((worker) => ({
        worker,
        clockErrorMs: sample.workers[worker]?.clockErrorMs ?? 0.05,
        startAtWorkerMs: 10_000 + worker,
      })),
    });
    atMs = startAtMs;
    let outcome: 'complete' | 'partial' | 'failed' = 'complete';
    const whole: number[] = [];
    const warmUp = plan.cells[cell]?.stages[sample.stage]?.kind === 'warm-up';
    for (const worker of present) {
      const own = sample.workers[worker] as SampleWorker;
      own.frames.forEach((rows, sequence) => {
        const first = sequence === 0 ? (own.firstOperationNs ?? 200_000 * (worker + 1)) : null;
        const short = sequence === own.frames.length - 1 && own.lastNs !== undefined;
        const frame = frameOf({ worker, ...at, sequence }, rows, {
          firstOperationNs: first,
          ...(short ? { endNs: sequence * 1e9 + (own.lastNs ?? 0) } : {}),
        });
        if (!warmUp) bytes.push(encodeFrame(frame));
      });
      if (own.lost !== undefined) {
        lost.add(worker);
        outcome = plan.onWorkerLoss === 'fail' ? 'failed' : 'partial';
        say({ type: 'worker-lost', worker, name: nameOf(worker), reason: own.lost }, 1_000);
        continue;
      }
      whole.push(worker);
      say({
        type: 'worker-drained',
        ...at,
        worker,
        lastSequence: own.frames.length - 1,
        elapsedNs: own.elapsedNs ?? own.frames.length * 1e9,
        totals: totalsOf(own.frames.flat()),
      });
    }
    say({ type: 'stage-closed', ...at, outcome, workers: whole });
    if (outcome === 'failed') {
      say({ type: 'run-ended', outcome: 'failed', code: 'WORKER_LOST', reason: 'a worker was lost' });
      break;
    }
  }
  if (events.at(-1)?.type !== 'run-ended')
    say({ type: 'run-ended', outcome: 'complete', code: null, reason: 'every stage ran to its end' });
  return {
    plan,
    scenarioText: `pacecar: 1\nname: ${plan.name}\n`,
    events,
    manifest: null,
    frames: () => bytes,
    bytes,
    damage: [],
  };
}

/** The bundle with other events or frames. */
export function changed(
  bundle: BundleSource,
  changes: { events?: readonly Event[]; bytes?: readonly Uint8Array[]; damage?: readonly string[] },
): BundleSource {
  return {
    plan: bundle.plan,
    scenarioText: bundle.scenarioText,
    manifest: bundle.manifest,
    events: changes.events ?? bundle.events,
    frames: changes.bytes === undefined ? () => bundle.frames() : () => changes.bytes ?? [],
    damage: changes.damage ?? bundle.damage,
  };
}

export function nameOf(worker: number): string {
  return `clients-${worker + 1}`;
}

const TARGET = {
  address: '127.0.0.1:6379',
  product: 'Redis',
  version: '7.0.15',
  mode: 'standalone',
  settings: { maxmemory: '0', appendonly: 'no' },
};

function joinWorker(worker: number, say: (event: EventBody, laterMs?: number) => void): void {
  say({
    type: 'worker-joined',
    worker,
    name: nameOf(worker),
    group: 'clients',
    facts: {
      hostname: `host-${worker + 1}`,
      platform: 'linux',
      architecture: 'x64',
      cpuModel: 'Sample CPU',
      cpuCount: 8,
      memoryBytes: 16 * 1024 ** 3,
      nodeVersion: 'v20.20.2',
      pacecarVersion: PACECAR_VERSION,
      pid: 100 + worker,
      wallTime: '2026-01-31T12:00:00.000Z',
    },
    drivers: [
      { name: 'resp', class: 'wire', version: PACECAR_VERSION, operations: ['get', 'put', 'delete'] },
    ],
    calibration: null,
  });
  say({ type: 'clock', worker, offsetMs: 1_000 * worker, errorMs: 0.05, exchanges: 16 });
}

function rowOf(row: SampleRow): FrameRow {
  const recorded = encoded(row.ok ?? []);
  const errors = Object.values(row.errors ?? {}).reduce((sum, count) => sum + count, 0);
  const timeouts = row.timeouts ?? 0;
  const ok = (row.ok ?? []).reduce((sum, [, times]) => sum + times, 0);
  const misses = row.misses ?? 0;
  const ended = ok + errors + timeouts + (row.aborted ?? 0);
  return {
    ...NO_COUNTERS,
    workload: row.workload ?? 'main',
    operation: row.operation,
    sent: ended + (row.inFlight ?? 0) - (row.carried ?? 0),
    ok,
    hits: row.operation !== 'put' ? ok - misses : 0,
    misses,
    errors: row.errors ?? {},
    timeouts,
    aborted: row.aborted ?? 0,
    bytesSent: ended * 40,
    bytesReceived: ended * 110,
    inFlight: row.inFlight ?? 0,
    service: recorded,
    late: row.late ?? 0,
    dropped: row.dropped ?? 0,
    response: encoded(row.response ?? []),
    ...(row.pacing === undefined ? {} : { pacing: encoded(row.pacing) }),
    failed: encoded([
      [2_000_000, errors],
      [1_000_000_000, timeouts],
    ]),
  };
}

const recorder = new Recorder();

function encoded(latencies: readonly (readonly [latencyNs: number, times: number])[]): Uint8Array {
  recorder.reset();
  for (const [latencyNs, times] of latencies) if (times > 0) recorder.record(latencyNs, times);
  return recorder.encode();
}

function totalsOf(rows: readonly SampleRow[]): Totals[] {
  const totals = new Map<string, Totals>();
  for (const sample of rows) {
    const row = rowOf(sample);
    const key = `${row.workload} ${row.operation}`;
    const before = totals.get(key);
    const errors = Object.values(row.errors).reduce((sum, count) => sum + count, 0);
    totals.set(key, {
      workload: row.workload,
      operation: row.operation,
      sent: row.sent + (before?.sent ?? 0),
      ok: row.ok + (before?.ok ?? 0),
      hits: row.hits + (before?.hits ?? 0),
      misses: row.misses + (before?.misses ?? 0),
      errors: errors + (before?.errors ?? 0),
      timeouts: row.timeouts + (before?.timeouts ?? 0),
      aborted: row.aborted + (before?.aborted ?? 0),
      late: 0,
      dropped: 0,
    });
  }
  return [...totals.values()];
}
