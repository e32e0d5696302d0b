import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureText } from './failure.js';
import { simulate } from './simulation.js';

const SEEDS = 300;

test(`${SEEDS} seeds: no frame lost or counted twice, every run ends in time, the verdict is true`, () => {
  const outcomes = new Set<string>();
  for (let seed = 1; seed <= SEEDS; seed++) {
    const result = simulate(seed);
    if (result.violations.length > 0) assert.fail(failureText(result));
    outcomes.add(result.outcome);
  }
  // The seeds must reach every kind of end, or they would show little.
  for (const outcome of ['complete', 'killed', 'interrupted INTERRUPTED', 'failed WORKER_LOST'])
    assert.ok(outcomes.has(outcome), `no seed ended as: ${outcome}`);
});

test('a seed is the same world every time', () => {
  for (const seed of [1, 2, 3])
    assert.deepEqual(simulate(seed, { traced: true }), simulate(seed, { traced: true }));
});

test('wall clocks that are four minutes off change nothing', () => {
  for (let seed = 1; seed <= 10; seed++) {
    const right = simulate(seed, { traced: true, wallErrorMs: 0 });
    for (const wallErrorMs of [-240_000, 240_000])
      assert.deepEqual(simulate(seed, { traced: true, wallErrorMs }), right);
  }
});
