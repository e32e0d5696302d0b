import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { measureStage, smallPlan } from './small-plan.js';
import { TestRun } from './test-run.js';

test('a bundle directory that vanishes in mid-run fails the run, and says so to everybody', async (t) => {
  const run = await TestRun.begin(t);
  const coordinator = await run.coordinate(
    smallPlan({ workers: 2, target: run.target, stages: [measureStage(20_000)] }),
  );
  const workers = [run.worker(), run.worker()];
  await run.event('stage-go');
  await rm(run.directory, { recursive: true });
  const end = await coordinator.finished;
  assert.deepEqual([end.outcome, end.code], ['failed', 'STORAGE'], run.log());
  assert.match(end.reason, /cannot be written.*(removed or replaced|no such file or directory)/);
  for (const worker of workers) {
    const left = await worker.ended;
    assert.deepEqual([left.code, left.exitCode], ['STORAGE', 3]);
  }
});
