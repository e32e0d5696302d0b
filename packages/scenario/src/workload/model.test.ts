import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RECONNECT, type Stage, type Workload } from '@pacecar/protocol';
import { planOf, withStages } from '../sample.test.data.js';

function stagesOf(
  stages: string,
  before = '',
  files: Readonly<Record<string, string>> = {},
): readonly Stage[] {
  const plan = planOf(withStages(stages, before), { files: (path) => files[path] ?? null });
  return plan.cells[0]?.stages ?? [];
}
const modelOf = (
  written: string,
  before = '',
  files: Readonly<Record<string, string>> = {},
): Workload['model'] => {
  const workload = stagesOf(`- measure: ${written}`, before, files)[0]?.workloads[0];
  assert.ok(workload);
  return workload.model;
};

const RATES: readonly (readonly [written: string, rate: object])[] = [
  ['20k/s', { kind: 'constant', ratePerSec: 20_000 }],
  ['30/min', { kind: 'constant', ratePerSec: 0.5 }],
  [
    '{ ramp: { from: 0/s, to: 20k/s, over: 1m } }',
    { kind: 'ramp', fromPerSec: 0, toPerSec: 20_000, durationMs: 60_000 },
  ],
  [
    '{ steps: [{ rate: 1k/s, for: 5s }, { rate: 0/s, for: 1s }] }',
    {
      kind: 'steps',
      steps: [
        { ratePerSec: 1_000, durationMs: 5_000 },
        { ratePerSec: 0, durationMs: 1_000 },
      ],
    },
  ],
  [
    '{ sine: { mean: 100/s, amplitude: 50/s, period: 10s, phase: 0.25 } }',
    { kind: 'sine', meanPerSec: 100, amplitudePerSec: 50, periodMs: 10_000, phase: 0.25 },
  ],
  [
    '{ sine: { mean: 100/s, amplitude: 100/s, period: 10s } }',
    { kind: 'sine', meanPerSec: 100, amplitudePerSec: 100, periodMs: 10_000, phase: 0 },
  ],
];
for (const [written, rate] of RATES)
  test(`rate: ${written}`, () =>
    assert.deepEqual(modelOf(`{ rate: ${written} }`), {
      kind: 'open',
      rate,
      arrivals: 'constant',
      lateAfterMs: 10,
      dropAfterMs: null,
    }));

test('what else an open model says', () => {
  assert.deepEqual(modelOf('{ rate: 5/s, arrivals: poisson, lateAfter: 1ms, dropAfter: 2s }'), {
    kind: 'open',
    rate: { kind: 'constant', ratePerSec: 5 },
    arrivals: 'poisson',
    lateAfterMs: 1,
    dropAfterMs: 2_000,
  });
});

test('rate: none in a stage takes the rate of the workload back, with all that belongs to it', () => {
  assert.deepEqual(modelOf('{ rate: none, thinkTime: 5ms }', 'workload: { rate: 5/s, arrivals: poisson }'), {
    kind: 'closed',
    thinkTimeMs: 5,
    start: { kind: 'together' },
  });
});

test('connections that begin evenly, or in steps', () => {
  assert.deepEqual(modelOf('{ rampUp: 5s }'), {
    kind: 'closed',
    thinkTimeMs: 0,
    start: { kind: 'ramp', durationMs: 5_000 },
  });
  assert.deepEqual(modelOf('{ staircase: { first: 1 per worker, step: 3 per worker, every: 1s } }'), {
    kind: 'closed',
    thinkTimeMs: 0,
    start: {
      kind: 'staircase',
      first: { count: 1, scope: 'worker' },
      step: { count: 3, scope: 'worker' },
      everyMs: 1_000,
    },
  });
  assert.deepEqual(modelOf('{ rampUp: 0s }'), {
    kind: 'closed',
    thinkTimeMs: 0,
    start: { kind: 'together' },
  });
});

test('the model of the measured load is not that of load and verify, unless they say so themselves', () => {
  const [load, throttled, verify, warmUp, measure] = stagesOf(
    '- load\n- load: { rate: 50/s }\n- verify\n- warm-up\n- measure',
    'workload: { rate: 5/s, reconnectEvery: 10 operations }',
  ).map(({ workloads }) => workloads[0]);
  for (const stage of [load, verify]) {
    assert.equal(stage?.model.kind, 'closed');
    assert.equal(stage?.reconnect.everyOperations, null);
  }
  assert.equal(throttled?.model.kind, 'open');
  for (const stage of [warmUp, measure]) {
    assert.equal(stage?.model.kind, 'open');
    assert.equal(stage?.reconnect.everyOperations, 10);
  }
});

