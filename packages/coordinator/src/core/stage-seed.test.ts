import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stageSeed } from './stage-seed.js';

test('a seed is a whole number that a message can carry, and the same every time', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.nat(1_000), fc.nat(200), (seed, repetition, stage) => {
      const one = stageSeed(seed, repetition, stage);
      assert.ok(Number.isSafeInteger(one) && one >= 0);
      assert.equal(stageSeed(seed, repetition, stage), one);
    }),
  );
});

test('no two of 100 seeds x 10 repetitions x 10 stages share a stream', () => {
  const seen = new Set<number>();
  for (let seed = 0; seed < 100; seed++)
    for (let repetition = 0; repetition < 10; repetition++)
      for (let stage = 0; stage < 10; stage++) seen.add(stageSeed(seed, repetition, stage));
  assert.equal(seen.size, 10_000);
});
