import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RandomStream, seedOf } from '../random.js';
import { assertFits, tally } from './chi-square.test.kit.js';
import { ExponentialKeys } from './exponential.js';
import { HotspotKeys } from './hotspot.js';
import { LatestKeys } from './latest.js';
import { UniformKeys } from './uniform.js';
import { ZipfianKeys } from './zipfian.js';

const DRAWS = 1_000_000;
const share = (counts: Float64Array, from: number, to: number) =>
  counts.subarray(from, to).reduce((sum, count) => sum + count, 0) / DRAWS;
const near = (found: number, expected: number, by: number) =>
  assert.ok(Math.abs(found - expected) < by, `${found} is not within ${by} of ${expected}`);

test('uniform: each key equally likely', () => {
  const keys = new UniformKeys(777);
  const random = new RandomStream(seedOf(1));
  assertFits(
    tally(777, DRAWS, () => keys.draw(random)),
    Array.from({ length: 777 }, () => 1 / 777),
  );
});

test('uniform over 2^53-1 keys reaches odd keys of the upper half', () => {
  const keys = new UniformKeys(Number.MAX_SAFE_INTEGER);
  const random = new RandomStream(seedOf(2));
  let odd = 0;
  for (let draw = 0; draw < 1_000; draw++) odd += keys.draw(random) % 2;
  assert.ok(odd > 400 && odd < 600, `${odd} of 1000 are odd`);
});

for (const { size, keysFraction, operationsFraction, hotKeys } of [
  { size: 1_000, keysFraction: 0.2, operationsFraction: 0.8, hotKeys: 200 },
  { size: 10, keysFraction: 0.01, operationsFraction: 0.5, hotKeys: 1 },
  { size: 7, keysFraction: 0.5, operationsFraction: 0, hotKeys: 4 },
  { size: 50, keysFraction: 0.1, operationsFraction: 1, hotKeys: 5 },
  { size: 50, keysFraction: 1, operationsFraction: 0.3, hotKeys: 50 },
  { size: 1, keysFraction: 0.5, operationsFraction: 0.5, hotKeys: 1 },
])
  test(`hotspot: ${operationsFraction} of the operations on ${keysFraction} of ${size} keys, ${hotKeys} hot`, () => {
    const keys = new HotspotKeys(size, keysFraction, operationsFraction);
    assert.equal(keys.hotKeys, hotKeys);
    const random = new RandomStream(seedOf(size));
    const counts = tally(size, DRAWS, () => keys.draw(random));
    const hot = hotKeys === size ? 1 : operationsFraction;
    near(share(counts, 0, hotKeys), hot, 0.002);
    const probabilities = Array.from({ length: size }, (_, index) =>
      index < hotKeys ? hot / hotKeys : (1 - hot) / (size - hotKeys),
    );
    const possible = (index: number) => (probabilities[index] as number) > 0;
    assert.ok(counts.every((count, index) => count === 0 || possible(index)));
    if (size > 1)
      assertFits(
        counts.filter((_, index) => possible(index)),
        probabilities.filter((_, index) => possible(index)),
      );
  });

/** floor of an exponential, cut to n keys. */
function exponentialShares(n: number, ratePerKey: number): Float64Array {
  const inside = -Math.expm1(-ratePerKey * n);
  return Float64Array.from(
    { length: n },
    (_, index) => (Math.exp(-ratePerKey * index) * -Math.expm1(-ratePerKey)) / inside,
  );
}

test("exponential: YCSB's 95 % on 6/7 of the keys, before what falls beyond the end is drawn again", () => {
  const [size, fraction] = [700, 6 / 7];
  const keys = new ExponentialKeys(size, 0.95, fraction);
  const random = new RandomStream(seedOf(3));
  const counts = tally(size, DRAWS, () => keys.draw(random));
  const beyond = 0.05 ** (1 / fraction);
  near(share(counts, 0, 600), 0.95 / (1 - beyond), 0.001);
  assertFits(counts, exponentialShares(size, -Math.log(0.05) / 600));
});

test('exponential with the whole mass far inside: the percentile is met as it stands', () => {
  const keys = new ExponentialKeys(10_000, 0.99, 0.1);
  const random = new RandomStream(seedOf(4));
  const counts = tally(10_000, DRAWS, () => keys.draw(random));
  near(share(counts, 0, 1_000), 0.99, 0.0005);
  near(share(counts, 0, 500), 0.9, 0.001);
});

test('exponential so flat that it is uniform', () => {
  const keys = new ExponentialKeys(20, 1e-9, 1e6);
  const random = new RandomStream(seedOf(5));
  assertFits(
    tally(20, DRAWS, () => keys.draw(random)),
    Array.from({ length: 20 }, () => 1 / 20),
  );
});

test('latest: zipfian distances from the newest key, which may be another at each draw', () => {
  const latest = new LatestKeys(new ZipfianKeys(1, 0.99));
  const random = new RandomStream(seedOf(6));
  let newest = 0;
  const distances = new Float64Array(100);
  for (let draw = 0; draw < DRAWS; draw++) {
    newest = draw < 1_000 ? draw : 99 + 100 * (draw % 2);
    const index = latest.draw(random, newest);
    assert.ok(index >= 0 && index <= newest);
    if (newest === 99) (distances[99 - index] as number) += 1;
  }
  const heights = Array.from({ length: 100 }, (_, distance) => (distance + 1) ** -0.99);
  const whole = heights.reduce((a, b) => a + b, 0);
  assertFits(
    distances,
    heights.map((height) => height / whole),
  );
});

test('latest with a single key takes it', () => {
  for (const distance of [new ZipfianKeys(5, 1), new ExponentialKeys(5, 0.95, 0.5)])
    assert.equal(new LatestKeys(distance).draw(new RandomStream(seedOf(1)), 0), 0);
});

test('exponential distances from the newest: the rate is that of the first size, the range grows', () => {
  const latest = new LatestKeys(new ExponentialKeys(100, 0.95, 0.5));
  const random = new RandomStream(seedOf(7));
  assertFits(
    tally(300, DRAWS, () => 299 - latest.draw(random, 299)),
    exponentialShares(300, -Math.log(0.05) / 50),
  );
});

test('impossible fractions are refused by name', () => {
  for (const [make, message] of [
    [() => new HotspotKeys(10, 0, 0.5), 'the fraction of hot keys is 0; allowed is above 0, up to 1'],
    [() => new HotspotKeys(10, 0.5, 1.01), 'the fraction of operations on hot keys is 1.01; allowed is 0..1'],
    [
      () => new ExponentialKeys(10, 95, 0.5),
      'the percentile of an exponential distribution is 95; allowed is above 0 and below 1',
    ],
    [
      () => new ExponentialKeys(10, 0.5, -1),
      'the fraction of keys of an exponential distribution is -1; allowed is above 0, up to 1e6',
    ],
    [() => new UniformKeys(0), 'the number of keys is 0; allowed is a whole number from 1 to 2^53-1'],
  ] as const)
    assert.throws(make, { code: 'REQUEST_INVALID', message });
});
