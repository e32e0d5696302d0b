import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { BytesInvalid, ByteWriter } from './bytes.js';
import { Distribution, encodedCount, encodedSumNs } from './distribution.js';
import { bucketHighestNs, bucketIndex, HIGHEST_NS } from './layout.js';
import { Recorder } from './recorder.js';

interface Sample {
  readonly latencyNs: number;
  readonly times: number;
}

const latency = fc.oneof(
  fc.nat(5_000),
  fc.double({ min: 0, max: Math.log(HIGHEST_NS), noNaN: true }).map((power) => Math.floor(Math.exp(power))),
  fc.integer({ min: HIGHEST_NS - 2, max: HIGHEST_NS + 2 }),
  fc.constant(5 * HIGHEST_NS),
);
const sample = fc.record({
  latencyNs: latency,
  times: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2 ** 40 })),
});
const samples = fc.array(sample, { maxLength: 40 });

function recorded(all: readonly Sample[]): Distribution {
  const recorder = new Recorder();
  for (const one of all) recorder.record(one.latencyNs, one.times);
  const distribution = new Distribution();
  distribution.addEncoded(recorder.encode());
  return distribution;
}

/** Everything that can be seen of a distribution. */
function seen(distribution: Distribution) {
  return {
    count: distribution.count,
    minimumNs: distribution.minimumNs,
    maximumNs: distribution.maximumNs,
    sumNs: distribution.sumNs,
    saturated: distribution.saturated,
    buckets: [...distribution.buckets()],
  };
}

function merged(...parts: readonly Distribution[]): Distribution {
  const sum = new Distribution();
  for (const part of parts) sum.add(part);
  return sum;
}

function repeat(latencyMs: number, times: number): Sample[] {
  return [{ latencyNs: latencyMs * 1_000_000, times }];
}

describe('merging', () => {
  test('5000 x 1 ms of one worker with 4500 x 10 ms + 500 x 500 ms of another', () => {
    const all = merged(recorded(repeat(1, 5000)), recorded([...repeat(10, 4500), ...repeat(500, 500)]));
    const within = (actual: number | null, expectedMs: number) =>
      assert.ok(
        Math.abs((actual as number) / 1e6 - expectedMs) <= expectedMs * 0.001,
        `${actual} ns is not ${expectedMs} ms`,
      );
    assert.equal(all.count, 10_000);
    within(all.quantileNs(0.5), 1);
    within(all.quantileNs(0.9), 10);
    within(all.quantileNs(0.95), 10);
    within(all.quantileNs(0.99), 500);
    assert.equal(all.meanNs, 30_000_000);
    assert.equal(all.minimumNs, 1_000_000);
    assert.equal(all.maximumNs, 500_000_000);
  });

  test('is commutative', () => {
    fc.assert(
      fc.property(samples, samples, (a, b) => {
        assert.deepEqual(seen(merged(recorded(a), recorded(b))), seen(merged(recorded(b), recorded(a))));
      }),
    );
  });

  test('is associative', () => {
    fc.assert(
      fc.property(samples, samples, samples, (a, b, c) => {
        const [x, y, z] = [recorded(a), recorded(b), recorded(c)];
        assert.deepEqual(seen(merged(merged(x, y), z)), seen(merged(x, merged(y, z))));
      }),
    );
  });

  test('loses nothing: parts merged in any grouping are the whole recorded at once, also over the wire', () => {
    fc.assert(
      fc.property(samples, fc.nat(40), fc.nat(40), (all, first, second) => {
        const [low, high] = [Math.min(first, second), Math.max(first, second)];
        const parts = [all.slice(0, low), all.slice(low, high), all.slice(high)].map(recorded);
        const whole = seen(recorded(all));
        assert.deepEqual(seen(merged(...parts)), whole);
        const throughTheWire = new Distribution();
        for (const part of parts) throughTheWire.addEncoded(part.encode());
        assert.deepEqual(seen(throughTheWire), whole);
        assert.equal(
          whole.count,
          all.reduce((sum, one) => sum + one.times, 0),
        );
        assert.equal(
          whole.sumNs,
          all.reduce((sum, one) => sum + BigInt(one.latencyNs) * BigInt(one.times), 0n),
        );
        assert.equal(
          whole.buckets.reduce((sum, bucket) => sum + bucket.count, 0),
          whole.count,
        );
      }),
    );
  });

  test('an empty one is neutral, and an operation without values gives null, not a sentinel', () => {
    const empty = new Distribution();
    empty.add(new Distribution());
    empty.addEncoded(new Recorder().encode());
    assert.deepEqual(seen(empty), {
      count: 0,
      minimumNs: null,
      maximumNs: null,
      sumNs: 0n,
      saturated: 0,
      buckets: [],
    });
    assert.equal(empty.meanNs, null);
    assert.equal(empty.quantileNs(0.99), null);
    assert.equal(empty.countAtOrBelow(HIGHEST_NS), 0);
    assert.deepEqual([...empty.encode()], [0]);
  });

  test('one that was cleared is as good as new', () => {
    fc.assert(
      fc.property(samples, samples, (before, after) => {
        const used = recorded(before);
        used.clear();
        assert.deepEqual(seen(used), seen(new Distribution()));
        used.add(recorded(after));
        assert.deepEqual(seen(used), seen(recorded(after)));
      }),
    );
  });

  test('encodedCount tells how many there are without merging', () => {
    fc.assert(
      fc.property(samples, (all) => {
        const distribution = recorded(all);
        assert.equal(encodedCount(distribution.encode()), distribution.count);
      }),
    );
  });
});

