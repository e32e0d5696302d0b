import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Search, Stage } from './plan.js';
import { COORDINATOR_EXAMPLES } from './reference/examples.js';
import { probeStage, stageNumber, stageOfNumber, stagePlace } from './stage-place.js';

const { spec } = COORDINATOR_EXAMPLES.arm;
const plain: Stage = { ...spec, search: null };
const search = (mostProbes: number): Search => ({
  workload: 'main',
  objectives: [{ text: 'get.p99 < 5ms', operation: 'get', metric: 'p99', comparison: '<', threshold: 5e6 }],
  minimumPerSec: 1_000,
  maximumPerSec: 1_000_000,
  settleMs: 1_000,
  growth: 2,
  precision: 0.02,
  confirmations: { needed: 2, of: 3 },
  mostProbes,
});

describe('numbers of stages', () => {
  test('without a search they are the positions in the plan', () => {
    const cell = { stages: [plain, plain, plain] };
    assert.deepEqual(
      [0, 1, 2].map((number) => stagePlace(cell, number)),
      [0, 1, 2].map((stage) => ({ stage, probe: null })),
    );
    assert.equal(stagePlace(cell, 3), null);
  });

  test('a search takes one for each probe that it may have, and what follows comes after them', () => {
    const cell = { stages: [plain, { ...plain, name: 'peak', search: search(10) }, plain] };
    assert.deepEqual(stagePlace(cell, 1), { stage: 1, probe: 0 });
    assert.deepEqual(stagePlace(cell, 10), { stage: 1, probe: 9 });
    assert.deepEqual(stagePlace(cell, 11), { stage: 2, probe: null });
    assert.equal(stageOfNumber(cell, 7)?.name, 'peak');
  });

  test('number and place are one to one, and the numbers rise in the order of the run', () => {
    const stages = fc.array(fc.option(fc.integer({ min: 5, max: 40 })), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(stages, (sizes) => {
        const cell = {
          stages: sizes.map((size) => (size === null ? plain : { ...plain, search: search(size) })),
        };
        let expected = 0;
        for (const [stage, size] of sizes.entries())
          for (let probe = 0; probe < (size ?? 1); probe++) {
            const place = { stage, probe: size === null ? null : probe };
            assert.equal(stageNumber(cell, place), expected);
            assert.deepEqual(stagePlace(cell, expected), place);
            expected++;
          }
        assert.equal(stagePlace(cell, expected), null);
      }),
    );
  });
});

test('a probe is the stage of its search at one rate', () => {
  const [workload] = plain.workloads as [(typeof plain.workloads)[number]];
  const open = {
    kind: 'open',
    rate: { kind: 'constant', ratePerSec: 1_000 },
    arrivals: 'constant',
    lateAfterMs: 10,
    dropAfterMs: null,
  } as const;
  const poller = { ...workload, name: 'poller', model: open };
  const stage = { ...plain, search: search(10), workloads: [{ ...workload, model: open }, poller] };
  const probe = probeStage(stage, 2_500);
  assert.equal(probe.search, null);
  assert.deepEqual(
    probe.workloads.map(({ model }) => (model.kind === 'open' ? model.rate : null)),
    [
      { kind: 'constant', ratePerSec: 2_500 },
      { kind: 'constant', ratePerSec: 1_000 },
    ],
  );
  assert.deepEqual({ ...probe, search: stage.search, workloads: stage.workloads }, stage);
});
