import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RandomStream, seedOf } from '../random.js';
import { assertFits, fits, tally } from './chi-square.test.kit.js';
import { ZipfianKeys } from './zipfian.js';

const DRAWS = 1_000_000;

function probabilities(size: number, exponent: number): Float64Array {
  const heights = Float64Array.from({ length: size }, (_, index) => (index + 1) ** -exponent);
  const sum = heights.reduce((total, height) => total + height, 0);
  return heights.map((height) => height / sum);
}

function drawn(size: number, exponent: number, seed: number): Float64Array {
  const keys = new ZipfianKeys(size, exponent);
  const random = new RandomStream(seedOf(seed));
  return tally(size, DRAWS, () => keys.draw(random));
}

for (const { size, exponent, hottest } of [
  { size: 1_000, exponent: 1, hottest: 0.1336 },
  { size: 1_000, exponent: 0.99, hottest: 0.1294 },
  { size: 10_000, exponent: 0.99, hottest: 0.0978 },
])
  test(`zipfian over ${size} keys, exponent ${exponent}: the hottest key has ${(hottest * 100).toFixed(2)} %`, () => {
    const counts = drawn(size, exponent, 3);
    assert.ok(Math.abs((counts[0] as number) / DRAWS - hottest) < 0.001, `${(counts[0] as number) / DRAWS}`);
    assert.equal(((probabilities(size, exponent)[0] as number) * 100).toFixed(2), (hottest * 100).toFixed(2));
    assertFits(counts, probabilities(size, exponent));
  });

for (const { size, exponent } of [
  { size: 1, exponent: 1 },
  { size: 2, exponent: 0.5 },
  { size: 3, exponent: 7 },
  { size: 100, exponent: 0.01 },
  { size: 100, exponent: 1e-9 },
  { size: 100, exponent: 1 + 2 ** -52 },
  { size: 100, exponent: 1 - 2 ** -53 },
  { size: 100, exponent: 1.5 },
  { size: 500, exponent: 3 },
  { size: 50_000, exponent: 0.8 },
  { size: 1_000_000, exponent: 1.2 },
])
  test(`zipfian over ${size} keys, exponent ${exponent}: every key has its share`, () => {
    const counts = drawn(size, exponent, 11);
    if (size === 1) assert.equal(counts[0], DRAWS);
    else assertFits(counts, probabilities(size, exponent));
  });

test('a wrong exponent does not pass for the right one', () => {
  assert.ok(!fits(drawn(1_000, 0.99, 5), probabilities(1_000, 1)));
});

test('2^53-1 keys: the hot ones have their shares and the others theirs, by powers of two', () => {
  const size = Number.MAX_SAFE_INTEGER;
  const keys = new ZipfianKeys(size, 1);
  const random = new RandomStream(seedOf(17));
  const octaves = 53;
  const counts = tally(octaves, DRAWS, () => Math.floor(Math.log2(keys.draw(random) + 1)));
  const harmonic = (n: number) =>
    n < 64
      ? Array.from({ length: n }, (_, index) => 1 / (index + 1)).reduce((a, b) => a + b, 0)
      : Math.log(n) + 0.5772156649015329 + 1 / (2 * n) - 1 / (12 * n * n);
  const whole = harmonic(size);
  assertFits(
    counts,
    Array.from(
      { length: octaves },
      (_, octave) => (harmonic(2 ** (octave + 1) - 1) - harmonic(2 ** octave - 1)) / whole,
    ),
  );
});

test('an enormous exponent always asks for the first key', () => {
  const keys = new ZipfianKeys(1_000, 1e6);
  const random = new RandomStream(seedOf(1));
  assert.equal(tally(1_000, 10_000, () => keys.draw(random))[0], 10_000);
});

test('the range may change from draw to draw', () => {
  const keys = new ZipfianKeys(10, 1);
  const random = new RandomStream(seedOf(23));
  const small = new Float64Array(5);
  const large = new Float64Array(50);
  for (let draw = 0; draw < DRAWS / 2; draw++) {
    (small[keys.drawBelow(random, 5)] as number) += 1;
    (large[keys.drawBelow(random, 50)] as number) += 1;
  }
  assertFits(small, probabilities(5, 1));
  assertFits(large, probabilities(50, 1));
});

test('the same seed gives the same keys', () => {
  const [a, b] = [new RandomStream(seedOf(9)), new RandomStream(seedOf(9))];
  const keys = new ZipfianKeys(1_000_000, 0.99);
  for (let draw = 0; draw < 1_000; draw++) assert.equal(keys.draw(a), keys.draw(b));
});

test('what is no exponent and no count is refused with the value and what is allowed', () => {
  for (const exponent of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => new ZipfianKeys(10, exponent), {
      code: 'REQUEST_INVALID',
      message: `the exponent of a zipfian distribution is ${exponent}; allowed is above 0, up to 1e6`,
    });
  for (const size of [0, -1, 1.5, 2 ** 53])
    assert.throws(() => new ZipfianKeys(size, 1), {
      message: /^the number of keys is .*; allowed is a whole/,
    });
});