describe('percentiles', () => {
  test('min <= p0 <= p50 <= p90 <= p99 <= p99.9 <= max, and the mean lies between, always', () => {
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 40 }), (all) => {
        const distribution = recorded(all);
        const line = [
          distribution.minimumNs,
          ...[0, 0.5, 0.9, 0.99, 0.999, 0.9999].map((ratio) => distribution.quantileNs(ratio)),
          distribution.quantileNs(1),
          distribution.maximumNs,
        ] as number[];
        for (let i = 1; i < line.length; i++)
          assert.ok((line[i - 1] as number) <= (line[i] as number), String(line));
        const mean = distribution.meanNs as number;
        assert.ok((line[0] as number) <= mean && mean <= (line.at(-1) as number));
      }),
    );
  });

  test('are the value of that rank in the sorted list, to its bucket', () => {
    const list = fc.array(fc.nat(2_000_000), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(list, fc.integer({ min: 0, max: 1000 }), (values, perMille) => {
        const distribution = recorded(values.map((latencyNs) => ({ latencyNs, times: 1 })));
        const sorted = values.toSorted((a, b) => a - b);
        const rank = Math.max(1, Math.ceil((perMille * values.length) / 1000));
        const expected = Math.min(
          bucketHighestNs(bucketIndex(sorted[rank - 1] as number)),
          sorted.at(-1) as number,
        );
        assert.equal(distribution.quantileNs(perMille / 1000), expected);
      }),
    );
  });

  test('a bucket wider than the exact maximum does not show: p99 of 999,994 ns is 999,994 ns', () => {
    const distribution = recorded([{ latencyNs: 999_994, times: 100 }]);
    assert.equal(distribution.quantileNs(0.99), 999_994);
    assert.equal(distribution.quantileNs(0), 999_994);
    assert.equal(distribution.maximumNs, 999_994);
  });

  test('7 % of 100 is the 7th value, though 0.07 * 100 is 7.000000000000001', () => {
    const distribution = recorded(Array.from({ length: 100 }, (_, i) => ({ latencyNs: i + 1, times: 1 })));
    assert.equal(distribution.quantileNs(0.07), 7);
    assert.equal(distribution.quantileNs(0.071), 8);
  });

  test('countAtOrBelow counts by bucket', () => {
    const distribution = recorded([
      { latencyNs: 100, times: 3 },
      { latencyNs: 1_000, times: 4 },
    ]);
    assert.equal(distribution.countAtOrBelow(99), 0);
    assert.equal(distribution.countAtOrBelow(100), 3);
    assert.equal(distribution.countAtOrBelow(5_000), 7);
  });
});

describe('encoded histograms of others', () => {
  function encoded(fields: {
    count: number;
    min: number;
    max: number;
    sum: bigint;
    saturated: number;
    zigzags: number[];
  }) {
    const payload = new ByteWriter(8);
    for (const value of fields.zigzags) payload.zigzag(value);
    const writer = new ByteWriter(8);
    writer.varint(fields.count);
    writer.varint(fields.min);
    writer.varint(fields.max);
    writer.bigVarint(fields.sum);
    writer.varint(fields.saturated);
    writer.block(payload.finish());
    return writer.finish();
  }
  const good = { count: 3, min: 2, max: 4, sum: 10n, saturated: 0, zigzags: [-2, 1, 0, 2] };

  test('are taken when their figures agree', () => {
    const distribution = new Distribution();
    distribution.addEncoded(encoded(good));
    assert.deepEqual(seen(distribution).buckets, [
      { lowestNs: 2, highestNs: 2, count: 1 },
      { lowestNs: 4, highestNs: 4, count: 2 },
    ]);
  });

  const bad: readonly [string, Partial<typeof good>][] = [
    ['the buckets hold fewer than the count', { count: 4 }],
    ['the buckets hold more than the count', { zigzags: [-2, 1, 1, 2] }],
    ['the minimum is above the maximum', { min: 5 }],
    ['the minimum is below the first bucket', { min: 1 }],
    ['the maximum is above the last bucket', { max: 5 }],
    ['the sum is below count x minimum', { sum: 5n }],
    ['the sum is above count x maximum', { sum: 13n }],
    ['more saturated than there are', { saturated: 4 }],
    ['saturated without a maximum above one hour', { saturated: 1 }],
    ['a bucket past the range', { zigzags: [-40_000, 3] }],
    ['an empty range of 2^51', { zigzags: [-(2 ** 51), 3] }],
  ];
  for (const [why, change] of bad)
    test(`are refused whole, with nothing added, when ${why}`, () => {
      const distribution = new Distribution();
      assert.throws(() => distribution.addEncoded(encoded({ ...good, ...change })), BytesInvalid);
      assert.equal(distribution.count, 0);
      assert.deepEqual([...distribution.buckets()], []);
    });

  test('cut or lengthened anywhere they are BytesInvalid', () => {
    const whole = encoded(good);
    for (let length = 0; length < whole.length; length++)
      assert.throws(() => new Distribution().addEncoded(whole.subarray(0, length)), BytesInvalid);
    assert.throws(
      () => new Distribution().addEncoded(Buffer.concat([whole, Buffer.from([0])])),
      BytesInvalid,
    );
    assert.throws(() => new Distribution().addEncoded(Uint8Array.of(0, 0)), BytesInvalid);
  });

  test('garbage never throws anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (garbage) => {
        try {
          new Distribution().addEncoded(garbage);
        } catch (error) {
          assert.ok(error instanceof BytesInvalid);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test('the sum of an encoded histogram is read from its head, and is exact', () => {
  fc.assert(
    fc.property(samples, (all) => {
      const distribution = recorded(all);
      assert.equal(encodedSumNs(distribution.encode()), distribution.sumNs);
    }),
  );
  assert.throws(() => encodedSumNs(new Uint8Array([5])), BytesInvalid);
});
