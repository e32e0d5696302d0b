import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PacecarError } from '@pacecar/protocol';
import { parseAmount, parseCount, parseDuration, parseRate, parseRatio, parseSize } from './flag-value.js';

const FLAGS: readonly (readonly [
  parse: (text: string) => unknown,
  good: string,
  value: unknown,
  bad: string,
])[] = [
  [parseAmount, '10 per worker', { count: 10, scope: 'worker' }, '10'],
  [parseCount, '4M', 4_000_000, '9007199254740993'],
  [parseDuration, '1m30s', 90_000, '90'],
  [parseRate, '20k/s', 20_000, '20k'],
  [parseRatio, '0.1%', 0.001, '5'],
  [parseSize, '100..1kB', { minimumBytes: 100, maximumBytes: 1_000 }, '200..10'],
];

for (const [parse, good, value, bad] of FLAGS)
  test(`a flag ${good} is read by the grammar of scenarios, and ${bad} is a wrong request that names itself`, () => {
    assert.deepEqual(parse(good), value);
    assert.throws(
      () => parse(bad),
      (error) =>
        error instanceof PacecarError &&
        error.code === 'REQUEST_INVALID' &&
        error.message.includes(`"${bad}"`),
    );
  });
