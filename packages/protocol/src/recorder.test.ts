import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Distribution } from './distribution.js';
import { HIGHEST_NS } from './layout.js';
import { Recorder } from './recorder.js';

function readBack(recorder: Recorder): Distribution {
  const distribution = new Distribution();
  distribution.addEncoded(recorder.encode());
  return distribution;
}

describe('recorder', () => {
  test('keeps count, minimum, maximum and sum exactly', () => {
    const recorder = new Recorder();
    recorder.record(999_994, 1);
    recorder.record(17, 3);
    recorder.record(123_456_789, 2);
    const read = readBack(recorder);
    assert.equal(read.count, 6);
    assert.equal(read.minimumNs, 17);
    assert.equal(read.maximumNs, 123_456_789);
    assert.equal(read.sumNs, 999_994n + 51n + 246_913_578n);
    assert.equal(read.saturated, 0);
  });

  test('0 ns is a latency', () => {
    const recorder = new Recorder();
    recorder.record(0, 2);
    const read = readBack(recorder);
    assert.equal(read.count, 2);
    assert.equal(read.minimumNs, 0);
    assert.equal(read.quantileNs(0.5), 0);
  });

  test('the sum is exact far past 2^53', () => {
    const recorder = new Recorder();
    let expected = 0n;
    for (let i = 1; i <= 20_000; i++) {
      const latencyNs = 3_599_999_999_989 - i;
      recorder.record(latencyNs, 7);
      expected += BigInt(latencyNs) * 7n;
    }
    recorder.record(1, 1);
    assert.ok(expected > 2n ** 58n);
    assert.equal(readBack(recorder).sumNs, expected + 1n);
  });

  test('a count past 2^32 in one bucket is kept', () => {
    const recorder = new Recorder();
    recorder.record(1_000_000, 3_000_000_000);
    recorder.record(1_000_000, 3_000_000_000);
    const read = readBack(recorder);
    assert.equal(read.count, 6_000_000_000);
    assert.equal([...read.buckets()][0]?.count, 6_000_000_000);
    assert.equal(read.sumNs, 6_000_000_000_000_000n);
  });

  test('above one hour it saturates: counted, in the top bucket, with its exact maximum', () => {
    const recorder = new Recorder();
    recorder.record(HIGHEST_NS, 1);
    recorder.record(HIGHEST_NS + 1, 2);
    recorder.record(10 * HIGHEST_NS, 1);
    const read = readBack(recorder);
    assert.equal(read.count, 4);
    assert.equal(read.saturated, 3);
    assert.equal(read.maximumNs, 10 * HIGHEST_NS);
    assert.equal(read.quantileNs(1), 10 * HIGHEST_NS);
    assert.equal([...read.buckets()].length, 1);
  });

  test('refuses what is no latency or no count, and holds nothing of it', () => {
    const recorder = new Recorder();
    for (const latencyNs of [Number.NaN, -1, 1.5, 5000.25, Number.POSITIVE_INFINITY])
      assert.throws(() => recorder.record(latencyNs, 1), RangeError, String(latencyNs));
    for (const times of [0, -1, 0.5, Number.NaN])
      assert.throws(() => recorder.record(1000, times), RangeError, `${times} times`);
    assert.equal(recorder.count, 0);
    assert.deepEqual([...recorder.encode()], [0]);
  });

  test('reset leaves nothing behind', () => {
    const recorder = new Recorder();
    recorder.record(5, 1);
    recorder.record(2 * HIGHEST_NS, 9);
    recorder.reset();
    assert.deepEqual([...recorder.encode()], [0]);
    recorder.record(77, 1);
    const read = readBack(recorder);
    assert.deepEqual([read.count, read.minimumNs, read.maximumNs, read.saturated], [1, 77, 77, 0]);
    assert.equal(read.sumNs, 77n);
  });
});
