import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CLOSED_MODEL,
  type Plan,
  plainAction,
  RECONNECT,
  type Stage,
  type Workload,
} from '@pacecar/protocol';
import { keyDoc } from './key-doc.js';
import { planOf, read, withStages } from './sample.test.data.js';
import { DEFAULT_LAYER } from './workload/layer.js';
import { WorkloadShape } from './written/workload.js';

function stageOf(text: string, index = 0): Stage {
  const stage = planOf(text).cells[0]?.stages[index];
  assert.ok(stage);
  return stage;
}

function workloadOf(text: string, index = 0): Workload {
  return stageOf(text, index).workloads[0] as Workload;
}

test('a scenario that says the least gets every default', () => {
  const plan = planOf('pacecar: 1\nconfigurations: { it: { target: builtin } }\nstages: [measure]\n', {
    file: 'some/where/least.yaml',
  });
  assert.deepEqual(plan, {
    pacecar: 1,
    name: 'least',
    seed: 1,
    groups: [{ name: 'workers', size: 1 }],
    configurations: [
      {
        name: 'it',
        driver: 'resp',
        target: { kind: 'builtin', host: '127.0.0.1', port: 0, username: null, password: null, database: 0 },
        settings: { noDelay: true, protocol: 2 },
      },
    ],
    cells: [
      {
        index: 0,
        configuration: 'it',
        repetition: 0,
        coordinates: {},
        stages: [
          {
            name: 'measure',
            kind: 'measure',
            group: 'workers',
            workloads: [
              {
                name: 'main',
                threads: { count: 1, scope: 'worker' },
                connections: { count: 10, scope: 'worker' },
                depth: 1,
                mix: [plainAction('get', 80), plainAction('put', 20)],
                mixMode: 'random',
                keys: {
                  minimum: 0,
                  maximum: 99_999,
                  prefix: 'key:',
                  suffix: '',
                  order: 'numeric',
                  width: 5,
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
            armTimeoutMs: 30_000,
            drainMs: 5_000,
            limitMs: 15_000,
            stopWhen: null,
            search: null,
          },
        ],
      },
    ],
    order: 'interleaved',
    onWorkerLoss: 'fail',
    errorBudget: 0.001,
    missBudget: 0.1,
    startSkewLimitMs: 100,
    objectives: [],
    intervalMs: 1_000,
    liveness: {
      heartbeatMs: 1_000,
      lostAfterMs: 10_000,
      leaseMs: 10_000,
      joinTimeoutMs: 60_000,
      startLeadMs: 500,
    },
  } satisfies Plan);
});

test('the defaults of a workload are those that the reference shows', () => {
  const written = Object.entries(WorkloadShape).flatMap(([key, schema]) => {
    const { fallback } = keyDoc(schema);
    return fallback === undefined ? [] : [`${key}: ${fallback}`];
  });
  assert.deepEqual(
    workloadOf(withStages('- measure', `workload: { ${written.join(', ')} }`)),
    workloadOf(withStages('- measure')),
  );
  assert.equal(DEFAULT_LAYER.depth, 1);
});

test('everything that is said at the top arrives in the plan', () => {
  const plan = planOf(`pacecar: 1
name: all of it
seed: 42
groups: { servers: 2, "7": 3, "1": 1 }
configurations:
  2: { target: builtin, driver: ioredis, settings: { label: "5" } }
  1: { target: { host: h, port: 1, username: u, database: 3 } }
workload: { group: "7" }
stages: [measure]
order: sequential
onWorkerLoss: continue
errorBudget: 1%
missBudget: 0
startSkewLimit: 20ms
interval: 500ms
objectives: [get.p99 < 5ms]
liveness: { heartbeat: 100ms, lostAfter: 1s, lease: 2s, join: 2m, startLead: 0s }
`);
  assert.deepEqual(
    plan.groups.map(({ name, size }) => `${name}=${size}`),
    ['servers=2', '7=3', '1=1'],
    'in the order of writing, also where names are numbers',
  );
  assert.deepEqual(
    plan.configurations.map(({ name }) => name),
    ['2', '1'],
  );
  assert.deepEqual(plan.configurations[0]?.settings, { label: '5' });
  assert.deepEqual(plan.configurations[1]?.target, {
    kind: 'address',
    host: 'h',
    port: 1,
    username: 'u',
    password: null,
    database: 3,
  });
  const { seed, name, order, onWorkerLoss, errorBudget, missBudget, startSkewLimitMs, intervalMs } = plan;
  assert.deepEqual(
    { seed, name, order, onWorkerLoss, errorBudget, missBudget, startSkewLimitMs, intervalMs },
    {
      seed: 42,
      name: 'all of it',
      order: 'sequential',
      onWorkerLoss: 'continue',
      errorBudget: 0.01,
      missBudget: 0,
      startSkewLimitMs: 20,
      intervalMs: 500,
    },
  );
  assert.deepEqual(plan.liveness, {
    heartbeatMs: 100,
    lostAfterMs: 1_000,
    leaseMs: 2_000,
    joinTimeoutMs: 120_000,
    startLeadMs: 0,
  });
  assert.equal(plan.objectives[0]?.threshold, 5_000_000);
});

test('load puts and verify gets every key once, partitioned; verify checks the values', () => {
  const text = withStages(
    '- load\n- verify',
    'workload: { keys: { range: 1..2000, distribution: uniform } }',
  );
  for (const [index, operation, checkValues] of [
    [0, 'put', false],
    [1, 'get', true],
  ] as const) {
    const stage = stageOf(text, index);
    assert.deepEqual(stage.end, { kind: 'keys' });
    assert.equal(stage.limitMs, 3_600_000);
    assert.deepEqual(stage.workloads[0]?.mix, [plainAction(operation, 1)]);
    assert.equal(stage.workloads[0]?.checkValues, checkValues);
    assert.deepEqual(stage.workloads[0]?.keys, {
      minimum: 1,
      maximum: 2_000,
      prefix: 'key:',
      suffix: '',
      order: 'numeric',
      width: 4,
      distribution: { kind: 'partitioned' },
    });
  }
});

const SIZES: readonly (readonly [name: string, stages: string, index: number, bytes: number, why: string])[] =
  [
    ['load', '- load', 0, 7, 'a stage takes from workload'],
    ['load', '- load: { value: 9 }', 0, 9, 'a stage overrides workload'],
    [
      'warm-up',
      '- warm-up\n- measure: { value: 9 }',
      0,
      9,
      'a warm-up takes from the measure stage after it',
    ],
    ['warm-up', '- warm-up: { value: 3 }\n- measure: { value: 9 }', 0, 3, 'a warm-up overrides it'],
    [
      'warm-up',
      '- measure: { value: 9 }\n- warm-up',
      1,
      7,
      'a measure stage before a warm-up is none of its business',
    ],
    ['verify', '- load: { value: 9 }\n- verify', 1, 9, 'verify takes from the load stage before it'],
    ['verify', '- verify\n- load: { value: 9 }', 0, 7, 'a load stage after it is none of its business'],
  ];
for (const [name, stages, index, bytes, why] of SIZES)
  test(`${name} has values of ${bytes} B: ${why}`, () => {
    const { values } = workloadOf(withStages(stages, 'workload: { value: 7 }'), index);
    assert.deepEqual(values.size, { kind: 'fixed', bytes });
  });

test('verify takes keys from the load stage before it, and not its connections', () => {
  const text = withStages('- load: { keys: 50, connections: 3 per worker }\n- verify');
  assert.equal(workloadOf(text, 1).keys.maximum, 49);
  assert.equal(workloadOf(text, 1).connections.count, 10);
});

test('keys merge field by field, and a short form changes the range only', () => {
  const before = 'workload: { keys: { range: 10..20, prefix: "p", width: 8, distribution: sequential } }';
  const expected = {
    minimum: 0,
    maximum: 4,
    prefix: 'p',
    suffix: '',
    order: 'numeric',
    width: 8,
    distribution: { kind: 'sequential' },
  };
  assert.deepEqual(workloadOf(withStages('- measure: { keys: 5 }', before)).keys, expected);
  assert.deepEqual(workloadOf(withStages('- measure: { keys: { range: 0..4 } }', before)).keys, expected);
});

test('the width is by default that of the largest key, and 0 where it says so', () => {
  assert.equal(workloadOf(withStages('- measure: { keys: 1..1000 }')).keys.width, 4);
  assert.equal(workloadOf(withStages('- measure: { keys: { range: 1..1000, width: 0 } }')).keys.width, 0);
});

test('the order of a mix does not depend on the order of writing, so that streams do not either', () => {
  assert.deepEqual(
    workloadOf(withStages('- measure: { mix: { put: 20%, get: 80% } }')).mix,
    workloadOf(withStages('- measure: { mix: { get: 80%, put: 20% } }')).mix,
  );
});

const ENDS: readonly (readonly [written: string, end: Stage['end'], why: string])[] = [
  ['{ for: 1m30s }', { kind: 'duration', durationMs: 90_000 }, 'by time'],
  [
    '{ operations: 1003 total }',
    { kind: 'operations', operations: { count: 1_003, scope: 'total' } },
    'by count',
  ],
  ['{ allKeys: true }', { kind: 'keys' }, 'by keys'],
  ['{ allKeys: false, for: 1s }', { kind: 'duration', durationMs: 1_000 }, 'false is no end'],
];
for (const [written, end, why] of ENDS)
  test(`a measure stage ${written} ends ${why}`, () =>
    assert.deepEqual(stageOf(withStages(`- measure: ${written}`)).end, end));

test('a stage that ends by keys is partitioned', () => {
  assert.equal(workloadOf(withStages('- measure: { allKeys: true }')).keys.distribution.kind, 'partitioned');
});

test('stages of one kind are numbered, and names that are given stay', () => {
  const plan = planOf(withStages('- measure\n- measure: { name: x }\n- measure\n- load:\n- load: {}'));
  assert.deepEqual(
    plan.cells[0]?.stages.map(({ name }) => name),
    ['measure-1', 'x', 'measure-2', 'load-1', 'load-2'],
  );
});

test('--workers sets the only group, --group sets one by its name', () => {
  assert.deepEqual(planOf(withStages('- measure'), { workers: 9 }).groups, [{ name: 'clients', size: 9 }]);
  assert.deepEqual(planOf(withStages('- measure'), { groupSizes: { clients: 4 } }).groups, [
    { name: 'clients', size: 4 },
  ]);
});

test('a sweep makes cells of every combination, the first property slowest, and they know their coordinates', () => {
  const plan = planOf(
    withStages(
      '- measure: { connections: "${c} per worker", value: "${v}" }',
      'sweep: { c: [1, 10], v: [1kB, "2"] }',
    ),
  );
  assert.deepEqual(
    plan.cells.map(({ coordinates }) => coordinates),
    [
      { c: 1, v: '1kB' },
      { c: 1, v: 2 },
      { c: 10, v: '1kB' },
      { c: 10, v: 2 },
    ],
  );
  assert.deepEqual(
    plan.cells.map(({ stages }) => stages[0]?.workloads[0]?.connections.count),
    [1, 1, 10, 10],
  );
  assert.deepEqual(
    plan.cells.map(({ index }) => index),
    [0, 1, 2, 3],
  );
});

test('cells of one sweep point share their stages: many cells are no more memory than few', () => {
  const plan = planOf(withStages('- measure', 'repeat: 5000'));
  assert.equal(plan.cells.length, 5_000);
  assert.equal(new Set(plan.cells.map(({ stages }) => stages)).size, 1);
});

test('two configurations, repeated twice, run A B A B unless they are to run A A B B', () => {
  const text = (order: string) => `pacecar: 1
configurations: { a: { target: builtin }, b: { target: builtin, driver: ioredis } }
stages: [measure]
repeat: 2
order: ${order}
`;
  const spell = (order: string) =>
    planOf(text(order))
      .cells.map(({ configuration, repetition }) => configuration + repetition)
      .join(' ');
  assert.equal(spell('interleaved'), 'a0 b0 a1 b1');
  assert.equal(spell('sequential'), 'a0 a1 b0 b1');
});

test('the same text gives the same plan', () => {
  const text = withStages('- load\n- measure');
  assert.deepEqual(read(text), read(text));
});
