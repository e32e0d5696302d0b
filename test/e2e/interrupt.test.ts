import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { assertGone, descendants, pacecar, PacecarProcess } from './pacecar-process.js';
import { readSummary, scenario, Workspace } from './workspace.js';

const WITHIN_MS = 5_000;

describe('a run that is interrupted', () => {
  let workspace = new Workspace();
  let run: PacecarProcess | null = null;
  after(() => workspace.remove());
  beforeEach(() => {
    workspace.remove();
    workspace = new Workspace();
  });

  /** Starts a run of a minute and waits until its measure stage has given figures. */
  async function startRun(): Promise<{ run: PacecarProcess; children: number[] }> {
    workspace.write('long.yaml', scenario({ stages: '[load, measure: { for: 1m }]' }));
    run = new PacecarProcess(['run', 'long.yaml'], { cwd: workspace.path });
    await run.says(/measure \(2 of 2\): \d.* [1-9][\d,]* ops\/s/);
    const children = descendants(run.pid).map(({ pid }) => pid);
    assert.equal(children.length, 4, 'three workers and the target');
    return { run, children };
  }

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    test(`by ${signal}: the partial report within 5 s, exit ${code}, no process left`, async () => {
      const { run, children } = await startRun();
      try {
        run.signal(signal);
        const ended = await run.endsWithin(WITHIN_MS);
        assert.equal(ended.code, code, run.output());
        await assertGone(children, 1_000);
        assert.match(ended.stdout, /interrupted/i);
        assert.match(ended.stdout, /^Report: .*report\.html$/m);
        const summary = readSummary(readFileSync(join(workspace.bundle(), 'summary.json'), 'utf8'));
        assert.equal(summary.run.outcome, 'interrupted');
        const stages = summary.cells[0]?.stages ?? [];
        assert.equal(stages[0]?.outcome, 'complete', 'the stage before it stays complete');
        assert.equal(stages[1]?.outcome, 'interrupted');
        assert.ok((stages[1]?.total.ok ?? 0) > 0, 'what was measured is kept');
        const verified = await pacecar(['verify', workspace.bundle()], { cwd: workspace.path });
        assert.equal(verified.code, 0, verified.stdout);
      } finally {
        await run.close();
      }
    });

  test('twice: exits at once and leaves no process', async () => {
    const { run, children } = await startRun();
    try {
      // A stopped worker keeps the run from ending in order, so that the second signal comes in time.
      process.kill(children[1] as number, 'SIGSTOP');
      run.signal('SIGINT');
      await run.says(/once more to quit at once/);
      run.signal('SIGINT');
      const ended = await run.endsWithin(1_000);
      assert.equal(ended.code, 130, run.output());
      await assertGone(children, 1_000);
      const report = await pacecar(['report', workspace.bundle()], { cwd: workspace.path });
      assert.equal(report.code, 0, report.stderr);
      assert.match(report.stdout, /interrupted/i);
    } finally {
      await run.close();
    }
  });

  test('while a worker does not answer: still within 5 s', async () => {
    const { run, children } = await startRun();
    try {
      process.kill(children[1] as number, 'SIGSTOP');
      run.signal('SIGINT');
      const ended = await run.endsWithin(WITHIN_MS);
      assert.equal(ended.code, 130, run.output());
      await assertGone(children, 1_000);
    } finally {
      await run.close();
    }
  });

  test('by a terminal, which sends SIGINT to workers and target too: the same', async () => {
    const { run, children } = await startRun();
    try {
      for (const pid of [...children, run.pid]) process.kill(pid, 'SIGINT');
      const ended = await run.endsWithin(WITHIN_MS);
      assert.equal(ended.code, 130, run.output());
      const summary = readSummary(readFileSync(join(workspace.bundle(), 'summary.json'), 'utf8'));
      assert.equal(summary.run.participants.lost, 0);
      assert.equal(summary.run.outcome, 'interrupted');
      await assertGone(children, 1_000);
    } finally {
      await run.close();
    }
  });

  test('before its workers have joined: exit 130, no process left', async () => {
    workspace.write('long.yaml', scenario({ workers: 2, stages: '[measure: { for: 1m }]' }));
    const run = new PacecarProcess(['run', 'long.yaml'], { cwd: workspace.path });
    try {
      await run.says(/waiting for/);
      const children = descendants(run.pid).map(({ pid }) => pid);
      run.signal('SIGINT');
      const ended = await run.endsWithin(WITHIN_MS);
      assert.equal(ended.code, 130, run.output());
      await assertGone(children, 1_000);
    } finally {
      await run.close();
    }
  });
});
