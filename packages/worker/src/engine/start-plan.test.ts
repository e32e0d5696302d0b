import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Amount, CLOSED_MODEL, type ClosedModel, type Stage } from '@pacecar/protocol';
import fc from 'fast-check';
import { portionOf } from './portion.js';
import { MS, stage } from './stage-run.test.support.js';

const perWorker = (count: number): Amount => ({ count, scope: 'worker' });
const inTotal = (count: number): Amount => ({ count, scope: 'total' });

function starting(start: ClosedModel['start'], connections: Amount): Stage {
  const of = stage({});
  const model = { ...CLOSED_MODEL, start };
  return { ...of, workloads: of.workloads.map((workload) => ({ ...workload, connections, model })) };
}

/** When each connection begins, by worker, ms. */
function starts(of: Stage, workers: number): number[][] {
  return Array.from({ length: workers }, (_, index) =>
    portionOf(of, { index, of: workers })
      .threads.flat()
      .map(({ startsAfterNs }) => startsAfterNs / MS),
  );
}

describe('when connections begin', () => {
  test('together, unless the plan says otherwise', () => {
    assert.deepEqual(starts(starting({ kind: 'together' }, perWorker(3)), 2), [
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  test('a ramp rises evenly over all workers, one connection of each in turn', () => {
    const of = starting({ kind: 'ramp', durationMs: 600 }, perWorker(3));
    assert.deepEqual(starts(of, 2), [
      [0, 200, 400],
      [100, 300, 500],
    ]);
  });

  test('stairs in total are dealt out to the workers in turn', () => {
    const of = starting({ kind: 'staircase', first: inTotal(1), step: inTotal(2), everyMs: 100 }, inTotal(7));
    // Connections 0 | 1 2 | 3 4 | 5 6, of workers 0 | 1 2 | 0 1 | 2 0.
    assert.deepEqual(starts(of, 3), [
      [0, 200, 300],
      [100, 200],
      [100, 300],
    ]);
  });

  test('stairs per worker are the same on each', () => {
    const of = starting(
      { kind: 'staircase', first: perWorker(2), step: perWorker(1), everyMs: 100 },
      perWorker(4),
    );
    assert.deepEqual(starts(of, 2), [
      [0, 0, 100, 200],
      [0, 0, 100, 200],
    ]);
  });
});

describe('operations of an open model', () => {
  test('by count in total: each of the first arrivals belongs to one connection, whatever the numbers', () => {
    fc.assert(
      fc.property(
        fc.record({
          count: fc.integer({ min: 1, max: 10_000 }),
          workers: fc.integer({ min: 1, max: 9 }),
          connections: fc.integer({ min: 1, max: 20 }),
          keys: fc.integer({ min: 1, max: 60 }),
        }),
        fc.constantFrom<Amount['scope']>('worker', 'total'),
        fc.boolean(),
        ({ count, workers, connections, keys }, scope, partitioned) => {
          const of = stage({ end: { kind: 'operations', operations: inTotal(count) } });
          const distribution = { kind: partitioned ? 'partitioned' : 'uniform' } as const;
          const spec: Stage = {
            ...of,
            workloads: of.workloads.map((workload) => ({
              ...workload,
              connections: { count: connections, scope },
              keys: { ...workload.keys, maximum: keys - 1, distribution },
              model: {
                kind: 'open',
                rate: { kind: 'constant', ratePerSec: 10 },
                arrivals: 'constant',
                lateAfterMs: 0,
                dropAfterMs: null,
              },
            })),
          };
          const lanes = Array.from({ length: workers }, (_, index) =>
            portionOf(spec, { index, of: workers }).threads.flat(),
          ).flat();
          assert.equal(
            lanes.reduce((sum, lane) => sum + lane.operations, 0),
            count,
          );
          assert.ok(lanes.every(({ operations, keys: own }) => operations === 0 || own?.length !== 0));
        },
      ),
    );
  });
});
