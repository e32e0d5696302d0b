import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Amount, PacecarError, plainStage, plainWorkload, type Stage } from '@pacecar/protocol';
import fc from 'fast-check';
import { type LanePortion, portionOf, UNBOUNDED } from './portion.js';

const perWorker = (count: number): Amount => ({ count, scope: 'worker' });
const inTotal = (count: number): Amount => ({ count, scope: 'total' });

function stage(changes: {
  end: Stage['end'];
  connections?: Amount;
  threads?: Amount;
  keys?: number;
  distribution?: 'uniform' | 'sequential' | 'partitioned';
}): Stage {
  const workload = plainWorkload({
    threads: changes.threads ?? perWorker(1),
    connections: changes.connections ?? perWorker(4),
    keys: {
      ...{ minimum: 10, maximum: 10 + (changes.keys ?? 1_000) - 1 },
      distribution: { kind: changes.distribution ?? 'uniform' },
    },
  });
  return plainStage({ workloads: [workload], end: changes.end });
}

function lanes(of: Stage, workers: number): LanePortion[][] {
  return Array.from({ length: workers }, (_, index) => portionOf(of, { index, of: workers }).threads.flat());
}

const operations = (some: readonly LanePortion[]): number =>
  some.reduce((sum, lane) => sum + (lane.operations === UNBOUNDED ? 0 : lane.operations), 0);

describe('the portion of a worker', () => {
  test('1003 operations over 10 workers are 101 for the first three and 100 for the others', () => {
    const of = stage({ end: { kind: 'operations', operations: inTotal(1_003) } });
    assert.deepEqual(lanes(of, 10).map(operations), [101, 101, 101, 100, 100, 100, 100, 100, 100, 100]);
  });

  test('3,000,000 operations over 7 threads with 7 connections are exactly 3,000,000', () => {
    const of = stage({
      end: { kind: 'operations', operations: inTotal(3_000_000) },
      connections: perWorker(7),
      threads: perWorker(7),
    });
    const { threads } = portionOf(of, { index: 0, of: 1 });
    assert.deepEqual(threads.map(operations), [428572, 428572, 428572, 428571, 428571, 428571, 428571]);
    assert.equal(
      threads.map(operations).reduce((sum, count) => sum + count),
      3_000_000,
    );
  });

  test('an amount per worker is not divided by the number of workers', () => {
    const of = stage({ end: { kind: 'operations', operations: perWorker(5) }, connections: perWorker(2) });
    assert.deepEqual(lanes(of, 3).map(operations), [5, 5, 5]);
  });

  test('whatever the numbers: operations in total sum to themselves over workers, threads and connections', () => {
    const count = fc.integer({ min: 1, max: 40 });
    const scope = fc.constantFrom<Amount['scope']>('worker', 'total');
    fc.assert(
      fc.property(
        fc.record({
          total: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
          workers: count,
          connections: count,
        }),
        fc.record({ threads: count, keys: count, connectionScope: scope, partitioned: fc.boolean() }),
        ({ total, workers, connections }, { threads, keys, connectionScope, partitioned }) => {
          const of = stage({
            end: { kind: 'operations', operations: inTotal(total) },
            connections: { count: connections, scope: connectionScope },
            threads: perWorker(threads),
            keys,
            distribution: partitioned ? 'partitioned' : 'uniform',
          });
          const all = lanes(of, workers).flat();
          const sum = all.reduce((before, lane) => before + BigInt(lane.operations), 0n);
          assert.equal(sum, BigInt(total));
          assert.equal(all.length, connectionScope === 'total' ? connections : connections * workers);
          // Nobody is asked to send without a key.
          assert.ok(all.every((lane) => lane.operations === 0 || lane.keys === null || lane.keys.length > 0));
        },
      ),
    );
  });

  test('a partitioned range is covered once, also by more connections than keys; those without a key are idle', () => {
    const count = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(
        fc.record({
          workers: count,
          connections: count,
          threads: count,
          keys: fc.integer({ min: 1, max: 500 }),
        }),
        fc.constantFrom<Stage['end']>({ kind: 'keys' }, { kind: 'duration', durationMs: 1_000 }),
        ({ workers, connections, threads, keys }, end) => {
          const of = stage({
            end,
            connections: perWorker(connections),
            threads: perWorker(threads),
            keys,
            distribution: 'partitioned',
          });
          const all = lanes(of, workers).flat();
          const covered = all.flatMap(({ keys: own }) =>
            own === null ? [] : Array.from({ length: own.length }, (_, index) => own.start + index),
          );
          assert.deepEqual(
            covered.sort((a, b) => a - b),
            Array.from({ length: keys }, (_, index) => 10 + index),
          );
          for (const lane of all) {
            if (end.kind === 'keys') assert.equal(lane.operations, lane.keys?.length);
            else assert.equal(lane.operations, lane.keys?.length === 0 ? 0 : UNBOUNDED);
          }
        },
      ),
    );
  });

  test('the connections of a worker are the same for every number of threads', () => {
    const end: Stage['end'] = { kind: 'operations', operations: inTotal(1_003) };
    const of = (threads: number) =>
      portionOf(stage({ end, connections: perWorker(5), threads: perWorker(threads) }), { index: 1, of: 3 });
    const byOne = of(1).threads.flat();
    for (const threads of [2, 3, 5, 9]) {
      assert.equal(of(threads).threads.length, threads);
      assert.deepEqual(of(threads).threads.flat(), byOne);
    }
  });

  test('fewer connections in total than workers: the last workers have nothing to do', () => {
    const of = stage({ end: { kind: 'operations', operations: inTotal(10) }, connections: inTotal(2) });
    assert.deepEqual(lanes(of, 4).map(operations), [5, 5, 0, 0]);
    assert.equal(portionOf(of, { index: 3, of: 4 }).threads.length, 0);
  });

  test('operations per worker for a worker without a connection are refused, not dropped', () => {
    const of = stage({ end: { kind: 'operations', operations: perWorker(10) }, connections: inTotal(2) });
    assert.throws(
      () => portionOf(of, { index: 2, of: 4 }),
      (error: unknown) =>
        error instanceof PacecarError &&
        error.code === 'REQUEST_INVALID' &&
        /worker 2 of 4/.test(error.message),
    );
  });
});
