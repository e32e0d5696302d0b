import { CALIBRATION_VERSION } from '../calibration.js';
import { PACECAR_VERSION } from '../version.js';
import type { Frame } from '../frame.js';
import type { CoordinatorMessage, WorkerMessage } from '../message.js';
import { PROTOCOL_VERSION } from '../message.js';
import { CLOSED_MODEL, plainAction, RECONNECT } from '../plan.js';
import { Recorder } from '../recorder.js';

type ByType<M extends { readonly type: string }> = {
  readonly [T in M['type']]: Extract<M, { readonly type: T }>;
};

const stage = { epoch: 1767323045123, cell: 0, stage: 2 };

/** One example of each message of a worker: in the reference, and what the schemas are tested with. */
export const WORKER_EXAMPLES: ByType<WorkerMessage> = {
  hello: {
    type: 'hello',
    version: PROTOCOL_VERSION,
    token: 'a shared secret',
    workerId: '3f1c9a52-77de-4d0c-9b0e-0d5b1b6f2a11',
    generation: 0,
    name: 'rack-3-left',
    group: 'clients',
    index: null,
    resumeEpoch: null,
    facts: {
      hostname: 'load-1',
      platform: 'linux',
      architecture: 'x64',
      cpuModel: 'Example CPU @ 3.00GHz',
      cpuCount: 8,
      memoryBytes: 33_554_432_000,
      nodeVersion: 'v20.20.2',
      pacecarVersion: PACECAR_VERSION,
      pid: 4711,
      wallTime: '2026-01-02T03:04:05.678+01:00',
    },
    drivers: [
      { name: 'resp', class: 'wire', version: PACECAR_VERSION, operations: ['get', 'put', 'delete'] },
    ],
    calibration: {
      calibrationVersion: CALIBRATION_VERSION,
      measuredAt: '2026-01-02T02:00:00.000Z',
      machine: {
        hostname: 'load-1',
        platform: 'linux',
        architecture: 'x64',
        cpuModel: 'Example CPU @ 3.00GHz',
        cpuCount: 8,
        nodeVersion: 'v20.20.2',
        pacecarVersion: PACECAR_VERSION,
      },
      cells: [
        {
          driver: 'resp',
          operation: 'get',
          threads: 1,
          connections: 50,
          depth: 16,
          valueBytes: 1_000,
          operationsPerSec: 894_000,
          cpuUsPerOperation: 0.8,
          bytesPerOperation: 1_009,
          generatorCores: 0.71,
          targetCores: 1.02,
          limitedBy: 'target',
        },
      ],
    },
  },
  pong: { type: 'pong', id: 17, workerMs: 93_412.251 },
  heartbeat: { type: 'heartbeat' },
  armed: {
    type: 'armed',
    ...stage,
    connections: 50,
    target: {
      address: '10.0.0.7:6379',
      product: 'redis',
      version: '7.0.15',
      mode: 'standalone',
      settings: { maxmemory: '0', appendonly: 'no' },
    },
  },
  failed: {
    type: 'failed',
    ...stage,
    code: 'TARGET_DENIED',
    reason: '10.0.0.7:6379 refuses user bench: WRONGPASS invalid username-password pair. Check the password.',
  },
  drained: {
    type: 'drained',
    ...stage,
    lastSequence: 10,
    elapsedNs: 10_000_812_000,
    totals: [
      {
        workload: 'main',
        operation: 'get',
        sent: 801_204,
        ok: 801_204,
        hits: 801_204,
        misses: 0,
        errors: 0,
        timeouts: 0,
        aborted: 0,
        late: 0,
        dropped: 0,
      },
    ],
  },
  leaving: { type: 'leaving', code: 'TERMINATED', reason: 'interrupted by SIGTERM' },
  'service-died': {
    type: 'service-died',
    epoch: stage.epoch,
    service: 'cache',
    reason:
      'the service cache (redis-server) on store-1: server 0 at 10.0.0.7:6379 was ended by SIGKILL by itself; it said nothing',
  },
};

