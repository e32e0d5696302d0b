import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseCommandText } from '@pacecar/protocol';
import { planOf, problemsOf, withStages } from '../sample.test.data.js';
import { PRESETS } from './preset.js';
import { REDIS_TESTS } from './redis-benchmark.js';

const stagesOf = (stages: string, before = '') => planOf(withStages(stages, before)).cells[0]?.stages ?? [];

describe('redis-benchmark', () => {
  const suite = stagesOf('- measure: { preset: redis-benchmark }');

  test('is a measure stage for each test, in its order, and one before LRANGE that fills the list', () => {
    const measured = suite.filter(({ kind }) => kind === 'measure').map(({ name }) => name);
    assert.deepEqual(measured, [...REDIS_TESTS]);
    assert.equal(REDIS_TESTS.length, 20);
    const others = suite.filter(({ kind }) => kind !== 'measure');
    assert.deepEqual(
      others.map(({ name, kind, end }) => ({ name, kind, end })),
      [
        {
          name: 'LPUSH for LRANGE',
          kind: 'warm-up',
          end: { kind: 'operations', operations: { count: 1_000, scope: 'total' } },
        },
      ],
    );
    assert.equal(suite[suite.indexOf(others[0] as (typeof suite)[number]) + 1]?.name, 'LRANGE_100');
  });

  test('has its defaults: 50 connections, 100000 operations, 3 bytes, one key, no pipeline', () => {
    for (const { workloads, end, kind } of suite) {
      const [workload] = workloads;
      assert.deepEqual(workload?.connections, { count: 50, scope: 'total' });
      assert.equal(workload?.depth, 1);
      assert.deepEqual(workload?.values.size, { kind: 'fixed', bytes: 3 });
      assert.equal(workload?.keys.maximum, 0);
      if (kind === 'measure')
        assert.deepEqual(end, { kind: 'operations', operations: { count: 100_000, scope: 'total' } });
    }
  });

  test('every command is one that can be read, and only PING_INLINE is inline', () => {
    for (const { workloads } of suite)
      for (const { commands, inline, name } of workloads[0]?.mix ?? []) {
        assert.equal(commands.length, 1);
        parseCommandText(commands[0] as string);
        assert.equal(inline, name === 'PING_INLINE');
      }
  });

  test('what the scenario says wins over its defaults', () => {
    const [stage] = stagesOf(
      '- measure: { preset: redis-benchmark, tests: [SET], depth: 16, for: 3s }',
      'workload: { connections: 4 per worker, keys: 10 }',
    );
    assert.equal(stage?.name, 'SET');
    assert.deepEqual(stage?.end, { kind: 'duration', durationMs: 3_000 });
    assert.deepEqual(stage?.workloads[0]?.connections, { count: 4, scope: 'worker' });
    assert.equal(stage?.workloads[0]?.depth, 16);
    assert.equal(stage?.workloads[0]?.keys.maximum, 9);
    assert.deepEqual(stage?.workloads[0]?.values.size, { kind: 'fixed', bytes: 3 });
  });

  test('tests: names in small letters and of groups are those of its -t', () => {
    const names = (tests: string) =>
      stagesOf(`- measure: { preset: redis-benchmark, tests: ${tests} }`).map(({ name }) => name);
    assert.deepEqual(names('[get, set, ping]'), ['PING_INLINE', 'PING_MBULK', 'SET', 'GET']);
    assert.deepEqual(names('[lrange_300]'), ['LPUSH for LRANGE', 'LRANGE_300']);
  });

  test('twice with names of their own', () => {
    const names = stagesOf(
      '- measure: { preset: redis-benchmark, tests: [GET], name: plain }\n' +
        '- measure: { preset: redis-benchmark, tests: [GET], name: piped, depth: 16 }',
    ).map(({ name }) => name);
    assert.deepEqual(names, ['plain GET', 'piped GET']);
  });
});

describe('ycsb', () => {
  const WORKLOADS: readonly (readonly [
    preset: string,
    mix: readonly (readonly [string, number])[],
    distribution: string,
  ])[] = [
    [
      'ycsb-a',
      [
        ['readRecord', 50],
        ['updateRecord', 50],
      ],
      'zipfian',
    ],
    [
      'ycsb-b',
      [
        ['readRecord', 95],
        ['updateRecord', 5],
      ],
      'zipfian',
    ],
    ['ycsb-c', [['readRecord', 100]], 'zipfian'],
    [
      'ycsb-d',
      [
        ['readRecord', 95],
        ['insertRecord', 5],
      ],
      'latest',
    ],
    [
      'ycsb-e',
      [
        ['scanRecords', 95],
        ['insertRecord', 5],
      ],
      'zipfian',
    ],
    [
      'ycsb-f',
      [
        ['readRecord', 50],
        ['readModifyWriteRecord', 50],
      ],
      'zipfian',
    ],
  ];
  for (const [preset, mix, distribution] of WORKLOADS)
    test(`${preset} is ${mix.map(([name, weight]) => `${name} ${weight}`).join(', ')}, ${distribution}`, () => {
      const [load, measure] = stagesOf('- load\n- measure', `workload: { preset: ${preset} }`);
      const workload = measure?.workloads[0];
      assert.deepEqual(
        workload?.mix.map(({ operation, weight }) => [operation, weight]),
        mix,
      );
      assert.equal(workload?.keys.distribution.kind, distribution);
      assert.deepEqual(
        [workload?.keys.prefix, workload?.keys.order, workload?.keys.width, workload?.keys.maximum],
        ['user', 'hashed', 0, 999],
      );
      assert.equal(workload?.records?.fields, 10);
      assert.equal(load?.workloads[0]?.mix[0]?.operation, 'insertRecord');
      assert.equal(load?.workloads[0]?.keys.order, 'hashed');
    });

  test('the longest scan has 100 records', () => {
    const [measure] = stagesOf('- measure: { preset: ycsb-e }');
    assert.equal(measure?.workloads[0]?.mix[0]?.batch, 100);
  });

  test('what is written beside it, or anywhere for what it only fills, wins', () => {
    const [measure] = stagesOf(
      '- measure: { preset: ycsb-a, mix: { readRecord: 1 } }',
      'workload: { keys: { range: 5, distribution: uniform }, records: { fields: 2 } }',
    );
    const workload = measure?.workloads[0];
    assert.deepEqual(
      workload?.mix.map(({ operation }) => operation),
      ['readRecord'],
    );
    assert.equal(workload?.keys.distribution.kind, 'uniform');
    assert.equal(workload?.keys.maximum, 4);
    assert.equal(workload?.records?.fields, 2);
    assert.equal(workload?.keys.order, 'hashed');
  });

  test('a preset of a stage has its own mix, whatever the workload says', () => {
    const [measure] = stagesOf('- measure: { preset: ycsb-c }', 'workload: { mix: { get: 1 } }');
    assert.deepEqual(
      measure?.workloads[0]?.mix.map(({ operation }) => operation),
      ['readRecord'],
    );
  });
});

test('a preset that nobody knows is refused, with those that there are', () => {
  const problem = problemsOf(withStages('- measure: { preset: ycsb-g }'));
  assert.match(problem, /preset: "ycsb-g" is not known here; did you mean ycsb-a\?/);
  for (const preset of PRESETS) assert.ok(problem.includes(preset));
});
