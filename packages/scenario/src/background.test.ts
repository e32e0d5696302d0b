import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describePlan } from './describe.js';
import { estimateMs } from './estimate.js';
import { planOf, problemsOf, withStages } from './sample.test.data.js';

const ends = (stages: string, before = '') =>
  planOf(withStages(stages, before)).cells[0]?.stages.map(({ name, end }) =>
    end.kind === 'stage' ? `${name} until ${end.stage}` : name,
  );

describe('a background stage', () => {
  test('runs until the last stage of the list, or until the later one that it names', () => {
    assert.deepEqual(
      ends('[load, measure: { name: poll, background: true }, measure: { name: a }, verify]'),
      ['load', 'poll until verify', 'a', 'verify'],
    );
    assert.deepEqual(ends('[measure: { name: poll, until: a }, measure: { name: a }, verify]'), [
      'poll until a',
      'a',
      'verify',
    ]);
    assert.deepEqual(
      ends('[measure: { name: poll, background: true, until: measure }, measure]'),
      ['poll until measure', 'measure'],
      'both may be said; names of stages that say none are known',
    );
    assert.deepEqual(ends('[measure: { background: false }]'), ['measure']);
  });

  test('does not wait for another background, which waits for the same stage', () => {
    assert.deepEqual(
      ends('[measure: { name: one, background: true }, measure: { name: two, background: true }, verify]'),
      ['one until verify', 'two until verify', 'verify'],
    );
  });

  test('is not what a warm-up warms up', () => {
    const [warmUp] =
      planOf(
        withStages(
          '[warm-up, measure: { name: poll, background: true, connections: 7 per worker }, measure: { name: a, connections: 9 per worker }]',
        ),
      ).cells[0]?.stages ?? [];
    assert.deepEqual(warmUp?.workloads[0]?.connections, { count: 9, scope: 'worker' });
  });

  test('has any model: think time, a ramp, a rate, several workloads', () => {
    for (const body of [
      'thinkTime: 10ms',
      'rampUp: 1h',
      'rate: 1/s',
      'rate: { steps: [{ rate: 1/s, for: 1h }] }',
      'staircase: { first: 1 per worker, step: 1 per worker, every: 1h }',
      'workloads: [{ name: a, mix: { get: 1 } }, { name: b, rate: 2/s }]',
    ])
      assert.equal(ends(`[measure: { name: poll, background: true, ${body} }, verify]`)?.length, 2, body);
  });

  test('takes no time of its own in the estimate', () => {
    const ms = (stages: string) => estimateMs(planOf(withStages(stages)));
    const [alone, beside] = [
      ms('[measure: { for: 1h }]'),
      ms('[measure: { name: poll, background: true }, measure: { for: 1h }]'),
    ];
    assert.ok(beside - alone > 0 && beside - alone < 2_000, `${beside} after ${alone}`);
  });

  test('is shown as such, with the stages beside it', () => {
    const text = describePlan(
      planOf(
        withStages(
          '[load, measure: { name: poll, until: b, rate: 2/s }, warm-up, measure: { name: a }, measure: { name: b }, verify]',
        ),
      ),
    );
    assert.match(text, /2 poll \(measure\), in the background\n/);
    assert.match(text, /beside +warm-up, a, b\n/);
    assert.match(text, /ends +is told to once b has closed\n/);
    assert.match(text, /open: 2\/s.*(\n.*)?never dropped\n/, 'nobody knows how many operations that will be');
  });
});

describe('objectives', () => {
  const stages =
    '[measure: { name: poll, background: true, workloads: [{ name: poller, mix: { get: 1 } }] }, measure: { mix: { put: 1 } }]';

  test('judge a background where they name its workload', () => {
    assert.equal(
      planOf(withStages(stages, 'objectives: [poller.get.p99 < 5ms]')).objectives[0]?.operation,
      'poller.get',
    );
  });

  test('mean what is measured in the foreground otherwise', () => {
    assert.match(
      problemsOf(withStages(stages, 'objectives: [get.p99 < 5ms]')),
      /objectives\[0\]: no measure stage has the operation "?get"?/,
    );
  });
});

