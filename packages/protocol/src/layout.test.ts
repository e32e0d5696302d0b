import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as library from 'hdr-histogram-js';
import type { JsHistogram } from 'hdr-histogram-js';
import { BUCKETS, bucketHighestNs, bucketIndex, bucketLowestNs, HIGHEST_NS } from './layout.js';

const reference = library.build({
  bitBucketSize: 64,
  autoResize: false,
  lowestDiscernibleValue: 1,
  highestTrackableValue: HIGHEST_NS,
  numberOfSignificantValueDigits: 3,
}) as JsHistogram;

/** Both sides of every edge between powers of two, where index arithmetic goes wrong. */
const edges = Array.from({ length: 42 }, (_, bit) => 2 ** bit)
  .flatMap((power) => [power - 1, power, power + 1])
  .filter((value) => value <= HIGHEST_NS)
  .concat([0, 2047, 2048, 2049, 4_294_967_295, 4_294_967_296, HIGHEST_NS - 1, HIGHEST_NS]);
const latency = fc.oneof(
  fc.constantFrom(...edges),
  fc.double({ min: 0, max: Math.log(HIGHEST_NS), noNaN: true }).map((power) => Math.floor(Math.exp(power))),
);

describe('bucket layout', () => {
  test('index, lowest and highest value agree with hdr-histogram-js at every edge and everywhere between', () => {
    fc.assert(
      fc.property(latency, (value) => {
        const index = bucketIndex(value);
        assert.equal(index, reference.countsArrayIndex(value), `index of ${value}`);
        assert.equal(bucketLowestNs(index), reference.lowestEquivalentValue(value), `lowest of ${value}`);
        assert.equal(bucketHighestNs(index), reference.highestEquivalentValue(value), `highest of ${value}`);
      }),
      { numRuns: 5_000, examples: edges.map((edge) => [edge]) },
    );
  });

  test('has as many buckets as the library, and the top of the range is in the last power of two', () => {
    assert.equal(BUCKETS, reference.countsArrayLength);
    assert.ok(bucketIndex(HIGHEST_NS) < BUCKETS);
  });

  test('buckets lie side by side, cover the range and are 1/1024 wide at most', () => {
    for (let index = 0; index < BUCKETS; index++) {
      const [lowest, highest] = [bucketLowestNs(index), bucketHighestNs(index)];
      assert.equal(bucketIndex(lowest), index);
      assert.equal(bucketIndex(highest), index);
      if (index > 0) assert.equal(lowest, bucketHighestNs(index - 1) + 1);
      assert.ok(highest - lowest <= lowest / 1024);
    }
  });
});
