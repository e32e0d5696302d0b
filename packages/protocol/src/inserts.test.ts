import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PacecarError } from './failure.js';
import {
  areRounds,
  connectedWorkers,
  firstInsertedKey,
  insertSlices,
  sharesInserts,
  WorkerInsertsSchema,
} from './inserts.js';
import { LIMITS } from './limits.js';
import { type Operation, plainAction, type Workload } from './plan.js';
import { amountFor } from './plan/amount.js';

const workers = fc.integer({ min: 1, max: 200 });
const connections = fc.record({
  count: fc.integer({ min: 1, max: 5_000 }),
  scope: fc.constantFrom<'worker' | 'total'>('worker', 'total'),
});

describe('slices of inserts', () => {
  test('cover the connections of each worker once, side by side, within their limits', () => {
    fc.assert(
      fc.property(connections, workers, (amount, of) => {
        let all = 0;
        for (let worker = 0; worker < of; worker++) {
          const slices = insertSlices({ connections: amount }, of, worker);
          let next = 0;
          for (const { start, length } of slices) {
            assert.equal(start, next);
            assert.ok(length >= 1);
            next += length;
          }
          assert.equal(next, amountFor(amount, of, worker));
          assert.ok(slices.length <= LIMITS.insertSlicesPerWorker);
          all += slices.length;
        }
        assert.ok(all <= Math.max(LIMITS.insertSlicesPerStage, of));
      }),
    );
  });

  test('are single connections where there are few', () => {
    const slices = insertSlices({ connections: { count: 32, scope: 'worker' } }, 64, 63);
    assert.deepEqual(
      slices,
      Array.from({ length: 32 }, (_, start) => ({ start, length: 1 })),
    );
  });

  test('workers without a connection have none, and stand behind those that have one', () => {
    const workload: Pick<Workload, 'connections'> = { connections: { count: 3, scope: 'total' } };
    const counts = [0, 1, 2, 3, 4].map((worker) => insertSlices(workload, 5, worker).length);
    assert.deepEqual(counts, [1, 1, 1, 0, 0]);
    assert.equal(connectedWorkers(workload, 5), 3);
    assert.equal(connectedWorkers(workload, 2), 2);
  });

  test('a worker of a stage of five thousand still tells in one number pair', () => {
    assert.equal(insertSlices({ connections: { count: 1_000, scope: 'worker' } }, 5_000, 4_999).length, 1);
  });
});

describe('rounds', () => {
  test('are a beginning, an end and what failed between them, ascending', () => {
    for (const good of [
      [0, 0],
      [0, 5],
      [5, 5],
      [2, 9, 2, 3, 8],
      [0, LIMITS.insertRounds],
    ])
      assert.ok(areRounds(good), String(good));
    for (const bad of [[], [0], [1, 0], [0, 5, 5], [3, 9, 2], [0, 9, 4, 4], [0, 9, 5, 4]])
      assert.ok(!areRounds(bad), String(bad));
    assert.ok(!areRounds([0, LIMITS.insertRounds + 1]));
    assert.ok(!areRounds([0, 99, ...Array.from({ length: LIMITS.failedInserts + 1 }, (_, at) => at)]));
  });

  test('that are none are refused in a message', () => {
    const one = { workload: 0, worker: 1, slices: [[0, 5, 5]] };
    assert.equal(WorkerInsertsSchema.safeParse(one).success, false);
    assert.equal(WorkerInsertsSchema.safeParse({ ...one, slices: [[0, 5, 4]] }).success, true);
  });
});

test('inserts are shared where a workload inserts and reads by age', () => {
  const workload = (kind: 'latest' | 'uniform', ...operations: readonly Operation[]) => ({
    keys: { distribution: kind === 'latest' ? { kind, exponent: 1 } : { kind } } as Workload['keys'],
    mix: operations.map((operation) => plainAction(operation, 1)),
  });
  assert.ok(sharesInserts(workload('latest', 'get', 'insert')));
  assert.ok(sharesInserts(workload('latest', 'insertRecord', 'scanRecords')));
  assert.ok(!sharesInserts(workload('latest', 'get', 'put')));
  assert.ok(!sharesInserts(workload('latest', 'insert')));
  assert.ok(!sharesInserts(workload('uniform', 'get', 'insert')));
});

test('workloads and stages insert apart from each other and from every range, below 2^53', () => {
  const upTo = (...maxima: readonly number[]) =>
    maxima.map((maximum) => ({ keys: { maximum } as Workload['keys'] }));
  const firsts = [0, 1, 2].flatMap((number) =>
    [0, 1, 31].map((workload) => firstInsertedKey(upTo(999, 5_000), number, workload)),
  );
  assert.equal(firsts[0], 5_001);
  firsts.slice(1).forEach((first, index) => assert.ok(first >= (firsts[index] as number) + 10 ** 10));
  assert.ok(Number.isSafeInteger(firstInsertedKey(upTo(10 ** 15), 199, 31)));
  assert.throws(() => firstInsertedKey(upTo(2 ** 53 - 100), 0, 0), PacecarError);
});