describe('what cannot run in the background', () => {
  const rows: readonly (readonly [stages: string, problem: RegExp, why: string])[] = [
    [
      '[measure: { name: poll, until: nothing }, measure: { name: a }, verify]',
      /measure\.until: there is no stage nothing; allowed: a, verify$/,
      'no such stage',
    ],
    [
      '[measure: { name: poll, until: stedy }, measure: { name: steady }]',
      /there is no stage stedy; did you mean steady\?; allowed: steady$/,
      'a typo',
    ],
    [
      '[load, measure: { name: poll, until: load }, measure: { name: a }]',
      /the stage load comes before this one; name a later one; allowed: a$/,
      'an earlier stage',
    ],
    [
      '[measure: { name: poll, until: poll }, measure: { name: a }]',
      /poll is this stage itself; name a later one; allowed: a$/,
      'itself',
    ],
    [
      '[measure: { name: poll, until: two }, measure: { name: two, background: true }, measure: { name: a }]',
      /the stage two runs in the background itself; name one that does not; allowed: a$/,
      'another background',
    ],
    [
      '[measure: { background: true }]',
      /measure\.background: a background stage runs beside stages that come after it, and none does/,
      'alone',
    ],
    ['[load, measure: { until: load }]', /measure\.until: a background stage runs beside stages/, 'the last'],
    [
      '[measure: { name: poll, background: false, until: a }, measure: { name: a }]',
      /until: stands beside `background: false`/,
      'both',
    ],
    ['[measure: { name: p, until: "" }, verify]', /until: +is no name; 1 to 100 characters/, 'no name'],
    [
      '[measure: { name: p, background: yes }, verify]',
      /background: "?yes"? is neither true nor false/,
      'yes',
    ],
    [
      '[measure: { name: p, background: true, for: 5s }, verify]',
      /background: a stage has one end, and here are 2: for, background; keep one of them/,
      'and a time',
    ],
    [
      '[measure: { name: p, until: verify, operations: 5 total }, verify]',
      /until: a stage has one end, and here are 2: operations, until/,
      'and a count',
    ],
    [
      '[measure: { name: p, until: verify, allKeys: true }, verify]',
      /until: a stage has one end, and here are 2: allKeys, until/,
      'and all keys',
    ],
    [
      '[measure: { name: p, until: verify, limit: 5s }, verify]',
      /limit: belongs to stages that end by operations or keys; this one runs until another stage has closed/,
      'and a limit',
    ],
    [
      '[measure: { name: p, background: true, stopWhen: get.p99 > 1ms }, verify]',
      /stopWhen: a background stage runs until another stage has closed, and ends no sooner/,
      'and an objective that ends it',
    ],
    [
      '[measure: { name: p, until: verify, search: { objective: get.p99 < 1ms, rate: 1/s..9/s } }, verify]',
      /until: stands beside `search`; a search ends by itself, so leave it out/,
      'and a search',
    ],
    [
      '[warm-up: { background: true }, measure]',
      /warm-up\.background: unknown key background; a warm-up enters no result/,
      'a warm-up',
    ],
    [
      '[load: { until: verify }, verify]',
      /load\.until: unknown key until; a load stage ends when it has put every key/,
      'a load',
    ],
    [
      '[verify: { background: true }, measure]',
      /verify\.background: unknown key background; a verify stage ends when it has read every key/,
      'a verify',
    ],
    [
      '[measure: { preset: redis-benchmark, background: true }, verify]',
      /preset: redis-benchmark is a suite of stages, one after the other; it cannot run in the background/,
      'a suite',
    ],
    [
      '[measure: { workloads: [{ name: a, background: true }] }, verify]',
      /workloads\[0\]\.background: unknown key background; it belongs to the whole stage/,
      'one workload of a stage',
    ],
  ];
  for (const [stages, problem, why] of rows)
    test(why, () => {
      const problems = problemsOf(withStages(stages)).replaceAll('"', '');
      assert.match(problems, problem);
      assert.equal(problems.split('\n').length, 1, `one slip, one problem:\n${problems}`);
      assert.match(problems, /^test\.yaml:\d+:\d+: stages\S+: ./);
    });
});
