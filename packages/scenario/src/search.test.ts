import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Search, Stage } from '@pacecar/protocol';
import { describePlan } from './describe.js';
import { estimateMs } from './estimate.js';
import { planOf, problemsOf, withStages } from './sample.test.data.js';

const SEARCH = 'objective: get.p99 < 5ms, rate: 1k/s..1M/s';

const stagesOf = (stages: string, before = ''): readonly Stage[] =>
  planOf(withStages(stages, before)).cells[0]?.stages ?? [];

describe('a search', () => {
  test('resolves every default', () => {
    const [stage] = stagesOf(`- measure: { search: { ${SEARCH} } }`);
    const expected: Search = {
      workload: 'main',
      objectives: [
        { text: 'get.p99 < 5ms', operation: 'get', metric: 'p99', comparison: '<', threshold: 5_000_000 },
      ],
      minimumPerSec: 1_000,
      maximumPerSec: 1_000_000,
      settleMs: 1_000,
      growth: 2,
      precision: 0.02,
      confirmations: { needed: 2, of: 3 },
      mostProbes: 40,
    };
    assert.deepEqual(stage?.search, expected);
    assert.deepEqual(stage?.end, { kind: 'duration', durationMs: 5_000 });
    assert.equal(stage?.limitMs, 10_000);
    assert.deepEqual(stage?.workloads[0]?.model, {
      kind: 'open',
      rate: { kind: 'constant', ratePerSec: 1_000 },
      arrivals: 'constant',
      lateAfterMs: 10,
      dropAfterMs: null,
    });
  });

  test('takes what it is told', () => {
    const [stage] = stagesOf(
      '- measure: { arrivals: poisson, search: { objective: [get.p99 < 5ms, total.errors <= 1%], rate: 10/s..50.5/s, ' +
        'probe: 10s, settle: 2500ms, precision: 10%, confirm: 3 of 5, growth: 1.5, mostProbes: 20 } }',
    );
    assert.ok(stage !== undefined && stage.search !== null);
    const { objectives, ...rest } = stage.search;
    assert.deepEqual(
      objectives.map(({ text }) => text),
      ['get.p99 < 5ms', 'total.errors <= 1%'],
    );
    assert.deepEqual(rest, {
      workload: 'main',
      minimumPerSec: 10,
      maximumPerSec: 50.5,
      settleMs: 2_500,
      growth: 1.5,
      precision: 0.1,
      confirmations: { needed: 3, of: 5 },
      mostProbes: 20,
    });
  });

  test('is of the workload without a rate of its own', () => {
    const [stage] = stagesOf(
      `- measure: { search: { ${SEARCH} }, workloads: [{ name: poller, rate: 1/s }, { name: reader }, { name: batch, rate: none }] }`,
    );
    assert.equal(stage?.search?.workload, 'reader');
    assert.deepEqual(
      stage?.workloads.map(({ model }) => (model.kind === 'open' ? model.rate : null)),
      [{ kind: 'constant', ratePerSec: 1 }, { kind: 'constant', ratePerSec: 1_000 }, null],
    );
  });

  test('wins over a rate that all stages share, and a warm-up before it begins with its lowest rate', () => {
    const [warmUp, measure] = stagesOf(
      `- warm-up\n- measure: { search: { ${SEARCH} } }`,
      'workload: { rate: 7/s }',
    );
    for (const stage of [warmUp, measure])
      assert.deepEqual(
        stage?.workloads.map(({ model }) => (model.kind === 'open' ? model.rate : null)),
        [{ kind: 'constant', ratePerSec: 1_000 }],
      );
    assert.equal(warmUp?.search, null);
  });

  test('takes about as long as a target with a limit in the middle of its range lets it', () => {
    const plan = planOf(
      withStages(`- measure: { search: { ${SEARCH}, probe: 2s, precision: 10%, growth: 4 } }`),
    );
    // 2 + 3 of growth, 4 halvings, the ceiling again, two confirmations: 12 probes of 2.6 s.
    assert.equal(estimateMs(plan), 31_200);
    assert.equal(estimateMs(plan, 'fewest'), 5_200);
    assert.equal(estimateMs(plan, 'most'), 104_000);
    const text = describePlan(plan);
    assert.match(text, /search +the highest rate from 1,000\/s to 1,000,000\/s at which get\.p99 < 5ms/);
    assert.match(text, /duration +about 31s, from 5s to 1m44s as the searches go/);
    assert.match(text, /model +open: each rate of the search, constant arrivals/);
    assert.doesNotMatch(text, /operations expected/);
  });

  test('each point of a sweep has its own', () => {
    const plan = planOf(
      withStages(`- measure: { connections: "\${c} total", search: { ${SEARCH} } }`, 'sweep: { c: [3, 30] }'),
    );
    assert.deepEqual(
      plan.cells.map(({ stages }) => stages[0]?.search?.workload),
      ['main', 'main'],
    );
  });
});

