import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutSecrets } from '@pacecar/protocol';
import { planOf, problemsOf, read } from './sample.test.data.js';

function scenario(
  stages: string,
  more: { services?: string; configurations?: string; top?: string } = {},
): string {
  return [
    'pacecar: 1',
    'groups: { servers: 2, clients: 1 }',
    `services: ${more.services ?? '{ cache: { recipe: redis-server } }'}`,
    `configurations: ${more.configurations ?? '{ it: { target: { service: cache } } }'}`,
    'workload: { group: clients }',
    `stages: ${stages}`,
    more.top ?? '',
  ].join('\n');
}

/** `service-start@servers start cache` */
function stagesOf(text: string, cell = 0): string[] {
  return (planOf(text).cells[cell]?.stages ?? []).map(({ name, group, action }) =>
    action === undefined ? `${name}@${group}` : `${name}@${group} ${action.do} ${action.service}`,
  );
}

test('a cell starts the service of its target before its first stage and stops it after its last', () => {
  const plan = planOf(scenario('[load, measure]'));
  assert.deepEqual(stagesOf(scenario('[load, measure]')), [
    'service-start@servers start cache',
    'load@clients',
    'measure@clients',
    'service-stop@servers stop cache',
  ]);
  assert.equal(plan.services?.[0]?.group, 'servers');
  assert.deepEqual(plan.configurations[0]?.target.service, 'cache');
  assert.equal(plan.configurations[0].target.kind, 'service');
});

test('what is written is not added: a start of its own, a stop of its own', () => {
  assert.deepEqual(stagesOf(scenario('[service-start, load, service-stop: { how: kill }]')), [
    'service-start@servers start cache',
    'load@clients',
    'service-stop@servers stop cache',
  ]);
  assert.deepEqual(stagesOf(scenario('[service-start: { name: begin }, load]')), [
    'begin@servers start cache',
    'load@clients',
    'service-stop@servers stop cache',
  ]);
});

test('each configuration has its own service, and stages without a name mean it', () => {
  const text = scenario('[load, clear, measure]', {
    services: '{ a: { recipe: redis-server }, b: { recipe: redis-server } }',
    configurations: '{ one: { target: { service: a } }, two: { target: { service: b } } }',
  });
  assert.equal(stagesOf(text, 0)[2], 'clear@servers clear a');
  assert.equal(stagesOf(text, 1)[2], 'clear@servers clear b');
});

test('a service that is kept is started once and stopped once', () => {
  const text = scenario('[load]', {
    services: '{ cache: { recipe: redis-server, keep: true } }',
    top: 'repeat: 3',
  });
  assert.deepEqual(
    [0, 1, 2].map((cell) => stagesOf(text, cell).length),
    [2, 1, 2],
  );
});

test('faults, waits and their names; sizes and durations arrive in bytes and ms', () => {
  const text = scenario(
    '[measure: { until: rest }, wait: 2s, fault: { do: kill, role: master, index: 1 }, fault: { do: restart }, service-wait, wait: { for: 1s, name: rest }]',
    {
      services:
        '{ cache: { recipe: redis-server, parameters: { maxMemory: 2MB, downAfter: 3s }, readyWithin: 2m } }',
    },
  );
  const { cells, services } = planOf(text);
  const stages = cells[0]?.stages ?? [];
  assert.deepEqual(
    stages.map(({ name }) => name),
    ['service-start', 'measure', 'wait', 'fault-1', 'fault-2', 'service-wait', 'rest', 'service-stop'],
  );
  assert.deepEqual(stages[3]?.action, {
    do: 'fault',
    service: 'cache',
    fault: 'kill',
    role: 'master',
    index: 1,
  });
  assert.deepEqual(stages[4]?.action, {
    do: 'fault',
    service: 'cache',
    fault: 'restart',
    role: null,
    index: null,
  });
  assert.deepEqual(stages[2]?.end, { kind: 'duration', durationMs: 2_000 });
  assert.equal(services?.[0]?.parameters['maxMemory'], 2_000_000);
  assert.equal(services[0].parameters['downAfter'], 3_000);
  assert.equal(services[0].readyWithinMs, 120_000);
  assert.equal(stages[0]?.limitMs, 180_000);
});

