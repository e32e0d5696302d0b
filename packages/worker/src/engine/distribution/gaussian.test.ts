import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RandomStream, seedOf } from '../random.js';
import { assertFits, tally } from './chi-square.test.kit.js';
import { GaussianKeys } from './gaussian.js';

const DRAWS = 1_000_000;

/** Of the normal distribution cut to the range: each key has the area over its bar. By Simpson's rule, 64 steps a bar. */
function probabilities(size: number, median: number, deviation: number): Float64Array {
  const density = (x: number) => Math.exp(-0.5 * ((x - median) / deviation) ** 2);
  const steps = 64;
  const areas = Float64Array.from({ length: size }, (_, index) => {
    let sum = 0;
    for (let step = 0; step <= steps; step++) {
      const weight = step === 0 || step === steps ? 1 : step % 2 === 1 ? 4 : 2;
      sum += weight * density(index - 0.5 + step / steps);
    }
    return sum;
  });
  const whole = areas.reduce((total, area) => total + area, 0);
  return areas.map((area) => area / whole);
}

for (const { name, size, median, deviation } of [
  { name: 'well inside', size: 1_000, median: 500, deviation: 100 },
  {
    name: 'median at the first key: half of the draws fall outside and are drawn again',
    size: 500,
    median: 0,
    deviation: 60,
  },
  { name: 'median at the last key, not whole', size: 300, median: 298.5, deviation: 110 },
  { name: 'just narrow enough for the first method', size: 251, median: 0, deviation: 100 },
  { name: 'just wide enough for the second', size: 250, median: 0, deviation: 100 },
  { name: 'deviation below one key', size: 9, median: 4.25, deviation: 0.4 },
  { name: 'two keys, wide', size: 2, median: 0.2, deviation: 1.1 },
  { name: 'deviation far above the range', size: 40, median: 3, deviation: 1e9 },
])
  test(`gaussian, ${name}: every key has its share and no key is outside`, () => {
    const keys = new GaussianKeys(size, median, deviation);
    const random = new RandomStream(seedOf(size));
    assertFits(
      tally(size, DRAWS, () => keys.draw(random)),
      probabilities(size, median, deviation),
    );
  });

test('the last key does not collect what fell beyond it', () => {
  const keys = new GaussianKeys(100, 99, 20);
  const random = new RandomStream(seedOf(8));
  const counts = tally(100, DRAWS, () => keys.draw(random));
  const ratio = (counts[99] as number) / (counts[98] as number);
  assert.ok(ratio > 0.95 && ratio < 1.06, `the last has ${ratio} times the draws of the one before`);
});

test('2^53-1 keys: mean and spread are as asked', () => {
  const size = Number.MAX_SAFE_INTEGER;
  const [median, deviation] = [size / 2, size / 100];
  const keys = new GaussianKeys(size, median, deviation);
  const random = new RandomStream(seedOf(4));
  let sum = 0;
  let squares = 0;
  for (let draw = 0; draw < 100_000; draw++) {
    const index = keys.draw(random);
    assert.ok(Number.isSafeInteger(index) && index >= 0 && index < size);
    const z = (index - median) / deviation;
    sum += z;
    squares += z * z;
  }
  assert.ok(Math.abs(sum / 100_000) < 0.013, `mean ${sum / 100_000}`);
  assert.ok(Math.abs(squares / 100_000 - 1) < 0.02, `variance ${squares / 100_000}`);
});

test('a median outside the range and a deviation of nothing are refused', () => {
  assert.throws(() => new GaussianKeys(10, 10, 1), {
    code: 'REQUEST_INVALID',
    message: 'the median of a gaussian distribution is 10; allowed is 0..9, counted in keys',
  });
  assert.throws(() => new GaussianKeys(10, Number.NaN, 1), { message: /median .* is NaN/ });
  assert.throws(() => new GaussianKeys(10, 1, 0), { message: /deviation .* is 0; allowed is above 0/ });
});
