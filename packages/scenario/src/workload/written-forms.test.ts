import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Action, plainAction, type Workload } from '@pacecar/protocol';
import { planOf, withStages } from '../sample.test.data.js';

function workloadOf(written: string, before = ''): Workload {
  const workload = planOf(withStages(`- measure: ${written}`, before)).cells[0]?.stages[0]?.workloads[0];
  assert.ok(workload);
  return workload;
}

describe('a mix', () => {
  const ACTIONS: readonly (readonly [mix: string, actions: readonly Action[], why: string])[] = [
    ['{ get: 80, put: 20 }', [plainAction('get', 80), plainAction('put', 20)], 'weights'],
    ['{ put: 20%, get: 80% }', [plainAction('get', 80), plainAction('put', 20)], 'in an order of its own'],
    [
      '{ putAll: { weight: 5, batch: 20 }, get: 95 }',
      [plainAction('get', 95), { ...plainAction('putAll', 5), batch: 20 }],
      'what an operation is told',
    ],
    ['{ getAll: 1 }', [{ ...plainAction('getAll', 1), batch: 10 }], 'a batch of ten by default'],
    [
      '{ put: { weight: 1, timeToLive: 10s } }',
      [{ ...plainAction('put', 1), timeToLiveMs: 10_000 }],
      'a time to live',
    ],
    [
      '{ getRange: { weight: 2, length: 1kB } }',
      [{ ...plainAction('getRange', 2), range: { offsetBytes: 0, lengthBytes: 1_000 } }],
      'a part of a value, from its beginning',
    ],
    [
      '[{ put: 5 }, { get: 3, name: hot }, { get: { weight: 2, name: cold } }]',
      [
        plainAction('put', 5),
        { ...plainAction('get', 3), name: 'hot' },
        { ...plainAction('get', 2), name: 'cold' },
      ],
      'a list keeps its order and holds an operation several times',
    ],
    [
      '[{ command: "zadd board __score__ __member__", weight: 7 }]',
      [{ ...plainAction('command', 7), name: 'ZADD', commands: ['zadd board __score__ __member__'] }],
      'a command is named after its first word',
    ],
    [
      '[{ command: "GET a" }, { command: "GET b" }, { command: "GET c", name: GET-2 }]',
      [
        { ...plainAction('command', 1), name: 'GET', commands: ['GET a'] },
        { ...plainAction('command', 1), name: 'GET-3', commands: ['GET b'] },
        { ...plainAction('command', 1), name: 'GET-2', commands: ['GET c'] },
      ],
      'commands of one name are numbered, round the names that are given',
    ],
    [
      '[{ command: PING, inline: true, name: ping }]',
      [{ ...plainAction('command', 1), name: 'ping', commands: ['PING'], inline: true }],
      'a command as a line of text',
    ],
    [
      '[{ transaction: ["INCR __key__", "EXPIRE __key__ 60"], weight: 2 }]',
      [{ ...plainAction('transaction', 2), commands: ['INCR __key__', 'EXPIRE __key__ 60'] }],
      'a transaction',
    ],
  ];
  for (const [mix, actions, why] of ACTIONS)
    test(`${mix}: ${why}`, () => {
      const { mix: read, mixMode } = workloadOf(`{ mix: ${mix} }`);
      assert.deepEqual(read, actions);
      assert.equal(mixMode, 'random');
    });

  test('a ratio keeps the order of writing, which is that of the turns', () => {
    const { mix, mixMode } = workloadOf('{ ratio: { put: 1, get: 10 } }');
    assert.deepEqual(mix, [plainAction('put', 1), plainAction('get', 10)]);
    assert.equal(mixMode, 'ratio');
  });

  test('a stage with a ratio overrides a mix, and the other way round', () => {
    assert.equal(workloadOf('{ ratio: { put: 1 } }', 'workload: { mix: { get: 1 } }').mixMode, 'ratio');
    assert.equal(workloadOf('{ mix: { put: 1 } }', 'workload: { ratio: { get: 1 } }').mixMode, 'random');
  });

  test('a command of 500 kB stands in a file of its own', () => {
    const text = `SET __key__ ${'x'.repeat(500_000)}`;
    const plan = planOf(withStages('- measure: { mix: [{ command: { file: big.txt } }] }'), {
      files: (path) => (path === 'big.txt' ? `${text}\n` : null),
    });
    const [action] = plan.cells[0]?.stages[0]?.workloads[0]?.mix ?? [];
    assert.equal(action?.name, 'SET');
    assert.deepEqual(action?.commands, [text]);
  });
});

