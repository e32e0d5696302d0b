import assert from 'node:assert/strict';
import {
  encodeFrame,
  type Event,
  type EventBody,
  type FrameRow,
  NO_COUNTERS,
  Recorder,
} from '@pacecar/protocol';
import type { BundleSource } from '@pacecar/report';
import { readScenario } from '@pacecar/scenario';
import { DRIVERS } from '@pacecar/worker';

const EPOCH = 7;
const WORKERS = 3;
const INTERVALS = 40;

/** A run of three workers and forty seconds in which some puts failed; `name` names run, stage and workers. */
export function pageBundle(name: string): BundleSource {
  const scenarioText = [
    'pacecar: 1',
    `name: ${JSON.stringify(name)}`,
    `groups: { clients: ${WORKERS} }`,
    'configurations: { redis7: { target: "redis://127.0.0.1:6379" } }',
    'errorBudget: 50%',
    'workload: { mix: { get: 80%, put: 20% } }',
    `stages: [ { measure: { name: ${JSON.stringify(name)}, for: ${INTERVALS}s } } ]`,
    '',
  ].join('\n');
  const read = readScenario({ text: scenarioText, file: 'page.yaml', set: {}, env: {}, drivers: DRIVERS });
  assert.ok(read.ok, read.ok ? '' : JSON.stringify(read.problems));
  const events: Event[] = [];
  const say = (event: EventBody, atMs: number) => {
    const wallTime = new Date(Date.UTC(2026, 0, 31, 12) + atMs).toISOString();
    events.push({ ...event, atMs, wallTime });
  };
  const at = { cell: 0, stage: 0 };
  const workers = Array.from({ length: WORKERS }, (_, worker) => worker);
  say({ type: 'run-started', epoch: EPOCH, pacecarVersion: '0.1.0', bundleVersion: 1 }, 0);
  for (const worker of workers) say(joined(worker, `${name.slice(0, 60)} ${worker}`), 10);
  say({ type: 'stage-arming', ...at, workers }, 20);
  for (const worker of workers)
    say({ type: 'worker-armed', ...at, worker, connections: 10, target: TARGET }, 30);
  say(
    {
      type: 'stage-go',
      ...at,
      startAtMs: 40,
      workers: workers.map((worker) => ({ worker, clockErrorMs: 0.05, startAtWorkerMs: 1_000 })),
    },
    40,
  );
  const workload = read.plan.cells[0]?.stages[0]?.workloads[0]?.name ?? '';
  const frames = workers.flatMap((worker) =>
    Array.from({ length: INTERVALS }, (_, sequence) =>
      encodeFrame({
        epoch: EPOCH,
        worker,
        ...at,
        sequence,
        interval: sequence,
        startNs: sequence * 1e9,
        endNs: (sequence + 1) * 1e9,
        firstOperationNs: sequence === 0 ? 100_000 * (worker + 1) : null,
        rows: rows(workload, sequence),
        threads: [{ utilisation: 0.4, delayNs: 2_000_000 }],
        cpuUserUs: 300_000,
        cpuSystemUs: 100_000,
        residentBytes: 80 * 1024 * 1024,
      }),
    ),
  );
  for (const worker of workers)
    say(
      {
        type: 'worker-drained',
        ...at,
        worker,
        lastSequence: INTERVALS - 1,
        elapsedNs: INTERVALS * 1e9,
        totals: totals(workload),
      },
      41_000,
    );
  say({ type: 'stage-closed', ...at, outcome: 'complete', workers }, 41_000);
  say({ type: 'run-ended', outcome: 'complete', code: null, reason: '' }, 41_000);
  return { plan: read.plan, scenarioText, events, manifest: null, damage: [], frames: () => frames };
}

const TARGET = {
  address: '127.0.0.1:6379',
  product: 'Redis',
  version: '7.0.15',
  mode: 'standalone',
  settings: { appendonly: 'no' },
};

function joined(worker: number, name: string): EventBody {
  return {
    type: 'worker-joined',
    worker,
    name,
    group: 'clients',
    facts: {
      hostname: `host-${worker}`,
      platform: 'linux',
      architecture: 'x64',
      cpuModel: 'Sample CPU',
      cpuCount: 8,
      memoryBytes: 16 * 1024 ** 3,
      nodeVersion: 'v20.20.2',
      pacecarVersion: '0.1.0',
      pid: 100 + worker,
      wallTime: '2026-01-31T12:00:00.000Z',
    },
    drivers: [{ name: 'resp', class: 'wire', version: '0.1.0', operations: ['get', 'put'] }],
    calibration: null,
  };
}

/** 3 of 1003 puts fail for memory and 1 by time in every interval. */
function rows(workload: string, interval: number): FrameRow[] {
  const get = new Recorder();
  get.record(80_000 + 1_000 * interval, 4_000);
  get.record(9_000_000, 2);
  const put = new Recorder();
  put.record(120_000, 1_000);
  const failed = new Recorder();
  failed.record(2_000_000, 3);
  failed.record(1_000_000_000, 1);
  const none = new Recorder().encode();
  const common = {
    ...NO_COUNTERS,
    workload,
    inFlight: 0,
    bytesSent: 40_000,
    bytesReceived: 400_000,
    response: none,
  };
  return [
    { ...common, operation: 'get', sent: 4_002, ok: 4_002, hits: 4_002, service: get.encode(), failed: none },
    {
      ...common,
      operation: 'put',
      sent: 1_004,
      ok: 1_000,
      errors: { OOM: 3 },
      timeouts: 1,
      service: put.encode(),
      failed: failed.encode(),
    },
  ];
}

function totals(workload: string) {
  const none = { misses: 0, aborted: 0, late: 0, dropped: 0 };
  return [
    {
      ...none,
      workload,
      operation: 'get',
      sent: 4_002 * INTERVALS,
      ok: 4_002 * INTERVALS,
      hits: 4_002 * INTERVALS,
      errors: 0,
      timeouts: 0,
    },
    {
      ...none,
      workload,
      operation: 'put',
      sent: 1_004 * INTERVALS,
      ok: 1_000 * INTERVALS,
      hits: 0,
      errors: 3 * INTERVALS,
      timeouts: INTERVALS,
    },
  ];
}