/** One example of each message of a coordinator. */
export const COORDINATOR_EXAMPLES: ByType<CoordinatorMessage> = {
  welcome: {
    type: 'welcome',
    index: 3,
    name: 'rack-3-left',
    group: 'clients',
    epoch: stage.epoch,
    heartbeatMs: 1_000,
    leaseMs: 10_000,
  },
  refuse: {
    type: 'refuse',
    code: 'NAME_TAKEN',
    reason: 'a worker named rack-3-left is in already: give each worker a name of its own',
  },
  ping: { type: 'ping', id: 17 },
  heartbeat: { type: 'heartbeat', epoch: stage.epoch },
  arm: {
    type: 'arm',
    ...stage,
    configuration: {
      name: 'redis',
      driver: 'resp',
      target: {
        kind: 'address',
        host: '10.0.0.7',
        port: 6379,
        username: null,
        password: null,
        database: 0,
      },
      settings: {},
    },
    spec: {
      name: 'measure',
      kind: 'measure',
      group: 'clients',
      workloads: [
        {
          name: 'main',
          threads: { count: 1, scope: 'worker' },
          connections: { count: 50, scope: 'worker' },
          depth: 1,
          mix: [plainAction('get', 80), plainAction('put', 20)],
          mixMode: 'random',
          keys: {
            minimum: 0,
            maximum: 99_999,
            prefix: 'key:',
            suffix: '',
            order: 'numeric',
            width: 0,
            distribution: { kind: 'uniform' },
          },
          values: { size: { kind: 'fixed', bytes: 100 }, content: { kind: 'printable' } },
          records: null,
          checkValues: false,
          model: CLOSED_MODEL,
          reconnect: RECONNECT,
        },
      ],
      end: { kind: 'duration', durationMs: 10_000 },
      operationTimeoutMs: 5_000,
      connectTimeoutMs: 5_000,
      armTimeoutMs: 60_000,
      drainMs: 5_000,
      limitMs: 3_600_000,
      stopWhen: null,
      search: null,
    },
    share: { index: 3, of: 4 },
    seed: 20_260_102,
    intervalMs: 1_000,
  },
  go: { type: 'go', ...stage, startAtMs: 94_000.5 },
  stop: { type: 'stop', ...stage, reason: 'interrupted by SIGINT' },
  acknowledge: { type: 'acknowledge', ...stage, sequence: 4 },
  inserted: {
    type: 'inserted',
    ...stage,
    inserts: [
      {
        workload: 0,
        worker: 1,
        slices: [
          [0, 812, 17],
          [0, 809],
        ],
      },
    ],
  },
  end: { type: 'end', epoch: stage.epoch, code: null, reason: 'every stage is complete' },
};

function encoded(...latenciesNs: readonly number[]): Uint8Array {
  const recorder = new Recorder();
  for (const latencyNs of latenciesNs) recorder.record(latencyNs, 1);
  return recorder.encode();
}

/** A small frame, whose bytes stand in the reference. */
export const FRAME_EXAMPLE: Frame = {
  ...stage,
  worker: 3,
  sequence: 0,
  interval: 0,
  startNs: 0,
  endNs: 1_000_000_000,
  firstOperationNs: 41_000,
  cpuUserUs: 250_000,
  cpuSystemUs: 125_000,
  residentBytes: 80_000_000,
  threads: [{ utilisation: 0.5, delayNs: 1_200_000 }],
  rows: [
    {
      workload: 'main',
      operation: 'get',
      sent: 5,
      ok: 3,
      hits: 2,
      misses: 1,
      timeouts: 0,
      aborted: 0,
      late: 0,
      dropped: 0,
      bytesSent: 150,
      bytesReceived: 230,
      inFlight: 1,
      errors: { WRONGTYPE: 1 },
      service: encoded(1_000, 1_001, 250_000),
      response: encoded(),
      failed: encoded(90_000),
    },
  ],
};
