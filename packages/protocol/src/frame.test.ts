import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { BytesInvalid } from './bytes.js';
import {
  addCounters,
  type Counters,
  decodeFrame,
  decodeFrameIdentity,
  encodeFrame,
  endedCount,
  ERROR_KIND,
  errorCount,
  type Frame,
  type FrameRow,
  NO_COUNTERS,
} from './frame.js';
import { LIMITS } from './limits.js';
import { Recorder } from './recorder.js';

const count = fc.maxSafeNat();
const kind = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,39}$/);
const counters: fc.Arbitrary<Counters> = fc.record(
  {
    sent: count,
    ok: count,
    hits: count,
    misses: count,
    timeouts: count,
    aborted: count,
    errors: fc.dictionary(kind, count, { maxKeys: 5, noNullPrototype: true }),
    late: count,
    dropped: count,
    bytesSent: count,
    bytesReceived: count,
  },
  { noNullPrototype: true },
);
const histogram = fc.array(fc.nat(1_000_000), { maxLength: 5 }).map((latencies) => {
  const recorder = new Recorder();
  for (const latencyNs of latencies) recorder.record(latencyNs, 1);
  return recorder.encode();
});
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const row: fc.Arbitrary<FrameRow> = fc
  .tuple(
    counters,
    fc.record(
      {
        workload: name,
        operation: name,
        inFlight: count,
        service: histogram,
        response: histogram,
        failed: histogram,
        // An empty one is left out.
        pacing: histogram.filter((bytes) => bytes.length > 1),
        notes: count.map((own) => ({ NEAR_CACHE: own })),
      },
      {
        noNullPrototype: true,
        requiredKeys: ['workload', 'operation', 'inFlight', 'service', 'response', 'failed'],
      },
    ),
  )
  .map(([counted, rest]) => ({ ...counted, ...rest }));
const rounds = fc
  .tuple(fc.nat(1_000), fc.uniqueArray(fc.nat(500), { maxLength: LIMITS.failedInserts }), fc.nat(1_000))
  .map(([from, failed, more]) => {
    const holes = failed.sort((a, b) => a - b).map((hole) => from + hole);
    return [from, (holes.at(-1) ?? from) + 1 + more, ...holes];
  });
const inserts = fc.array(
  fc.record({ workload: name, slices: fc.array(rounds, { maxLength: 4 }) }, { noNullPrototype: true }),
  {
    minLength: 1,
    maxLength: 3,
  },
);
const frame: fc.Arbitrary<Frame> = fc
  .record({
    epoch: count,
    worker: count,
    cell: count,
    stage: count,
    sequence: count,
    interval: count,
    startNs: fc.nat(1e9),
    lengthNs: fc.nat(1e9),
    firstOperationNs: fc.option(fc.nat(1e9)),
    rows: fc.array(row, { maxLength: 4 }),
    threads: fc.array(
      fc
        .tuple(fc.float({ min: 0, max: 1, noNaN: true }).map(Math.abs), count)
        .map(([utilisation, delayNs]) => ({ utilisation, delayNs })),
      { maxLength: 4 },
    ),
    cpuUserUs: count,
    cpuSystemUs: count,
    residentBytes: count,
    inserted: fc.option(inserts),
  })
  .map(({ lengthNs, inserted, ...rest }) => ({
    ...rest,
    endNs: rest.startNs + lengthNs,
    ...(inserted === null ? {} : { inserted }),
  }));

/** Histograms as plain arrays, so that a view into the frame equals what went in. */
function plain(value: Frame) {
  return {
    ...value,
    rows: value.rows.map((one) => ({
      ...one,
      service: [...one.service],
      response: [...one.response],
      failed: [...one.failed],
      pacing: one.pacing === undefined ? 'none' : [...one.pacing],
    })),
  };
}

const empty = new Recorder().encode();
const small: Frame = {
  epoch: 3,
  worker: 1,
  cell: 0,
  stage: 2,
  sequence: 7,
  interval: 7,
  startNs: 7e9,
  endNs: 8e9,
  firstOperationNs: null,
  rows: [
    {
      ...NO_COUNTERS,
      sent: 5,
      ok: 3,
      hits: 2,
      misses: 1,
      timeouts: 1,
      errors: { WRONGTYPE: 1 },
      inFlight: 0,
      workload: 'main',
      operation: 'get',
      service: empty,
      response: empty,
      failed: empty,
    },
  ],
  threads: [{ utilisation: 0.5, delayNs: 1_000 }],
  cpuUserUs: 10,
  cpuSystemUs: 20,
  residentBytes: 30,
};

function copies<T>(amount: number, one: T): T[] {
  return Array.from({ length: amount }, () => one);
}

