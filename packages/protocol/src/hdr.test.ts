import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import fc from 'fast-check';
import * as library from 'hdr-histogram-js';
import { ByteReader, ByteWriter } from './bytes.js';
import { Distribution } from './distribution.js';
import { encodeHdrBase64, hdrLogHead, hdrLogLine, toHdrHistogram } from './hdr.js';
import { bucketIndex, bucketLowestNs, HIGHEST_NS } from './layout.js';
import { Recorder } from './recorder.js';

const latencies = fc.array(
  fc.record({
    latencyNs: fc
      .double({ min: 0, max: Math.log(HIGHEST_NS), noNaN: true })
      .map((power) => Math.floor(Math.exp(power))),
    times: fc.integer({ min: 1, max: 2 ** 40 }),
  }),
  { minLength: 1, maxLength: 60 },
);

function recorded(all: readonly { latencyNs: number; times: number }[]): Distribution {
  const recorder = new Recorder();
  for (const one of all) recorder.record(one.latencyNs, one.times);
  const distribution = new Distribution();
  distribution.addEncoded(recorder.encode());
  return distribution;
}

/** The counts of our encoding: what stands behind count, minimum, maximum, sum and saturated. */
function ourPayload(encoded: Uint8Array): Uint8Array {
  const reader = new ByteReader(encoded);
  for (let i = 0; i < 3; i++) reader.varint();
  reader.bigVarint();
  reader.varint();
  return reader.block();
}

/** The counts of a compressed V2 histogram: cookie and length, then zlib over a head of 40 bytes and the counts. */
function libraryPayload(base64: string): Uint8Array {
  return inflateSync(Buffer.from(base64, 'base64').subarray(8)).subarray(40);
}

describe('interchange with HdrHistogram', () => {
  test('our counts are byte for byte those of hdr-histogram-js', () => {
    fc.assert(
      fc.property(latencies, (all) => {
        const distribution = recorded(all);
        const theirs = libraryPayload(encodeHdrBase64(distribution));
        assert.deepEqual(Buffer.from(ourPayload(distribution.encode())), Buffer.from(theirs));
      }),
      { examples: [[[0, 1, 3, 7].map((latencyNs) => ({ latencyNs, times: 1 }))]] },
    );
  });

  test('with a deflate of the platform: the same counts, the head of the Java implementation', () => {
    fc.assert(
      fc.property(latencies, (all) => {
        const distribution = recorded(all);
        const base64 = encodeHdrBase64(distribution, deflateSync);
        const whole = Buffer.from(base64, 'base64');
        const counts = libraryPayload(encodeHdrBase64(distribution));
        assert.deepEqual(libraryPayload(base64), counts);
        const head = inflateSync(whole.subarray(8)).subarray(0, 40);
        assert.deepEqual([whole.readInt32BE(0), whole.readInt32BE(4)], [0x1c849314, whole.length - 8]);
        // Cookie, length of the counts, normalising offset, digits, lowest, highest, ratio of conversion.
        assert.deepEqual(
          [0, 4, 8, 12].map((at) => head.readInt32BE(at)),
          [0x1c849313, counts.length, 0, 3],
        );
        assert.deepEqual([head.readBigInt64BE(16), head.readBigInt64BE(24)], [1n, BigInt(HIGHEST_NS)]);
        assert.equal(head.readDoubleBE(32), 1);
        const decoded = library.decodeFromCompressedBase64(base64, 64) as library.JsHistogram;
        for (const bucket of distribution.buckets())
          assert.equal(decoded.getCountAtIndex(bucketIndex(bucket.lowestNs)), bucket.count);
      }),
    );
  });

  test('what the library decodes of ours holds the same buckets, and encoded again the same bytes', () => {
    fc.assert(
      fc.property(latencies, (all) => {
        const distribution = recorded(all);
        const base64 = encodeHdrBase64(distribution);
        const decoded = library.decodeFromCompressedBase64(base64, 64) as library.JsHistogram;
        assert.equal(decoded.totalCount, distribution.count);
        for (const bucket of distribution.buckets())
          assert.equal(decoded.getCountAtIndex(bucketIndex(bucket.lowestNs)), bucket.count);
        assert.deepEqual(libraryPayload(library.encodeIntoCompressedBase64(decoded)), libraryPayload(base64));
      }),
    );
  });

  test('what the library wrote is read here, given the exact figures it does not carry', () => {
    const theirs = library.build({
      bitBucketSize: 64,
      autoResize: false,
      lowestDiscernibleValue: 1,
      highestTrackableValue: HIGHEST_NS,
      numberOfSignificantValueDigits: 3,
    });
    theirs.recordValueWithCount(1_000, 5);
    theirs.recordValueWithCount(999_994, 2);
    const writer = new ByteWriter();
    writer.varint(7);
    writer.varint(1_000);
    writer.varint(999_994);
    writer.bigVarint(5_000n + 1_999_988n);
    writer.varint(0);
    writer.block(libraryPayload(library.encodeIntoCompressedBase64(theirs)));
    const distribution = new Distribution();
    distribution.addEncoded(writer.finish());
    assert.deepEqual(
      distribution.encode(),
      recorded([
        { latencyNs: 1_000, times: 5 },
        { latencyNs: 999_994, times: 2 },
      ]).encode(),
    );
  });

  test('a log is read by the library: tag, times, histogram', () => {
    const first = recorded([{ latencyNs: 1_000_000, times: 10 }]);
    const second = recorded([{ latencyNs: 2_000_000, times: 4 }]);
    const startedAtMs = Date.UTC(2026, 0, 2, 3, 4, 5);
    const log =
      hdrLogHead(startedAtMs, 'pacecar\nrun') +
      hdrLogLine({ tag: 'get, slow', startSeconds: 0, lengthSeconds: 1, distribution: first }) +
      hdrLogLine({ tag: 'get, slow', startSeconds: 1, lengthSeconds: 0.25, distribution: second });
    const reader = new library.HistogramLogReader(log, 64);
    const one = reader.nextIntervalHistogram() as library.Histogram;
    assert.deepEqual([one.totalCount, one.tag], [10, 'get__slow']);
    const two = reader.nextIntervalHistogram() as library.Histogram;
    assert.equal(two.totalCount, 4);
    assert.equal(two.startTimeStampMsec, startedAtMs + 1000);
    assert.equal(two.endTimeStampMsec, startedAtMs + 1250);
    assert.equal(reader.nextIntervalHistogram(), null);
  });
});