describe('a stage that an objective ends', () => {
  test('is told by one objective, a list, or a mapping', () => {
    const rules = stagesOf(
      '- measure: { name: a, stopWhen: get.p99 > 5ms }\n' +
        '- measure: { name: b, stopWhen: [get.p99 > 5ms, total.throughput < 10/s] }\n' +
        '- warm-up: { name: c, stopWhen: { any: total.errors > 1%, for: 3s, operations: 10, after: 1s } }',
    ).map(({ stopWhen }) => stopWhen);
    assert.deepEqual(
      rules.map((rule) => rule?.any.map(({ text }) => text)),
      [['get.p99 > 5ms'], ['get.p99 > 5ms', 'total.throughput < 10/s'], ['total.errors > 1%']],
    );
    assert.deepEqual(
      rules.map((rule) => ({ ...rule, any: null })),
      [
        { any: null, holdMs: 0, fewestOperations: 100, fromMs: 0 },
        { any: null, holdMs: 0, fewestOperations: 100, fromMs: 0 },
        { any: null, holdMs: 3_000, fewestOperations: 10, fromMs: 1_000 },
      ],
    );
  });

  test('says so', () => {
    const stage = '- measure: { stopWhen: { any: [get.p99 > 5ms, get.misses > 1%], for: 3s, after: 2s } }';
    assert.match(
      describePlan(planOf(withStages(stage))),
      /ends early +when get\.p99 > 5ms or get\.misses > 1% for 3s, judged by 100 operations at least and\s+after 2s/,
    );
  });
});

