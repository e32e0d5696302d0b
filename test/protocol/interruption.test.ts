import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureStage, smallPlan } from './small-plan.js';
import { TestRun } from './test-run.js';

test('an interrupted run ends in time, keeps what was measured, and every worker leaves', async (t) => {
  const run = await TestRun.begin(t);
  const coordinator = await run.coordinate(
    smallPlan({ workers: 2, target: run.target, stages: [measureStage(60_000)] }),
  );
  const workers = [run.worker(), run.worker()];
  await run.event('stage-go');
  await run.target.counters();
  const beganMs = performance.now();
  coordinator.interrupt('SIGINT');
  const end = await coordinator.finished;
  assert.deepEqual([end.outcome, end.code], ['interrupted', 'INTERRUPTED']);
  assert.ok(performance.now() - beganMs < 5_000, 'the bound of the command line');
  for (const worker of workers) assert.equal((await worker.ended).code, 'INTERRUPTED');
  const events = await run.events();
  const closed = events.find((event) => event.type === 'stage-closed');
  assert.ok(closed?.type === 'stage-closed');
  assert.equal(closed.outcome, 'interrupted');
  assert.equal(events.at(-1)?.type, 'run-ended');
});

test('an interrupt while workers are awaited ends at once', async (t) => {
  const run = await TestRun.begin(t);
  const coordinator = await run.coordinate(
    smallPlan({ workers: 2, target: run.target, stages: [measureStage(60_000)] }),
  );
  const worker = run.worker();
  await run.event('worker-joined');
  coordinator.interrupt('SIGTERM');
  assert.deepEqual((await coordinator.finished).code, 'TERMINATED');
  assert.equal((await worker.ended).code, 'TERMINATED');
});