test('reconnects', () => {
  const of = (written: string) => stagesOf(`- measure: ${written}`)[0]?.workloads[0]?.reconnect;
  assert.deepEqual(of('{}'), RECONNECT);
  assert.deepEqual(of('{ reconnectEvery: 1k operations, backOff: 20ms..3s }'), {
    everyOperations: 1_000,
    firstBackOffMs: 20,
    longestBackOffMs: 3_000,
  });
  assert.deepEqual(of('{ reconnectEvery: never, backOff: 1s }'), {
    everyOperations: null,
    firstBackOffMs: 1_000,
    longestBackOffMs: 1_000,
  });
});

describe('a rate file', () => {
  const file = (text: string, more = '') =>
    modelOf(`{ rate: { file: ${more === '' ? 'r.csv' : `{ path: r.csv, ${more} }`} } }`, '', {
      'r.csv': text,
    });

  test('times in seconds or as durations, rates per second or with a unit, a head, comments and empty lines', () => {
    const model = file('\uFEFFtime,rate\r\n# as recorded\r\n0,10\r\n\r\n0.5 ; 2.5\n1m\t1k/s\n61,0\n');
    assert.deepEqual(model.kind === 'open' && model.rate, {
      kind: 'points',
      points: [
        { atMs: 0, ratePerSec: 10 },
        { atMs: 500, ratePerSec: 2.5 },
        { atMs: 60_000, ratePerSec: 1_000 },
        { atMs: 61_000, ratePerSec: 0 },
      ],
      between: 'hold',
    });
  });

  test('lines between the points', () => {
    const model = file('0,1\n1,2\n', 'between: linear');
    assert.ok(model.kind === 'open' && model.rate.kind === 'points');
    assert.equal(model.rate.between, 'linear');
  });
});

describe('several workloads in a stage', () => {
  const TWO = `- measure:
    for: 5s
    depth: 4
    workloads:
      - { name: reader, rate: 10k/s, mix: { get: 1 } }
      - { name: poller, rate: 1/s, connections: 1 total, depth: 1, mix: [{ get: 1, name: poll }] }`;

  test('each takes what it does not say from the stage, and that from the workload', () => {
    const [reader, poller] = stagesOf(TWO, 'workload: { value: 7 }')[0]?.workloads ?? [];
    assert.deepEqual([reader?.name, poller?.name], ['reader', 'poller']);
    assert.deepEqual([reader?.depth, poller?.depth], [4, 1]);
    assert.deepEqual(reader?.connections, { count: 10, scope: 'worker' });
    assert.deepEqual(poller?.connections, { count: 1, scope: 'total' });
    assert.equal(poller?.mix[0]?.name, 'poll');
    assert.deepEqual(poller?.values.size, { kind: 'fixed', bytes: 7 });
  });

  test('a warm-up takes the workloads of the measure stage after it, and overrides all of them', () => {
    const [warmUp] = stagesOf(`- warm-up: { rate: 5/s }\n${TWO}`);
    assert.deepEqual(
      warmUp?.workloads.map(({ name, model }) => [name, model.kind === 'open' && model.rate]),
      [
        ['reader', { kind: 'constant', ratePerSec: 5 }],
        ['poller', { kind: 'constant', ratePerSec: 5 }],
      ],
    );
  });

  test('a verify takes the data sets of the load stage before it, and not how they were pressed in', () => {
    const [load, verify] = stagesOf(`- load:
    workloads:
      - { name: small, keys: 10, value: 5, depth: 9 }
      - { name: large, keys: { range: 5, prefix: "l:" }, value: 50 }
- verify`);
    assert.deepEqual(
      verify?.workloads.map(({ name, keys, values, mix, depth }) => [
        name,
        keys.maximum,
        keys.prefix,
        values.size,
        mix[0]?.name,
        depth,
      ]),
      [
        ['small', 9, 'key:', { kind: 'fixed', bytes: 5 }, 'get', 1],
        ['large', 4, 'l:', { kind: 'fixed', bytes: 50 }, 'get', 1],
      ],
    );
    assert.deepEqual(
      load?.workloads.map(({ depth }) => depth),
      [9, 1],
    );
  });

  test('an objective means one of them, or all that have the operation', () => {
    const plan = planOf(
      withStages(TWO, 'objectives: [reader.get.p99 < 5ms, poll.p99.9 < 5ms, total.p50 < 1ms]'),
    );
    assert.deepEqual(
      plan.objectives.map(({ operation, metric }) => [operation, metric]),
      [
        ['reader.get', 'p99'],
        ['poll', 'p99.9'],
        ['total', 'p50'],
      ],
    );
  });
});