for (const [what, text, message] of [
  [
    'a recipe that there is not',
    scenario('[load]', { services: '{ cache: { recipe: redis-sever } }' }),
    /services\.cache\.recipe: there is no recipe "redis-sever"; did you mean redis-server\?; recipes: redis-server, redis-cluster, hazelcast/,
  ],
  [
    'a parameter that the recipe has not',
    scenario('[load]', { services: '{ cache: { recipe: hazelcast, parameters: { membres: 3 } } }' }),
    /services\.cache\.parameters\.membres: the recipe hazelcast has no parameter "membres"; did you mean members\?; parameters: members/,
  ],
  [
    'a size without sense',
    scenario('[load]', { services: '{ cache: { recipe: redis-server, parameters: { maxMemory: much } } }' }),
    /services\.cache\.parameters\.maxMemory: .*much.*\(parameter of the recipe redis-server\)/,
  ],
  [
    'a service that there is not, as target',
    scenario('[load]', { configurations: '{ it: { target: { service: cahce } } }' }),
    /configurations\.it\.target\.service: there is no service "cahce"; did you mean cache\?; services: cache/,
  ],
  [
    'a service that there is not, in a stage',
    scenario('[load, clear: cahce]'),
    /stages\[1\]\.clear: there is no service "cahce"; did you mean cache\?/,
  ],
  [
    'a service that no driver speaks to',
    scenario('[load]', { services: '{ cache: { recipe: hazelcast } }' }),
    /configurations\.it\.target: the service "cache" speaks the protocol of gopher, and there is no driver for it/,
  ],
  [
    'a driver of another protocol',
    scenario('[load]', { configurations: '{ it: { target: { service: cache }, driver: memcached } }' }),
    /speaks the protocol of redis, and the driver here speaks that of memcached/,
  ],
  [
    'load before the start',
    scenario('[load, service-start, measure]'),
    /stages\[0\]\.?[a-z]*: sends load to the service "cache", which does not run then; start it before/,
  ],
  [
    'a second start',
    scenario('[service-start, service-start: { name: again }, load]'),
    /stages\[1\]\.service-start: starts the service "cache", which runs already/,
  ],
  [
    'a stage of a service where the configuration has none',
    scenario('[load, clear]', { configurations: '{ it: { target: builtin } }' }),
    /stages\[1\]: does not say which service it means, and the configuration "it" has none; add the name/,
  ],
  [
    'a login that the recipe has not',
    scenario('[load]', { services: '{ cache: { recipe: hazelcast, password: "${env.X:secret}" } }' }),
    /services\.cache\.password: the recipe hazelcast has no login: leave password out/,
  ],
  [
    'a fault that does nothing',
    scenario('[load, fault]'),
    /fault says more than its name: `- fault: \{ do: kill/,
  ],
  ['a wait without its time', scenario('[load, wait]'), /wait says more than its name: `- wait: 10s`/],
  [
    'a group that there is not',
    scenario('[load]', { services: '{ cache: { recipe: redis-server, group: server } }' }),
    /services\.cache\.group: there is no group "server"; did you mean servers\?; groups: servers, clients/,
  ],
] as const)
  test(`refused: ${what}`, () => {
    assert.match(problemsOf(text), message);
  });

test('a password of a service is hidden in what a bundle keeps', () => {
  const text = scenario('[load]', { services: '{ cache: { recipe: redis-server, password: hush-hush } }' });
  const plan = planOf(text);
  assert.equal(plan.services?.[0]?.password, 'hush-hush');
  assert.doesNotMatch(JSON.stringify(withoutSecrets(plan)), /hush/);
  const result = read(text);
  assert.ok(result.ok);
  assert.doesNotMatch(result.publicText, /hush/);
  assert.match(result.warnings.join('\n'), /services\.cache\.password: a password stands in the file/);
});
