import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFits, tally } from '../distribution/chi-square.test.kit.js';
import { RandomStream, seedOf } from '../random.js';
import {
  FixedSize,
  GaussianSizes,
  type SizeDistribution,
  UniformSizes,
  WeightedSizes,
} from './size-distribution.js';

const DRAWS = 1_000_000;

/** How often each size from 0 to the maximum comes up. */
function drawn(sizes: SizeDistribution, seed: number): Float64Array {
  const random = new RandomStream(seedOf(seed));
  return tally(sizes.maximumBytes + 1, DRAWS, () => sizes.draw(random));
}
const mean = (counts: Float64Array) => counts.reduce((sum, count, bytes) => sum + count * bytes, 0) / DRAWS;

test('10..200: both ends occur, every size equally often, mean 105', () => {
  const counts = drawn(new UniformSizes(10, 200), 1);
  assert.ok((counts[10] as number) > 0 && (counts[200] as number) > 0);
  assert.ok(counts.subarray(0, 10).every((count) => count === 0));
  assert.ok(Math.abs(mean(counts) - 105) < 0.25, `mean ${mean(counts)}`);
  assertFits(
    counts.subarray(10),
    Array.from({ length: 191 }, () => 1 / 191),
  );
});

test('fixed, also as a range from a size to itself and as a list of one', () => {
  for (const sizes of [
    new FixedSize(7),
    new UniformSizes(7, 7),
    new WeightedSizes([{ bytes: 7, weight: 0.001 }]),
    new GaussianSizes(7, 7, 7, 100),
  ]) {
    assert.deepEqual([sizes.minimumBytes, sizes.maximumBytes], [7, 7]);
    assert.equal(tally(8, 100, () => sizes.draw(new RandomStream(seedOf(1))))[7], 100);
  }
});

test('a weighted list: each size by its part of the weights, in any order, a size twice', () => {
  const sizes = new WeightedSizes([
    { bytes: 1_000, weight: 1 },
    { bytes: 10, weight: 6.5 },
    { bytes: 0, weight: 1 },
    { bytes: 10, weight: 1.5 },
  ]);
  assert.deepEqual([sizes.minimumBytes, sizes.maximumBytes], [0, 1_000]);
  const counts = drawn(sizes, 2);
  assertFits([counts[0] as number, counts[10] as number, counts[1_000] as number], [0.1, 0.8, 0.1]);
  assert.equal((counts[0] as number) + (counts[10] as number) + (counts[1_000] as number), DRAWS);
});

test('gaussian: mean and deviation as asked, nothing outside, no heap at the ends', () => {
  const counts = drawn(new GaussianSizes(100, 1_900, 1_000, 200), 3);
  assert.ok(counts.subarray(0, 100).every((count) => count === 0));
  assert.ok(Math.abs(mean(counts) - 1_000) < 1, `mean ${mean(counts)}`);
  const variance = counts.reduce((sum, count, bytes) => sum + count * (bytes - 1_000) ** 2, 0) / DRAWS;
  assert.ok(Math.abs(Math.sqrt(variance) - 200) < 1, `deviation ${Math.sqrt(variance)}`);
  const cut = drawn(new GaussianSizes(50, 100, 100, 30), 4);
  const ratio = (cut[100] as number) / (cut[99] as number);
  assert.ok(ratio > 0.95 && ratio < 1.06, `the largest has ${ratio} times the draws of the one before`);
});

test('impossible sizes are refused with the value and what is allowed', () => {
  for (const [make, message] of [
    [() => new FixedSize(-1), 'a size in bytes is -1; allowed is a whole number from 0 to 536870912'],
    [() => new FixedSize(1.5), 'a size in bytes is 1.5; allowed is a whole number from 0 to 536870912'],
    [
      () => new UniformSizes(200, 10),
      'the largest size in bytes is 10; allowed is at least the smallest, 200',
    ],
    [() => new WeightedSizes([]), 'the length of a list of sizes is 0; allowed is at least 1'],
    [
      () => new WeightedSizes([{ bytes: 5, weight: 0 }]),
      'the weight of size 5 is 0; allowed is above 0, up to 1e9',
    ],
    [() => new GaussianSizes(10, 20, 9, 1), 'the median size in bytes is 9; allowed is 10..20'],
  ] as const)
    assert.throws(make, { code: 'REQUEST_INVALID', message });
});
