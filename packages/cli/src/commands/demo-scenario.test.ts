import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DRIVERS } from '@pacecar/worker';
import { readScenario } from '@pacecar/scenario';
import { demoScenario } from './demo-scenario.js';

function planOf(target: string | null, set: Record<string, string> = {}) {
  const { yaml, env } = demoScenario({ workers: 3, seed: 7, target });
  const result = readScenario({ text: yaml, file: 'the demo', set, env, drivers: DRIVERS });
  assert.ok(result.ok, result.ok ? '' : JSON.stringify(result.problems));
  return { yaml, plan: result.plan, warnings: result.warnings };
}

test('the demo loads, warms up, measures 10 s of get and put at 80:20, and verifies, on 3 workers', () => {
  const { plan, warnings } = planOf(null);
  assert.deepEqual(warnings, []);
  assert.deepEqual(plan.groups, [{ name: 'clients', size: 3 }]);
  assert.equal(plan.seed, 7);
  assert.equal(plan.configurations[0]?.target.kind, 'builtin');
  const stages = plan.cells[0]?.stages ?? [];
  assert.deepEqual(
    stages.map((stage) => stage.kind),
    ['load', 'warm-up', 'measure', 'verify'],
  );
  assert.deepEqual(stages[2]?.end, { kind: 'duration', durationMs: 10_000 });
  const mix = stages[2]?.workloads[0]?.mix ?? [];
  const weights = new Map(mix.map(({ operation, weight }) => [operation, weight]));
  assert.equal((weights.get('get') ?? 0) / (weights.get('put') ?? 1), 4);
  assert.equal(stages[3]?.workloads[0]?.checkValues, true);
});

test('--for sets the length of the measure stage', () => {
  assert.deepEqual(planOf(null, { for: '1m30s' }).plan.cells[0]?.stages[2]?.end, {
    kind: 'duration',
    durationMs: 90_000,
  });
});

test('an address with a password reaches the plan whole, and the scenario without it', () => {
  const { yaml, plan, warnings } = planOf('redis://me:p%40ss@w:ord@127.0.0.1:6380/2');
  assert.deepEqual(plan.configurations[0]?.target, {
    kind: 'address',
    host: '127.0.0.1',
    port: 6380,
    username: 'me',
    password: 'p@ss@w:ord',
    database: 2,
  });
  assert.doesNotMatch(yaml, /ord|p%40/);
  assert.deepEqual(warnings, []);
  assert.equal(planOf('redis://:secret@h').plan.configurations[0]?.target.password, 'secret');
  assert.equal(planOf('redis://h:1').plan.configurations[0]?.target.password, null);
});

test('the demo runs on a memcached, too', () => {
  const { plan, warnings } = planOf('memcached://h');
  const [configuration] = plan.configurations;
  assert.deepEqual([configuration?.name, configuration?.driver], ['memcached', 'memcached']);
  assert.deepEqual([configuration?.target.host, configuration?.target.port], ['h', 11_211]);
  assert.deepEqual(warnings, []);
});
