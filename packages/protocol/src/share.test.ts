import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { amountFor } from './plan.js';
import { share, shareStart, slice } from './share.js';

const whole = fc.maxSafeNat();
const parts = fc.integer({ min: 1, max: 300 });

function allShares(total: number, of: number): number[] {
  return Array.from({ length: of }, (_, index) => share(total, of, index));
}

describe('shares', () => {
  test('1003 over 10 is 101 three times and 100 seven times', () => {
    assert.deepEqual(allShares(1003, 10), [101, 101, 101, 100, 100, 100, 100, 100, 100, 100]);
  });

  test('3,000,000 over 7 sums to itself', () => {
    assert.deepEqual(allShares(3_000_000, 7), [428572, 428572, 428572, 428571, 428571, 428571, 428571]);
  });

  test('sum to the whole and differ by at most one, up to 2^53-1', () => {
    fc.assert(
      fc.property(whole, parts, (total, of) => {
        const shares = allShares(total, of).map(BigInt);
        assert.equal(
          shares.reduce((sum, one) => sum + one, 0n),
          BigInt(total),
        );
        const [first, last] = [shares[0] as bigint, shares.at(-1) as bigint];
        assert.ok(first - last <= 1n && shares.every((one) => one <= first && one >= last));
      }),
    );
  });

  test('lie side by side and cover the whole', () => {
    fc.assert(
      fc.property(whole, parts, (total, of) => {
        let next = 0n;
        for (let index = 0; index < of; index++) {
          assert.equal(BigInt(shareStart(total, of, index)), next);
          next += BigInt(share(total, of, index));
        }
        assert.equal(next, BigInt(total));
      }),
    );
  });

  test('nest: slices of slices are disjoint and cover the range, as workers, then connections split it', () => {
    fc.assert(
      fc.property(
        fc.nat(1e9),
        fc.nat(2000),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 9 }),
        (start, length, workers, connections) => {
          const seen: number[] = [];
          for (let worker = 0; worker < workers; worker++) {
            const ofWorker = slice({ start, length }, workers, worker);
            for (let connection = 0; connection < connections; connection++) {
              const part = slice(ofWorker, connections, connection);
              for (let key = part.start; key < part.start + part.length; key++) seen.push(key);
            }
          }
          assert.deepEqual(
            seen,
            Array.from({ length }, (_, offset) => start + offset),
          );
        },
      ),
    );
  });

  test('refuse what is not a whole amount in range', () => {
    for (const [total, of, index] of [
      [-1, 1, 0],
      [1.5, 1, 0],
      [2 ** 53, 1, 0],
      [Number.NaN, 1, 0],
      [1, 0, 0],
      [1, 2.5, 0],
      [1, 2, 2],
      [1, 2, -1],
      [1, 2, 0.5],
    ] as const) {
      assert.throws(() => share(total, of, index), RangeError);
      assert.throws(() => shareStart(total, of, index), RangeError);
    }
  });

  test('an amount per worker is the same for each, a total is shared out', () => {
    assert.equal(amountFor({ count: 7, scope: 'worker' }, 3, 2), 7);
    assert.deepEqual(
      [0, 1, 2].map((index) => amountFor({ count: 7, scope: 'total' }, 3, index)),
      [3, 2, 2],
    );
  });
});
