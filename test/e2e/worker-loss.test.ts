import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import type { Summary } from '@pacecar/report';
import { assertGone, pacecar, PacecarProcess, workersOf } from './pacecar-process.js';
import { readEvents, readSummary, scenario, Workspace } from './workspace.js';

const LOST_AFTER_MS = 1_500;
const LIVENESS = 'liveness: { heartbeat: 200ms, lostAfter: 1500ms, lease: 1500ms }';

describe('a worker is lost in mid-stage', () => {
  let workspace = new Workspace();
  after(() => workspace.remove());
  beforeEach(() => {
    workspace.remove();
    workspace = new Workspace();
  });

  /** Starts a run, does `harm` to worker 1 once the measure stage has given figures, and waits for the end. */
  async function runWithHarm(
    options: { measureFor: string; more: string },
    harm: NodeJS.Signals,
  ): Promise<{ code: number | null; stdout: string; stderr: string; tookMs: number; summary: Summary }> {
    workspace.write(
      'loss.yaml',
      scenario({
        stages: `[load, measure: { for: ${options.measureFor}, drain: 500ms }]`,
        more: `interval: 200ms\n${LIVENESS}\n${options.more}`,
      }),
    );
    const run = new PacecarProcess(['run', 'loss.yaml'], { cwd: workspace.path });
    try {
      await run.says(/measure \(2 of 2\): \d.* [1-9][\d,]* ops\/s/);
      const workers = workersOf(run);
      assert.equal(workers.length, 3);
      process.kill(workers[1] as number, harm);
      const harmedAtMs = performance.now();
      const ended = await run.endsWithin(30_000);
      await assertGone(workers, 1_000);
      const summary = readSummary(readFileSync(join(workspace.bundle(), 'summary.json'), 'utf8'));
      return { ...ended, tookMs: performance.now() - harmedAtMs, summary };
    } finally {
      await run.close();
    }
  }

  for (const harm of ['SIGKILL', 'SIGSTOP'] as const) {
    test(`${harm}, policy fail: the run ends within 5 s of the limit, exit 3, names it, keeps what it sent`, async () => {
      const { code, stdout, stderr, tookMs, summary } = await runWithHarm(
        { measureFor: '1m', more: '' },
        harm,
      );
      assert.equal(code, 3, stderr);
      assert.ok(tookMs < LOST_AFTER_MS + 5_000, `it took ${tookMs} ms`);
      const lost = summary.run.workers.filter((worker) => worker.lost !== null);
      assert.deepEqual(
        lost.map(({ index }) => index),
        [1],
      );
      const name = lost[0]?.name as string;
      assert.ok(stderr.includes(name) && stdout.includes(name), `${name} is named`);
      assert.equal(summary.verdict.status, 'INVALID');
      const [load, measure] = summary.cells[0]?.stages ?? [];
      assert.equal(load?.outcome, 'complete', 'the stage before it stays complete');
      assert.equal(load?.total.ok, 2000);
      const kept = measure?.workers.find(({ worker }) => worker === 1);
      assert.ok((kept?.total.ok ?? 0) > 0, 'its last frames are kept');
      assert.equal(kept?.complete, false);
      const verified = await pacecar(['verify', workspace.bundle()], { cwd: workspace.path });
      assert.equal(verified.code, 0, verified.stdout);
    });

    test(`${harm}, policy continue: the run goes on to its end, DEGRADED, "2 of 3 workers"`, async () => {
      const { code, stdout, stderr, summary } = await runWithHarm(
        { measureFor: '5s', more: 'onWorkerLoss: continue' },
        harm,
      );
      assert.equal(code, 0, stderr);
      assert.equal(summary.verdict.status, 'DEGRADED');
      assert.match(stdout, /2 of 3 workers/);
      const measure = summary.cells[0]?.stages[1];
      assert.equal(measure?.outcome, 'partial');
      assert.deepEqual(measure?.participants, { complete: 2, of: 3 });
      assert.ok((measure?.elapsedMs ?? 0) >= 5_000, 'the others measured to the end');
    });
  }

  test('a worker that ends before it has joined fails the run at once, with the end of its log', async () => {
    workspace.write('run.yaml', scenario({ stages: '[measure: { for: 1m }]' }));
    const run = new PacecarProcess(['run', 'run.yaml'], { cwd: workspace.path });
    try {
      await run.says(/waiting for/);
      const victim = workersOf(run)[0];
      assert.ok(victim !== undefined);
      process.kill(victim, 'SIGKILL');
      const ended = await run.endsWithin(15_000);
      assert.equal(ended.code, 3, run.output());
      assert.match(ended.stderr, /worker 0 \(pid \d+\) was ended by SIGKILL/);
      const events = readEvents(workspace.bundle());
      assert.ok(!events.some(({ type }) => type === 'interrupted'), 'nobody interrupted it');
      const end = events.at(-1);
      assert.ok(end?.type === 'run-ended' && end.outcome === 'failed', JSON.stringify(end));
    } finally {
      await run.close();
    }
  });

  test('a worker that is only slow for a while, below the limit, is not lost', async () => {
    workspace.write(
      'slow.yaml',
      scenario({
        stages: '[load, measure: { for: 3s }]',
        more: 'interval: 200ms\nliveness: { heartbeat: 200ms, lostAfter: 10s, lease: 10s }',
      }),
    );
    const run = new PacecarProcess(['run', 'slow.yaml'], { cwd: workspace.path });
    try {
      await run.says(/measure \(2 of 2\): \d.* [1-9][\d,]* ops\/s/);
      const victim = workersOf(run)[1] as number;
      process.kill(victim, 'SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, 800));
      process.kill(victim, 'SIGCONT');
      const ended = await run.endsWithin(30_000);
      assert.equal(ended.code, 0, run.output());
      const events = readEvents(workspace.bundle());
      assert.equal(events.filter(({ type }) => type === 'worker-lost').length, 0);
      assert.doesNotMatch(ended.stdout, /INVALID/);
      assert.match(ended.stdout, /worker \S+ stood still for \S+ m?s of measure/);
    } finally {
      await run.close();
    }
  });
});
