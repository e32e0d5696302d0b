import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '@pacecar/protocol';
import fc from 'fast-check';
import { readAmount, writeAmount } from './amount.js';
import { readCount, writeCount } from './count.js';
import { readDuration, readLatency, writeDuration, writeLatency } from './duration.js';
import { readKeyRange } from './key-range.js';
import { readObjective } from './objective.js';
import { readRate } from './rate.js';
import { readRatio, writeRatio } from './ratio.js';
import type { Reading } from './reading.js';
import { readSize, writeSize } from './size.js';
import { readWeight } from './weight.js';

const count = fc.maxSafeNat();

test('a count that is written reads back as itself', () => {
  fc.assert(fc.property(count, (n) => assert.deepEqual(readCount(writeCount(n)), { ok: true, value: n })));
});

test('a count reads as the same digits with underscores anywhere between them', () => {
  fc.assert(
    fc.property(count, fc.array(fc.nat(16)), (n, places) => {
      const text = [...String(n)]
        .map((digit, i) => (i > 0 && places.includes(i) ? `_${digit}` : digit))
        .join('');
      assert.deepEqual(readCount(text), { ok: true, value: n });
    }),
  );
});

test('a count above 2^53-1 is refused, never rounded', () => {
  fc.assert(
    fc.property(fc.bigInt(BigInt(LIMITS.count) + 1n, 10n ** 30n), (n) => assert.ok(!readCount(String(n)).ok)),
  );
});

test('an amount that is written reads back as itself', () => {
  const amount = fc.record(
    {
      count: fc.integer({ min: 1, max: LIMITS.count }),
      scope: fc.constantFrom('worker' as const, 'total' as const),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(amount, (value) => assert.deepEqual(readAmount(writeAmount(value)), { ok: true, value })),
  );
});

test('a duration of whole milliseconds that is written reads back as itself', () => {
  const month = 31 * 24 * 3_600_000;
  fc.assert(
    fc.property(fc.integer({ min: 0, max: month }), (ms) =>
      assert.deepEqual(readDuration(writeDuration(ms)), { ok: true, value: ms }),
    ),
  );
});

test('a latency that is written reads back as itself', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: LIMITS.latencyNs }), (ns) =>
      assert.deepEqual(readLatency(writeLatency(ns)), { ok: true, value: ns }),
    ),
  );
});

test('a size that is written reads back as itself', () => {
  const bytes = fc.integer({ min: 0, max: LIMITS.valueBytes });
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      const size = { minimumBytes: Math.min(a, b), maximumBytes: Math.max(a, b) };
      assert.deepEqual(readSize(writeSize(size)), { ok: true, value: size });
    }),
  );
});

test('a share of whole millionths that is written reads back as itself', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), (millionths) => {
      const ratio = millionths / 1_000_000;
      assert.deepEqual(readRatio(writeRatio(ratio)), { ok: true, value: ratio });
    }),
  );
});

const READERS: Readonly<Record<string, (text: string) => Reading<unknown>>> = {
  readAmount,
  readCount,
  readDuration,
  readKeyRange,
  readLatency,
  readObjective,
  readRate,
  readRatio,
  readSize,
  readWeight,
};

for (const [name, reader] of Object.entries(READERS))
  test(`${name} gives a value or a bounded sentence for any text, and never throws`, () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '1',
        '5',
        '..',
        'ms',
        's',
        'k',
        'M',
        '/',
        '%',
        ' ',
        '_',
        '.',
        '-',
        'total',
        'per worker',
        '<',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const reading = reader(pieces.join(''));
        if (!reading.ok) assert.ok(reading.problem.length > 0 && reading.problem.length < 600);
      }),
    );
  });
