import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Arm,
  decodeFrame,
  Distribution,
  type FailureCode,
  type Frame,
  Recorder,
  type Totals,
} from '@pacecar/protocol';
import { pino } from 'pino';
import type { RowPart } from '../engine/ledger.js';
import type { StageLoad } from '../engine/stage-engine.js';
import { stage } from '../engine/stage-run.test.support.js';
import { StageHost } from './stage-host.js';
import type { FromThread, ToThread } from './thread-messages.js';
import type { EnginePool, PoolListener } from './thread-pool.js';

const MS = 1e6;

function arm(threads: number, connections = 4): Arm {
  const spec = stage({ connections });
  const [workload] = spec.workloads;
  assert.ok(workload !== undefined);
  return {
    type: 'arm',
    epoch: 7,
    cell: 2,
    stage: 1,
    configuration: {
      name: 'configuration',
      driver: 'resp',
      target: { kind: 'address', host: '127.0.0.1', port: 1, username: null, password: null, database: 0 },
      settings: {},
    },
    spec: { ...spec, workloads: [{ ...workload, threads: { count: threads, scope: 'worker' } }] },
    share: { index: 0, of: 1 },
    seed: 1,
    intervalMs: 100,
  };
}

/** What an engine tells its listener, and threads that a test plays. */
class Stand {
  readonly told: string[] = [];
  readonly frames: Frame[] = [];
  totals: readonly Totals[] = [];
  readonly sent: { thread: number; message: ToThread }[] = [];
  readonly host: StageHost;
  /** The stage that was armed last. */
  load: StageLoad | null = null;
  #listener: PoolListener | null = null;

  constructor() {
    this.host = new StageHost(pino({ level: 'silent' }), (listener) => {
      this.#listener = listener;
      return this.#pool();
    });
  }

  arm(message: Arm): void {
    this.load = this.host.arm(message, 3, {
      armed: ({ connections }) => this.told.push(`armed ${connections}`),
      frame: (sequence, bytes) => {
        this.told.push(`frame ${sequence}`);
        this.frames.push(decodeFrame(bytes));
      },
      drained: ({ lastSequence, elapsedNs, totals }) => {
        this.told.push(`drained ${lastSequence} ${elapsedNs / MS}`);
        this.totals = totals;
      },
      failed: (code: FailureCode, reason) => this.told.push(`failed ${code} ${reason}`),
    });
  }

  thread(thread: number, message: FromThread): void {
    this.#listener?.message(thread, message);
  }

  die(thread: number, reason: string): void {
    this.#listener?.died(thread, reason);
  }

  #pool(): EnginePool {
    return {
      require: () => undefined,
      send: (thread, message) => this.sent.push({ thread, message }),
      close: () => Promise.resolve(),
    };
  }
}

function row(counts: Partial<RowPart>, latenciesMs: readonly number[] = []): RowPart {
  const service = new Recorder();
  for (const latencyMs of latenciesMs) service.record(latencyMs * MS, 1);
  const empty = new Recorder().encode();
  return {
    workload: 0,
    operation: 'get',
    ...{ sent: 0, ok: 0, hits: 0, misses: 0, timeouts: 0, aborted: 0, late: 0, dropped: 0 },
    ...{ bytesSent: 0, bytesReceived: 0, inFlight: 0, errors: {} },
    service: service.encode(),
    response: empty,
    failed: empty,
    pacing: empty,
    ...counts,
  };
}

function part(
  stageNumber: number,
  interval: number,
  rows: readonly RowPart[],
  endMs = (interval + 1) * 100,
): FromThread {
  return {
    type: 'part',
    stage: stageNumber,
    part: {
      part: { interval, endNs: endMs * MS, firstOperationNs: interval === 0 ? 5_000 : null, rows },
      health: { utilisation: 0.5, delayNs: 1_000 },
    },
  };
}

const armed = (stageNumber: number, connections: number): FromThread => ({
  type: 'armed',
  stage: stageNumber,
  connections,
  target: null,
});
const finished = (stageNumber: number, elapsedMs: number): FromThread => ({
  type: 'finished',
  stage: stageNumber,
  elapsedNs: elapsedMs * MS,
  failure: null,
});