describe("hdr-histogram-js' traps, each with what happens here instead", () => {
  const defaults = () => library.build({ highestTrackableValue: HIGHEST_NS });
  const wide = () =>
    library.build({
      bitBucketSize: 64,
      autoResize: false,
      highestTrackableValue: HIGHEST_NS,
    }) as library.JsHistogram;

  test('its default counters wrap at 32 bits: 2 x 3e9 reads 1,705,032,704; ours and our log hold 6e9', () => {
    const trap = defaults() as library.JsHistogram;
    trap.recordValueWithCount(1000, 3e9);
    trap.recordValueWithCount(1000, 3e9);
    assert.equal(trap.getCountAtIndex(1000), 1_705_032_704);
    assert.equal(trap.totalCount, 6e9);

    const distribution = recorded([
      { latencyNs: 1000, times: 3e9 },
      { latencyNs: 1000, times: 3e9 },
    ]);
    assert.deepEqual([...distribution.buckets()], [{ lowestNs: 1000, highestNs: 1000, count: 6e9 }]);
    assert.equal((toHdrHistogram(distribution) as library.JsHistogram).getCountAtIndex(1000), 6e9);
  });

  test('it throws above its range; ours saturates, counts it, and the log still takes it', () => {
    assert.throws(() => wide().recordValue(4 * HIGHEST_NS));
    const distribution = recorded([{ latencyNs: 4 * HIGHEST_NS, times: 2 }]);
    assert.equal(distribution.saturated, 2);
    assert.equal(distribution.maximumNs, 4 * HIGHEST_NS);
    assert.equal(toHdrHistogram(distribution).totalCount, 2);
  });

  test('NaN raises its total without a bucket; ours refuses it', () => {
    const trap = wide();
    trap.recordValue(Number.NaN);
    let inBuckets = 0;
    for (let index = 0; index < trap.countsArrayLength; index++) inBuckets += trap.getCountAtIndex(index);
    assert.deepEqual([trap.totalCount, inBuckets], [1, 0]);
    assert.throws(() => new Recorder().record(Number.NaN, 1), RangeError);
  });

  test('it cuts fractions; ours refuses them', () => {
    const trap = wide();
    trap.recordValue(1.9);
    assert.equal(trap.getCountAtIndex(1), 1);
    assert.throws(() => new Recorder().record(1.9, 1), RangeError);
  });

  test('decoding rounds its maximum (999,994 to 1,000,447); ours carries minimum, maximum and sum exactly', () => {
    const trap = wide();
    trap.recordValue(999_994);
    const decoded = library.decodeFromCompressedBase64(library.encodeIntoCompressedBase64(trap), 64);
    assert.equal(decoded.maxValue, 1_000_447);
    const distribution = recorded([{ latencyNs: 999_994, times: 1 }]);
    const again = new Distribution();
    again.addEncoded(distribution.encode());
    assert.deepEqual([again.minimumNs, again.maximumNs, again.sumNs], [999_994, 999_994, 999_994n]);
    assert.equal(again.quantileNs(0.5), 999_994);
  });

  test('the smallest value of an empty one is 9007199254740991; ours is null', () => {
    assert.equal(wide().minNonZeroValue, 9_007_199_254_740_991);
    assert.equal(new Distribution().minimumNs, null);
  });

  test('packed into an HdrHistogram nothing is lost, at the edges of every power of two', () => {
    const edges = Array.from({ length: 41 }, (_, bit) => 2 ** bit).flatMap((power) => [
      power - 1,
      power,
      power + 1,
    ]);
    const distribution = recorded(edges.map((latencyNs) => ({ latencyNs, times: 1 })));
    const histogram = toHdrHistogram(distribution) as library.JsHistogram;
    assert.equal(histogram.totalCount, edges.length);
    for (const bucket of distribution.buckets()) {
      assert.equal(histogram.getCountAtIndex(bucketIndex(bucket.lowestNs)), bucket.count);
      assert.equal(bucketLowestNs(bucketIndex(bucket.highestNs)), bucket.lowestNs);
    }
  });
});
