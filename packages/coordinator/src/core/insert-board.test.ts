import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Frame,
  InsertedSchema,
  insertSlices,
  LIMITS,
  monotonicMs,
  plainAction,
  plainStage,
  plainWorkload,
  type Stage,
  type WorkerInserts,
} from '@pacecar/protocol';
import { InsertBoard } from './insert-board.js';

function stageOf(connections: number): Stage {
  const workload = plainWorkload({
    connections: { count: connections, scope: 'worker' },
    mix: [plainAction('get', 1), plainAction('insert', 1)],
    keys: { maximum: 9, distribution: { kind: 'latest', exponent: 0.99 } },
  });
  return plainStage({ workloads: [workload] });
}

/** Of a worker that has `rounds` rounds behind it on each connection. */
function frame(stage: Stage, workers: number, worker: number, interval: number, rounds: number) {
  const [workload] = stage.workloads;
  assert.ok(workload !== undefined);
  const slices = insertSlices(workload, workers, worker).map(() => [0, rounds]);
  const told: Pick<Frame, 'inserted' | 'interval'> = { interval, inserted: [{ workload: 'main', slices }] };
  return told;
}

function numbersIn(inserts: readonly WorkerInserts[]): number {
  return inserts.reduce((sum, { slices }) => sum + slices.reduce((more, one) => more + one.length, 0), 0);
}

function checked(inserts: readonly WorkerInserts[]): readonly WorkerInserts[] {
  InsertedSchema.parse({ type: 'inserted', epoch: 1, cell: 0, stage: 0, inserts });
  return inserts;
}

describe('what workers are told of inserts', () => {
  for (const [connections, workers, intervalsForAll] of [
    [50, 3, 1],
    [1_000, 100, 3],
    [1_000, 1_000, 16],
    [1_000, LIMITS.workers, LIMITS.workers / 26],
  ] as const)
    test(`${workers} workers of ${connections} connections: bounded, and everybody's turn comes`, () => {
      const stage = stageOf(connections);
      const board = new InsertBoard(stage, workers, 1_000);
      const told = new Set<number>();
      for (let interval = 0; interval < intervalsForAll + 1 && told.size < workers; interval++) {
        for (let worker = 0; worker < workers; worker++) {
          assert.equal(board.take(worker, frame(stage, workers, worker, interval, interval + 1)), null);
          const inserts = board.due(workers, monotonicMs(1_000 * interval));
          assert.equal(inserts === null, worker < workers - 1);
          if (inserts === null) continue;
          checked(inserts);
          assert.ok(numbersIn(inserts) <= LIMITS.insertedNumbers);
          assert.ok(numbersIn(inserts) * workers <= 2 ** 18);
          for (const one of inserts) told.add(one.worker);
        }
      }
      assert.equal(told.size, workers);
      const all = [...board.all()].map(checked);
      assert.ok(all.every((inserts) => numbersIn(inserts) <= LIMITS.insertedNumbers));
      assert.equal(all.flat().length, workers);
    });

  test('many frames at once of some that come back are told at most twice an interval', () => {
    const stage = stageOf(4);
    const board = new InsertBoard(stage, 3, 1_000);
    let times = 0;
    for (let interval = 0; interval < 600; interval++) {
      board.take(0, frame(stage, 3, 0, interval, interval + 1));
      if (board.due(3, monotonicMs(1_000 + interval)) !== null) times++;
    }
    assert.equal(times, 2);
  });

  test('inserts that nobody reads, or in other slices than the share has, are refused', () => {
    const stage = stageOf(4);
    const board = new InsertBoard(stage, 2, 1_000);
    const tells = (workload: string, slices: readonly (readonly number[])[]) =>
      board.take(0, { interval: 0, inserted: [{ workload, slices }] });
    assert.match(tells('other', [[0, 1]]) ?? '', /inserts of other, which nobody/);
    assert.match(tells('main', [[0, 1]]) ?? '', /in 1 slices where its share makes 4/);
    assert.equal(board.due(2, monotonicMs(9_000)), null);
  });
});