describe('the host of the engine threads', () => {
  test('spreads the connections over the threads, and one thread asks the target about itself', () => {
    const stand = new Stand();
    stand.arm(arm(3, 7));
    const arms = stand.sent.flatMap(({ message }) => (message.type === 'arm' ? [message] : []));
    assert.deepEqual(
      arms.map(({ lanes, inspects }) => [lanes.map((lane) => lane.connection), inspects]),
      [
        [[0, 1, 2], true],
        [[3, 4], false],
        [[5, 6], false],
      ],
    );
  });

  test('is armed once all threads are, a frame goes out once all have reported its interval, drained comes last', () => {
    const stand = new Stand();
    stand.arm(arm(2));
    stand.thread(0, armed(0, 2));
    assert.deepEqual(stand.told, []);
    stand.thread(1, armed(0, 2));
    stand.load?.go(1_000);
    stand.thread(
      0,
      part(0, 0, [row({ sent: 10, ok: 8, hits: 6, misses: 2, inFlight: 2 }, [1, 1, 1, 1, 1, 1, 1, 1])]),
    );
    stand.thread(0, part(0, 1, [row({ sent: 0, ok: 2, hits: 2, inFlight: 0 }, [5, 5])], 180));
    assert.deepEqual(stand.told, ['armed 4']);
    stand.thread(
      1,
      part(0, 0, [row({ sent: 5, ok: 3, hits: 3, inFlight: 2, errors: { OOM: 1 } }, [9, 9, 9])]),
    );
    assert.deepEqual(stand.told, ['armed 4', 'frame 0']);
    stand.thread(0, finished(0, 180));
    // Thread 0 is over: what is left of interval 1 is thread 1's.
    stand.thread(1, part(0, 1, [row({ ok: 2, hits: 2, inFlight: 0 }, [9, 9])], 195));
    stand.thread(1, finished(0, 195));
    assert.deepEqual(stand.told, ['armed 4', 'frame 0', 'frame 1', 'drained 1 195']);

    const [first, second] = stand.frames;
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual(
      [first.epoch, first.worker, first.cell, first.stage, first.interval, first.firstOperationNs],
      [7, 3, 2, 1, 0, 5_000],
    );
    const [merged] = first.rows;
    assert.ok(merged !== undefined);
    assert.deepEqual(
      [
        merged.workload,
        merged.operation,
        merged.sent,
        merged.ok,
        merged.hits,
        merged.misses,
        merged.inFlight,
      ],
      ['main', 'get', 15, 11, 9, 2, 4],
    );
    assert.deepEqual(merged.errors, { OOM: 1 });
    const service = new Distribution();
    service.addEncoded(merged.service);
    assert.deepEqual([service.count, service.minimumNs, service.maximumNs], [11, MS, 9 * MS]);
    assert.equal(second.endNs, 195 * MS);
    assert.equal(first.threads.length, 2);
    const [total] = stand.totals;
    assert.deepEqual([total?.sent, total?.ok, total?.errors], [15, 15, 1]);
  });

  test('a thread that ends by itself fails the stage; it is never silence', () => {
    const stand = new Stand();
    stand.arm(arm(2));
    stand.thread(0, armed(0, 2));
    stand.die(1, 'RangeError: out of memory');
    assert.equal(stand.told.length, 1);
    assert.match(
      stand.told[0] ?? '',
      /^failed INTERNAL engine thread 1 ended in mid-stage: RangeError: out of memory/,
    );
    assert.deepEqual(
      stand.sent.slice(-2).map(({ message }) => message.type),
      ['abandon', 'abandon'],
    );
  });

  test('one failing thread fails the stage once, and the others are told to drop it', () => {
    const stand = new Stand();
    stand.arm(arm(2));
    for (const thread of [0, 1])
      stand.thread(thread, { type: 'failed', stage: 0, code: 'TARGET_UNREACHABLE', reason: 'refused' });
    assert.deepEqual(stand.told, ['failed TARGET_UNREACHABLE refused']);
  });

  test('what a thread still says of an earlier stage is not taken for the next one', () => {
    const stand = new Stand();
    stand.arm(arm(1));
    stand.thread(0, armed(0, 4));
    stand.load?.abandon();
    stand.arm(arm(1));
    stand.thread(0, part(0, 0, [row({ sent: 1, ok: 1, hits: 1 }, [1])]));
    stand.thread(0, finished(0, 10));
    assert.deepEqual(stand.told, ['armed 4']);
    stand.thread(0, armed(1, 4));
    stand.thread(0, part(1, 0, [row({ sent: 2, ok: 2, hits: 2 }, [1, 1])], 50));
    stand.thread(0, finished(1, 50));
    assert.deepEqual(stand.told, ['armed 4', 'armed 4', 'frame 0', 'drained 0 50']);
    assert.equal(stand.totals[0]?.sent, 2);
  });

  test('a stage that was given up delivers its frames before it fails', () => {
    const stand = new Stand();
    stand.arm(arm(2));
    for (const thread of [0, 1]) stand.thread(thread, armed(0, 2));
    for (const thread of [0, 1]) {
      stand.thread(thread, part(0, 0, [row({ sent: 1, aborted: 1 })], 90));
      stand.thread(thread, {
        ...{ type: 'finished', stage: 0, elapsedNs: 90 * MS },
        failure: { code: 'DEADLINE_PASSED', reason: 'given up' },
      });
    }
    assert.deepEqual(stand.told, ['armed 4', 'frame 0', 'failed DEADLINE_PASSED given up']);
  });

  test('a worker without a connection in a stage is armed and drained without a thread', async () => {
    const stand = new Stand();
    const message = arm(1);
    const [workload] = message.spec.workloads;
    assert.ok(workload !== undefined);
    const spec = {
      ...message.spec,
      workloads: [{ ...workload, connections: { count: 1, scope: 'total' as const } }],
    };
    stand.arm({ ...message, spec, share: { index: 1, of: 2 } });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(stand.told, ['armed 0']);
    stand.load?.go(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(stand.told, ['armed 0', 'drained -1 0']);
    assert.deepEqual(stand.sent, []);
  });
});
