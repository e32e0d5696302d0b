import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RandomStream, seedOf } from '../random.js';
import { assertFits } from './chi-square.test.kit.js';
import { Permutation } from './permutation.js';
import { ScrambledKeys } from './scrambled.js';
import { ZipfianKeys } from './zipfian.js';

const size = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  fc.constantFrom(2 ** 32, 2 ** 52, 2 ** 53 - 1, 94_906_265 ** 2, 94_906_265 ** 2 + 1),
);
const seed = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

test('small ranges: every index is the image of exactly one', () => {
  for (let n = 1; n <= 200; n++) {
    const permutation = new Permutation(n, n * 7919);
    const images = new Set(Array.from({ length: n }, (_, index) => permutation.apply(index)));
    assert.equal(images.size, n);
    assert.ok(Math.max(...images) === n - 1 && Math.min(...images) === 0);
  }
});

test('any range: the image is in the range and leads back', () => {
  fc.assert(
    fc.property(size, seed, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (n, by, part) => {
      const permutation = new Permutation(n, by);
      for (const index of [0, n - 1, Math.floor(n / 2), Math.min(n - 1, Math.floor(n * part))]) {
        const image = permutation.apply(index);
        assert.ok(Number.isSafeInteger(image) && image >= 0 && image < n, `${image} of ${n}`);
        assert.equal(permutation.invert(image), index);
        assert.equal(permutation.apply(permutation.invert(index)), index);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('over many seeds the first index goes anywhere, equally often', () => {
  const n = 10;
  const counts = new Float64Array(n * n);
  for (let by = 0; by < 200_000; by++) {
    const permutation = new Permutation(n, by);
    (counts[permutation.apply(0) * n + permutation.apply(1)] as number) += 1;
  }
  const pairs = Array.from(counts).filter((_, cell) => cell % (n + 1) !== 0);
  assert.ok(
    Array.from(counts).every((count, cell) => cell % (n + 1) !== 0 || count === 0),
    'two had one image',
  );
  assertFits(
    pairs,
    pairs.map(() => 1 / pairs.length),
  );
});

test('neighbours are strewn: the distance of their images is spread over the range', () => {
  const n = 1_000_003;
  const permutation = new Permutation(n, 42);
  const counts = new Float64Array(100);
  for (let index = 0; index < n - 1; index++) {
    const distance = (permutation.apply(index + 1) - permutation.apply(index) + n) % n;
    (counts[Math.floor((distance / n) * 100)] as number) += 1;
  }
  assertFits(
    counts,
    Array.from({ length: 100 }, () => 0.01),
  );
});

test('another seed, high half or low, is another permutation', () => {
  const image = (by: number) =>
    Array.from({ length: 20 }, (_, index) => new Permutation(1_000, by).apply(index)).join();
  assert.notEqual(image(1), image(2));
  assert.notEqual(image(1), image(1 + 2 ** 32));
  assert.equal(image(77), image(77));
});

test('scrambling only permutes: the same popularity, on other keys', () => {
  const n = 1_000;
  const plain = new ZipfianKeys(n, 0.99);
  const permutation = new Permutation(n, 5);
  const scrambled = new ScrambledKeys(plain, permutation);
  const [a, b] = [new RandomStream(seedOf(1)), new RandomStream(seedOf(1))];
  const plainCounts = new Float64Array(n);
  const scrambledCounts = new Float64Array(n);
  for (let draw = 0; draw < 1_000_000; draw++) {
    (plainCounts[plain.draw(a)] as number) += 1;
    (scrambledCounts[scrambled.draw(b)] as number) += 1;
  }
  assert.deepEqual(scrambledCounts.slice().sort(), plainCounts.slice().sort());
  assert.equal(scrambledCounts[permutation.apply(0)], plainCounts[0]);
  assert.notDeepEqual(scrambledCounts, plainCounts);
});

test('what is no seed, and a permutation of another range, is refused', () => {
  assert.throws(() => new Permutation(10, -1), {
    message: /the seed of a permutation is -1; allowed is 0\.\.2\^53-1/,
  });
  assert.throws(
    () => new ScrambledKeys(new ZipfianKeys(10, 1), new Permutation(11, 1)),
    /11 cannot scramble 10/,
  );
});
