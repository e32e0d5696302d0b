import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { KeysSchema, type Plan, PlanSchema, SECRET_SHOWN, withoutSecrets, workerCount } from './plan.js';
import { COORDINATOR_EXAMPLES } from './reference/examples.js';

const { configuration, spec } = COORDINATOR_EXAMPLES.arm;
const { target } = configuration;

const plan: Plan = {
  pacecar: 1,
  name: 'example',
  seed: 1,
  groups: [
    { name: 'clients', size: 3 },
    { name: 'readers', size: 2 },
  ],
  configurations: [
    { ...configuration, name: 'open' },
    {
      ...configuration,
      name: 'closed',
      target: { ...target, username: 'bench', password: 'hunter2 hunter2' },
    },
  ],
  cells: [{ index: 0, configuration: 'open', repetition: 0, coordinates: { size: '1KiB' }, stages: [spec] }],
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
};

describe('plan', () => {
  test('comes back through JSON as it was', () => {
    assert.deepEqual(PlanSchema.parse(JSON.parse(JSON.stringify(plan))), plan);
  });

  test('has as many workers as its groups together', () => {
    assert.equal(workerCount(plan), 5);
  });

  test('without secrets it holds no password, says where one was, and is otherwise the same', () => {
    const shown = withoutSecrets(plan);
    assert.ok(!JSON.stringify(shown).includes('hunter2'));
    assert.deepEqual(
      shown.configurations.map((one) => one.target.password),
      [null, SECRET_SHOWN],
    );
    const [open, closed] = plan.configurations as [typeof configuration, typeof configuration];
    const expected = { ...closed, target: { ...closed.target, password: SECRET_SHOWN } };
    assert.deepEqual(shown, { ...plan, configurations: [open, expected] });
    assert.equal(closed.target.password, 'hunter2 hunter2');
  });

  const refused: readonly [string, unknown][] = [
    ['no group', { ...plan, groups: [] }],
    ['no cell', { ...plan, cells: [] }],
    ['another version', { ...plan, pacecar: 2 }],
    ['an error budget above 1', { ...plan, errorBudget: 1.5 }],
    ['an interval below 100 ms', { ...plan, intervalMs: 99 }],
    ['a seed past 2^53-1', { ...plan, seed: 2 ** 53 }],
    ['a group without workers', { ...plan, groups: [{ name: 'clients', size: 0 }] }],
    [
      'more workers in a group than the design serves',
      { ...plan, groups: [{ name: 'clients', size: 5_001 }] },
    ],
  ];
  for (const [what, value] of refused)
    test(`with ${what} it is refused`, () => {
      assert.ok(!PlanSchema.safeParse(value).success);
    });

  test('a key range runs upwards', () => {
    const keys = { ...spec.workloads[0]?.keys, minimum: 5, maximum: 5 };
    assert.ok(KeysSchema.safeParse(keys).success);
    assert.ok(!KeysSchema.safeParse({ ...keys, maximum: 4 }).success);
  });
});
