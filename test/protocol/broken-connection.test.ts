import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CuttingProxy } from './cutting-proxy.js';
import { measureStage, smallPlan } from './small-plan.js';
import { TestRun } from './test-run.js';

test('a connection that is cut and restored in mid-stage loses no frame and doubles none', async (t) => {
  const run = await TestRun.begin(t);
  const coordinator = await run.coordinate(
    smallPlan({ workers: 2, target: run.target, stages: [measureStage(4_000)], more: { intervalMs: 100 } }),
  );
  const proxy = await CuttingProxy.start(coordinator.port);
  t.after(() => proxy.end());
  const steady = run.worker({ name: 'steady' });
  const shaken = run.worker({ name: 'shaken', join: `ws://127.0.0.1:${proxy.port}` });
  await run.event('stage-go');
  const { worker } = await run.event('worker-joined', (event) => event.name === 'shaken');
  for (let times = 1; times <= 3; times++) {
    proxy.cut();
    await run.event('worker-cut', (event) => event.worker === worker, times);
    proxy.restore();
    await run.event('worker-back', (event) => event.worker === worker, times);
  }
  const end = await coordinator.finished;
  assert.equal(end.outcome, 'complete', run.log());
  assert.deepEqual([(await steady.ended).exitCode, (await shaken.ended).exitCode], [0, 0]);
  const events = await run.events();
  for (const event of events) {
    if (event.type !== 'worker-drained') continue;
    const frames = await run.frames(event.worker);
    assert.deepEqual(
      frames.map(({ sequence }) => sequence),
      Array.from({ length: event.lastSequence + 1 }, (_, i) => i),
      'every number once',
    );
    const sent = frames.flatMap(({ rows }) => rows).reduce((sum, row) => sum + row.sent, 0);
    assert.equal(
      sent,
      event.totals.reduce((sum, totals) => sum + totals.sent, 0),
    );
  }
  assert.ok(!events.some((event) => event.type === 'conservation-broken' || event.type === 'worker-lost'));
});