describe('frames', () => {
  test('come back as they went in', () => {
    fc.assert(
      fc.property(frame, (one) => {
        const bytes = encodeFrame(one);
        assert.deepEqual(plain(decodeFrame(bytes)), plain(one));
        const { epoch, worker, cell, stage, sequence } = one;
        assert.deepEqual(decodeFrameIdentity(bytes), { epoch, worker, cell, stage, sequence });
      }),
      { numRuns: 300 },
    );
  });

  test('notes of rows come last, and only known ones', () => {
    const [row] = small.rows;
    assert.ok(row !== undefined);
    const noted = { ...small, rows: [row, { ...row, operation: 'scan', notes: { NEAR_CACHE: 3 } }] };
    const bytes = encodeFrame(noted);
    assert.deepEqual(plain(decodeFrame(bytes)), plain(noted));
    const without = encodeFrame({ ...small, rows: [row, { ...row, operation: 'scan' }] });
    // No inserts; no note of the first row; one of the second: its name, and the count.
    const part = bytes.subarray(without.length);
    assert.deepEqual([...part], [0, 0, 1, 10, ...Buffer.from('NEAR_CACHE'), 3]);
    const unknown = Uint8Array.from(bytes);
    unknown[without.length + 4] = 'X'.charCodeAt(0);
    assert.throws(() => decodeFrame(unknown), /"XEAR_CACHE" is no note/);
    for (const end of [[0], [0, 0, 0]])
      assert.throws(() => decodeFrame(Uint8Array.of(...without, ...end)), BytesInvalid);
  });

  test('are read the same from the middle of a larger buffer', () => {
    const bytes = encodeFrame(small);
    const around = new Uint8Array(bytes.length + 20);
    around.set(bytes, 7);
    assert.deepEqual(plain(decodeFrame(around.subarray(7, 7 + bytes.length))), plain(small));
  });

  test('of a stage without inserts are what they were before there were any, and have none', () => {
    const bytes = encodeFrame(small);
    assert.deepEqual(encodeFrame({ ...small, inserted: [] }), bytes);
    assert.equal('inserted' in decodeFrame(bytes), false);
  });

  test('cut at any byte are BytesInvalid, but for where inserts begin', () => {
    const withoutInserts = encodeFrame(small).length;
    const bytes = encodeFrame({ ...small, inserted: [{ workload: 'main', slices: [[3, 300, 5, 6]] }] });
    for (let length = 0; length < bytes.length; length++)
      if (length !== withoutInserts)
        assert.throws(() => decodeFrame(bytes.subarray(0, length)), BytesInvalid, `cut at ${length}`);
  });

  test('with one byte more are BytesInvalid', () => {
    assert.throws(() => decodeFrame(Buffer.concat([encodeFrame(small), Buffer.from([0])])), BytesInvalid);
  });

  test('garbage never throws anything but BytesInvalid, also behind a good head or as a damaged frame', () => {
    const good = encodeFrame(small);
    const garbage = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 200 }).map((tail) => Buffer.concat([good.subarray(0, 4), tail])),
      fc.tuple(fc.nat(good.length - 1), fc.nat(255)).map(([at, byte]) => {
        const damaged = good.slice();
        damaged[at] = byte;
        return damaged;
      }),
    );
    fc.assert(
      fc.property(garbage, (bytes) => {
        for (const decode of [decodeFrame, decodeFrameIdentity])
          try {
            decode(bytes);
          } catch (error) {
            assert.ok(error instanceof BytesInvalid, String(error));
          }
      }),
      { numRuns: 5_000 },
    );
  });

  const rows = (change: Partial<FrameRow>): Partial<Frame> => ({
    rows: [{ ...(small.rows[0] as FrameRow), ...change }],
  });
  const kinds = (amount: number) =>
    Object.fromEntries(Array.from({ length: amount }, (_, index) => [`KIND${index}`, 1]));
  const refused: readonly [string, Partial<Frame>][] = [
    ['an interval that ends before it starts', { endNs: 6e9 }],
    ['more rows than a frame has', { rows: copies(LIMITS.rowsPerFrame + 1, small.rows[0] as FrameRow) }],
    [
      'more threads than a worker has',
      { threads: copies(LIMITS.threadsPerWorker + 1, { utilisation: 1, delayNs: 1 }) },
    ],
    ['more error kinds than a row has', rows({ errors: kinds(LIMITS.errorKindsPerRow + 1) })],
    ['an error kind in lower case', rows({ errors: { wrongtype: 1 } })],
    ['an error kind that is too long', rows({ errors: { ['A'.repeat(LIMITS.errorKindLength + 1)]: 1 } })],
    ['a workload name that is too long', rows({ workload: 'x'.repeat(LIMITS.nameLength * 4 + 1) })],
    ['rounds that fail where there are none', { inserted: [{ workload: 'main', slices: [[0, 5, 5]] }] }],
    ['rounds that end before they begin', { inserted: [{ workload: 'main', slices: [[6, 5]] }] }],
    ['failed rounds in disorder', { inserted: [{ workload: 'main', slices: [[0, 9, 5, 4]] }] }],
    ['rounds without an end', { inserted: [{ workload: 'main', slices: [[0]] }] }],
    [
      'more slices than a worker has',
      { inserted: [{ workload: 'main', slices: copies(LIMITS.insertSlicesPerWorker + 1, [0, 5]) }] },
    ],
    ['a utilisation above 1', { threads: [{ utilisation: 1.5, delayNs: 0 }] }],
    ['a utilisation that is no number', { threads: [{ utilisation: Number.NaN, delayNs: 0 }] }],
  ];
  for (const [what, change] of refused)
    test(`${what} is refused`, () => {
      assert.throws(() => decodeFrame(encodeFrame({ ...small, ...change })), BytesInvalid);
    });

  test('at its limits a frame is taken, and the largest stays below the limit of bytes', () => {
    const full = new Recorder();
    for (let latencyNs = 1; latencyNs < 3_600_000_000_000; latencyNs = Math.ceil(latencyNs * 1.0005))
      full.record(latencyNs, 1);
    const longest = { ...rows({ errors: kinds(LIMITS.errorKindsPerRow) }).rows?.[0] } as FrameRow;
    const atLimits = {
      ...small,
      rows: copies(LIMITS.rowsPerFrame, longest),
      threads: copies(LIMITS.threadsPerWorker, { utilisation: 1, delayNs: 1 }),
    };
    assert.equal(decodeFrame(encodeFrame(atLimits)).rows.length, LIMITS.rowsPerFrame);
    const wide = { ...longest, service: full.encode(), response: full.encode(), failed: full.encode() };
    const largest = encodeFrame({ ...small, rows: copies(64, wide) });
    assert.ok(largest.length < LIMITS.frameBytes, `${largest.length} bytes`);
  });

  test('the same error kind twice in a row is refused, since one of the counts would be lost', () => {
    const bytes = encodeFrame({ ...small, ...rows({ errors: { AAAA: 1, AAAB: 2 } }) });
    const second = Buffer.from(bytes).indexOf('AAAB');
    bytes[second + 3] = 'A'.charCodeAt(0);
    assert.throws(() => decodeFrame(bytes), BytesInvalid);
  });

  test('a frame whose names are not UTF-8 is refused', () => {
    const bytes = encodeFrame(small);
    bytes[Buffer.from(bytes).indexOf('main')] = 0xff;
    assert.throws(() => decodeFrame(bytes), BytesInvalid);
  });
});