const PROBLEMS: readonly (readonly [stage: string, problem: RegExp])[] = [
  [
    'search: get.p99 < 5ms',
    /search: expected a mapping of objective, rate, .* found the text "get\.p99 < 5ms"/,
  ],
  ['search: { rate: 1k/s..1M/s }', /search: the key "objective" is missing/],
  ['search: { objective: get.p99 < 5ms }', /search: the key "rate" is missing/],
  ['search: { objective: [], rate: 1k/s..1M/s }', /search\.objective: has no objective/],
  [
    'search: { objective: { p99: 5ms }, rate: 1k/s..1M/s }',
    /search\.objective: expected an objective .* found a mapping/,
  ],
  [
    `search: { objective: [${Array.from({ length: 11 }, () => 'get.p99 < 5ms').join()}], rate: 1k/s..1M/s }`,
    /search\.objective: has 11 objectives; allowed: at most 10/,
  ],
  [
    'search: { objective: get.p99 < 5, rate: 1k/s..1M/s }',
    /search\.objective: in "get\.p99 < 5", "5" has no unit/,
  ],
  [
    'search: { objective: got.p99 < 5ms, rate: 1k/s..1M/s }',
    /does not have the operation "got" in its mix; did you mean get\?/,
  ],
  [
    'search: { objective: put.misses < 1%, rate: 1k/s..1M/s }',
    /search\.objective: .*looks nothing up, so it cannot miss/,
  ],
  ['search: { objective: get.p99 > 5ms, rate: 1k/s..1M/s }', /asks for more, not less/],
  ['search: { objective: get.p99 < 0ms, rate: 1k/s..1M/s }', /can never be true: nothing is below zero/],
  ['search: { objective: total.throughput > 5k/s, rate: 1k/s..1M/s }', /which follows from the rate/],
  [
    'search: { objective: get.p99 < 5ms, rate: 1M/s..1k/s }',
    /"1M\/s\.\.1k\/s" is reversed; .*: 1k\/s\.\.1M\/s/,
  ],
  ['search: { objective: get.p99 < 5ms, rate: 0/s..1k/s }', /search\.rate: "0\/s" is not above zero/],
  ['search: { objective: get.p99 < 5ms, rate: -5/s..1k/s }', /search\.rate: "-5\/s" is negative/],
  ['search: { objective: get.p99 < 5ms, rate: 1k/s }', /is no range of rates; write its two ends/],
  ['search: { objective: get.p99 < 5ms, rate: 1k/s..2k/s..3k/s }', /is no range of rates/],
  ['search: { objective: get.p99 < 5ms, rate: 1k/s..1k/s }', /is one rate twice/],
  ['search: { objective: get.p99 < 5ms, rate: 1..1000 }', /a rate says per what: 1\/s/],
  [
    'search: { objective: get.p99 < 5ms, rate: 1/s..1k/s }',
    /the lowest rate sends 4 operations in the 4s of a probe/,
  ],
  [
    `search: { ${SEARCH}, probe: 1s }`,
    /search\.probe: a probe of 1s, settled after 1s, leaves no whole interval/,
  ],
  [
    `search: { ${SEARCH}, settle: 5s }`,
    /search\.probe: a probe of 5s, settled after 5s, leaves no whole interval/,
  ],
  [`search: { ${SEARCH}, probe: 0s }`, /search\.probe: "0s" is out of range/],
  [`search: { ${SEARCH}, precision: 0% }`, /search\.precision: 0% is out of range; allowed: 0\.1% to 100%/],
  [`search: { ${SEARCH}, precision: 101% }`, /search\.precision: "101%" is more than the whole/],
  [`search: { ${SEARCH}, growth: 1 }`, /search\.growth: "1" is out of range; allowed: 1\.1 to 100/],
  [`search: { ${SEARCH}, confirm: 2 }`, /search\.confirm: "2" is no vote; write 2 of 3/],
  [`search: { ${SEARCH}, confirm: 0 of 3 }`, /search\.confirm: "0 of 3" is out of range/],
  [`search: { ${SEARCH}, confirm: 3 of 2 }`, /search\.confirm: "3 of 2" can never be reached/],
  [`search: { ${SEARCH}, confirm: 2 of 11 }`, /search\.confirm: "2 of 11" is out of range/],
  [`search: { ${SEARCH}, mostProbes: 101 }`, /search\.mostProbes: "101" is out of range; allowed: 3 to 100/],
  [`search: { ${SEARCH}, mostProbes: 4 }`, /search\.mostProbes: 4 leave too few/],
  [`search: { ${SEARCH}, proble: 9s }`, /search\.proble: unknown key "proble"; did you mean probe\?/],
  [`search: { ${SEARCH} }, rate: 5k/s`, /measure\.rate: stands beside `search`/],
  [`search: { ${SEARCH} }, rate: none`, /measure\.rate: stands beside `search`/],
  [`search: { ${SEARCH} }, thinkTime: 5ms`, /measure\.thinkTime: belongs to the closed model/],
  [`search: { ${SEARCH} }, rampUp: 5s`, /measure\.rampUp: belongs to the closed model/],
  [`search: { ${SEARCH} }, for: 5s`, /measure\.for: stands beside `search`; a search ends by itself/],
  [`search: { ${SEARCH} }, operations: 5 total`, /measure\.operations: stands beside `search`/],
  [`search: { ${SEARCH} }, allKeys: true`, /measure\.allKeys: stands beside `search`/],
  [`search: { ${SEARCH} }, limit: 5s`, /measure\.limit: stands beside `search`/],
  [`search: { ${SEARCH} }, stopWhen: get.p99 > 5ms`, /measure\.stopWhen: stands beside `search`/],
  [`search: { ${SEARCH} }, background: true`, /measure\.background: stands beside `search`/],
  [`search: { ${SEARCH} }, preset: redis-benchmark`, /measure\.preset: redis-benchmark is a suite of stages/],
  [`search: { ${SEARCH} }, workloads: [{ name: a }, { name: b }]`, /a, b say no rate of their own/],
  [`search: { ${SEARCH} }, workloads: [{ name: a, rate: 1/s }]`, /every workload says a rate of its own/],
  [
    `workloads: [{ name: a, search: { ${SEARCH} } }]`,
    /search: unknown key "search"; it belongs to the whole stage/,
  ],
  ['stopWhen: { for: 3s }', /stopWhen: the key "any" is missing/],
  ['stopWhen: []', /stopWhen: has no objective/],
  [
    'stopWhen: gut.p99 > 5ms',
    /stopWhen: the stage does not have the operation "gut" in its mix; did you mean get\?/,
  ],
  ['stopWhen: get.errors > 100%', /can never be true: no share is more than the whole/],
  ['stopWhen: get.p99 >= 0ms', /is always true, so that the stage would end at once/],
  ['stopWhen: { any: get.p99 > 5ms, operations: 0 }', /stopWhen\.operations: "0" is out of range/],
  [
    'for: 5s, stopWhen: { any: get.p99 > 5ms, for: 6s }',
    /could never end the stage: .* it has to be true for 6s/,
  ],
  [
    'for: 5s, stopWhen: { any: get.p99 > 5ms, after: 5s }',
    /could never end the stage: of its 5s there are 0s/,
  ],
  [
    'for: 900ms, stopWhen: get.p99 > 5ms',
    /could never end the stage: of its 900ms there are 0s in whole intervals of 1s/,
  ],
];
describe('is refused before anything is sent:', () => {
  for (const [stage, problem] of PROBLEMS)
    test(stage, () => assert.match(problemsOf(withStages(`- measure: { ${stage} }`)), problem));
  for (const kind of ['load', 'verify', 'warm-up'])
    test(`a search in ${kind}`, () =>
      assert.match(
        problemsOf(withStages(`- ${kind}: { search: { ${SEARCH} } }`)),
        /unknown key "search"; a search is of a measure stage/,
      ));
});
