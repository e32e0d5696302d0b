import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatLatency,
  formatMs,
  formatPercent,
  formatRate,
  formatWallTime,
  plural,
} from './units.js';

/** Each row: what it is, what comes out. */
function table<T>(name: string, format: (value: T) => string, rows: readonly (readonly [T, string])[]): void {
  test(name, () => {
    for (const [value, expected] of rows) assert.equal(format(value), expected, String(value));
  });
}

table('counts are exact', formatCount, [
  [null, '-'],
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [12_345_678, '12,345,678'],
  [Number.MAX_SAFE_INTEGER, '9,007,199,254,740,991'],
]);
table('latencies have three digits and the unit that suits', formatLatency, [
  [null, '-'],
  [0, '0 ns'],
  [999, '999 ns'],
  [1_000, '1.00 us'],
  [9_999, '10.0 us'],
  [48_230, '48.2 us'],
  [999_499, '999 us'],
  [999_500, '1.00 ms'],
  [1_000_447, '1.00 ms'],
  [12_345_678, '12.3 ms'],
  [999_600_000, '1.00 s'],
  [3_600_000_000_000, '3600 s'],
]);
table('rates', formatRate, [
  [null, '-'],
  [0, '0'],
  [0.5, '0.500'],
  [950, '950'],
  [999.6, '1.00k'],
  [81_234, '81.2k'],
  [1_240_000, '1.24M'],
]);
table('shares are 0 % or 100 % only when they are exactly that', formatPercent, [
  [null, '-'],
  [0, '0 %'],
  [1, '100 %'],
  [0.5, '50 %'],
  [0.123, '12.3 %'],
  [0.999_99, '99.999 %'],
  [0.999_999_6, '99.99996 %'],
  [0.000_000_4, '0.00004 %'],
  [0.001, '0.1 %'],
]);
table('durations', formatDuration, [
  [null, '-'],
  [250, '250 ms'],
  [9_980, '9.98 s'],
  [59_949, '59.9 s'],
  [59_960, '1m 00s'],
  [90_000, '1m 30s'],
  [7_500_000, '2h 05m'],
]);
table('milliseconds', formatMs, [
  [null, '-'],
  [0, '0 ms'],
  [0.42, '0.420 ms'],
  [250, '250 ms'],
  [3_000, '3.00 s'],
]);
table('bytes', formatBytes, [
  [null, '-'],
  [512, '512 B'],
  [1_536, '1.50 KiB'],
  [21_076_378, '20.1 MiB'],
]);
table('wall times', formatWallTime, [
  [null, '-'],
  ['2026-01-31T12:00:00.123Z', '2026-01-31 12:00:00 UTC'],
  ['2026-01-31T12:00:00+01:00', '2026-01-31 12:00:00 +01:00'],
  ['yesterday', 'yesterday'],
]);

test('plurals', () => {
  assert.equal(plural(1, 'worker'), '1 worker');
  assert.equal(plural(1_000, 'worker'), '1,000 workers');
});

test('no figure ever reads NaN or Infinity, and a share never rounds to a whole that it is not', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (ratio) => {
      const text = formatPercent(ratio);
      assert.doesNotMatch(text, /NaN|Infinity|e/);
      if (ratio < 1 && ratio > 1e-9 && 1 - ratio > 1e-9) assert.doesNotMatch(text, /^(0|100) %$/);
    }),
  );
  fc.assert(
    fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (value) => {
      for (const text of [formatLatency(value), formatRate(value), formatBytes(value), formatDuration(value)])
        assert.doesNotMatch(text, /NaN|Infinity|undefined/);
    }),
  );
});