describe('counters', () => {
  test('add up by name, errors by kind', () => {
    const a = { ...NO_COUNTERS, sent: 5, ok: 2, errors: { OOM: 1, WRONGTYPE: 2 } };
    const b = { ...NO_COUNTERS, sent: 3, ok: 1, timeouts: 1, aborted: 1, errors: { OOM: 4 } };
    const sum = addCounters(a, b);
    assert.deepEqual(sum, {
      ...NO_COUNTERS,
      sent: 8,
      ok: 3,
      timeouts: 1,
      aborted: 1,
      errors: { OOM: 5, WRONGTYPE: 2 },
    });
    assert.equal(errorCount(sum), 7);
    assert.equal(endedCount(sum), 12);
    assert.deepEqual(a.errors, { OOM: 1, WRONGTYPE: 2 });
  });

  test('adding is commutative and associative, and nothing is neutral', () => {
    const bounded = counters.map((one) => ({ ...one, ...scaled(one) }));
    fc.assert(
      fc.property(bounded, bounded, bounded, (a, b, c) => {
        assert.deepEqual(addCounters(a, b), addCounters(b, a));
        assert.deepEqual(addCounters(addCounters(a, b), c), addCounters(a, addCounters(b, c)));
        assert.deepEqual(addCounters(a, NO_COUNTERS), a);
      }),
    );
  });

  /** Sums of three stay below 2^53. */
  function scaled(one: Counters): Counters {
    const quarter = (value: number) => Math.floor(value / 4);
    const { errors, notes, ...rest } = one;
    const plainCounters = Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, quarter(value)]),
    );
    const errorCounters = Object.fromEntries(
      Object.entries(errors).map(([key, value]) => [key, quarter(value)]),
    );
    const { NEAR_CACHE: own } = notes ?? {};
    return {
      ...NO_COUNTERS,
      ...plainCounters,
      errors: errorCounters,
      ...(own === undefined ? {} : { notes: { NEAR_CACHE: quarter(own) } }),
    };
  }

  test('notes add up where there are any', () => {
    const a = { ...NO_COUNTERS, ok: 2, notes: { NEAR_CACHE: 2 } };
    assert.deepEqual(addCounters(a, a), { ...NO_COUNTERS, ok: 4, notes: { NEAR_CACHE: 4 } });
    assert.deepEqual(addCounters(a, NO_COUNTERS), a);
    assert.ok(!('notes' in addCounters(NO_COUNTERS, NO_COUNTERS)));
  });

  test('error kinds are words in capitals', () => {
    for (const good of ['WRONGTYPE', 'ERR', 'VALUE_MISMATCH', 'A1']) assert.match(good, ERROR_KIND);
    for (const bad of ['', 'err', '1A', 'A B', 'A'.repeat(41), 'A\n']) assert.doesNotMatch(bad, ERROR_KIND);
  });
});