describe('keys', () => {
  const keysOf = (written: string) => workloadOf(`{ keys: ${written} }`).keys;
  const DISTRIBUTIONS: readonly (readonly [written: string, distribution: object])[] = [
    ['zipfian', { kind: 'zipfian', exponent: 0.99, scrambled: true }],
    ['{ zipfian: { exponent: 1, scrambled: false } }', { kind: 'zipfian', exponent: 1, scrambled: false }],
    ['{ zipfian: {} }', { kind: 'zipfian', exponent: 0.99, scrambled: true }],
    ['latest', { kind: 'latest', exponent: 0.99 }],
    ['{ latest: { exponent: 1.5 } }', { kind: 'latest', exponent: 1.5 }],
    ['hotspot', { kind: 'hotspot', keysRatio: 0.2, operationsRatio: 0.8 }],
    [
      '{ hotspot: { keys: 1%, operations: 99% } }',
      { kind: 'hotspot', keysRatio: 0.01, operationsRatio: 0.99 },
    ],
    [
      '{ exponential: { operations: 90%, keys: 10% } }',
      { kind: 'exponential', percentile: 0.9, keysRatio: 0.1 },
    ],
    // memtier_benchmark's: the middle, and a sixth of the range.
    ['gaussian', { kind: 'gaussian', median: 500, deviation: 1_000 / 6 }],
    ['{ gaussian: { median: 1100, deviation: 5 } }', { kind: 'gaussian', median: 100, deviation: 5 }],
    ['sequential', { kind: 'sequential' }],
    ['{ partitioned: {} }', { kind: 'partitioned' }],
  ];
  for (const [written, distribution] of DISTRIBUTIONS)
    test(`distribution: ${written}`, () =>
      assert.deepEqual(keysOf(`{ range: 1000..2000, distribution: ${written} }`).distribution, distribution));

  test('the default of exponential is that of YCSB', () => {
    const { distribution } = keysOf('{ distribution: exponential }');
    assert.ok(distribution.kind === 'exponential');
    assert.equal(distribution.percentile, 0.95);
    assert.ok(Math.abs(distribution.keysRatio - 0.857_142_857_1) < 1e-9);
  });

  const AROUND: readonly (readonly [written: string, prefix: string, suffix: string])[] = [
    ['{ template: "user:{__n__}:profile" }', 'user:{', '}:profile'],
    ['{ template: "__n__" }', '', ''],
    ['{ prefix: "a", suffix: "b" }', 'a', 'b'],
    ['{ prefix: "a:", hashTag: true }', 'a:{', '}'],
    ['{ template: "a__n__b", hashTag: true }', 'a{', '}b'],
  ];
  for (const [written, prefix, suffix] of AROUND)
    test(`${written} is ${prefix}, the number and ${suffix}`, () => {
      const keys = keysOf(written);
      assert.deepEqual([keys.prefix, keys.suffix], [prefix, suffix]);
    });

  test('a stage overrides one end of a template', () => {
    const { keys } = workloadOf('{ keys: { suffix: ":x" } }', 'workload: { keys: { template: "a__n__b" } }');
    assert.deepEqual([keys.prefix, keys.suffix], ['a', ':x']);
  });

  test('hashed numbers are not padded', () => {
    const { order, width } = keysOf('{ range: 1M, order: hashed }');
    assert.deepEqual([order, width], ['hashed', 0]);
  });
});

describe('values', () => {
  const VALUES: readonly (readonly [written: string, values: object])[] = [
    [
      '[{ 80%: 100 }, { 20%: 10kB }]',
      {
        kind: 'weighted',
        sizes: [
          { bytes: 100, weight: 80 },
          { bytes: 10_000, weight: 20 },
        ],
      },
    ],
    [
      '[{ 1: 5 }, { 1: 6 }]',
      {
        kind: 'weighted',
        sizes: [
          { bytes: 5, weight: 1 },
          { bytes: 6, weight: 1 },
        ],
      },
    ],
    [
      '{ size: { weighted: { 1KiB: 3, 2KiB: 1 } } }',
      {
        kind: 'weighted',
        sizes: [
          { bytes: 1_024, weight: 3 },
          { bytes: 2_048, weight: 1 },
        ],
      },
    ],
    ['{ size: 7 }', { kind: 'fixed', bytes: 7 }],
    ['10..200', { kind: 'uniform', minimumBytes: 10, maximumBytes: 200 }],
    [
      '{ size: { gaussian: { range: 10..70 } } }',
      { kind: 'gaussian', minimumBytes: 10, maximumBytes: 70, medianBytes: 40, deviationBytes: 10 },
    ],
    [
      '{ size: { gaussian: { range: 10..70, median: 20, deviation: 2.5 } } }',
      { kind: 'gaussian', minimumBytes: 10, maximumBytes: 70, medianBytes: 20, deviationBytes: 2.5 },
    ],
  ];
  for (const [written, size] of VALUES)
    test(`value: ${written}`, () => assert.deepEqual(workloadOf(`{ value: ${written} }`).values.size, size));

  for (const [written, content] of [
    ['random', { kind: 'random' }],
    ['printable', { kind: 'printable' }],
    ['{ compressible: 2.5 }', { kind: 'compressible', ratio: 2.5 }],
  ] as const)
    test(`content: ${JSON.stringify(written)}, and the size stays that of the workload`, () => {
      const { values } = workloadOf(`{ value: { content: ${written} } }`, 'workload: { value: 9 }');
      assert.deepEqual(values, { size: { kind: 'fixed', bytes: 9 }, content });
    });
});

describe('records', () => {
  test('all defaults are those of YCSB', () => {
    assert.deepEqual(workloadOf('{ records: {}, mix: { readRecord: 1 } }').records, {
      fields: 10,
      fieldSize: { kind: 'fixed', bytes: 100 },
      readAllFields: true,
      writeAllFields: false,
    });
  });

  test('load inserts records, and verify reads them with all their fields', () => {
    const text = withStages(
      '- load\n- measure: { mix: { readRecord: 1 } }\n- verify',
      'workload: { records: { fields: 3, fieldSize: 5..9, readAllFields: false } }',
    );
    const [load, measure, verify] = planOf(text).cells[0]?.stages.map(({ workloads }) => workloads[0]) ?? [];
    assert.equal(load?.mix[0]?.operation, 'insertRecord');
    assert.equal(measure?.records?.readAllFields, false);
    assert.equal(verify?.mix[0]?.operation, 'readRecord');
    assert.equal(verify?.records?.readAllFields, true);
    assert.equal(verify?.checkValues, true);
    assert.deepEqual(verify?.records?.fieldSize, { kind: 'uniform', minimumBytes: 5, maximumBytes: 9 });
  });
});
