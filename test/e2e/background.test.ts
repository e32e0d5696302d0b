import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import type { StageSummary, Summary } from '@pacecar/report';
import { assertGone, pacecar, PacecarProcess, workersOf } from './pacecar-process.js';
import { readSummary, scenario, targetCalls, Workspace } from './workspace.js';

const LIVENESS = 'liveness: { heartbeat: 200ms, lostAfter: 1500ms, lease: 1500ms }';
/** Each stage has a command of its own, so that the target counts them apart. */
const COUNTER =
  'measure: { name: counter, until: busy, rate: 50/s, connections: 1 per worker, keys: { prefix: "n:" }, mix: { increment: 1 } }';
const SWEEPER =
  'measure: { name: sweeper, background: true, thinkTime: 20ms, keys: { prefix: "none:" }, mix: { delete: 1 } }';

describe('stages in the background', () => {
  let workspace = new Workspace();
  after(() => workspace.remove());
  beforeEach(() => {
    workspace.remove();
    workspace = new Workspace();
  });

  const summaryOf = (): Summary =>
    readSummary(readFileSync(join(workspace.bundle(), 'summary.json'), 'utf8'));
  const stageOf = (summary: Summary, name: string): StageSummary => {
    const found = summary.cells[0]?.stages.find((stage) => stage.name === name);
    assert.ok(found !== undefined, name);
    return found;
  };
  async function assertVerified(): Promise<void> {
    const verified = await pacecar(['verify', workspace.bundle()], { cwd: workspace.path });
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  }

  test('have results of their own, which are what the target counted', async () => {
    workspace.write(
      'run.yaml',
      scenario({
        workers: 2,
        stages: `[load, ${COUNTER}, ${SWEEPER}, measure: { name: busy, for: 2s, mix: { put: 1 } }, verify]`,
        more: 'interval: 200ms\nmissBudget: 100%\nstartSkewLimit: 2s',
      }),
    );
    const run = await pacecar(['run', 'run.yaml'], { cwd: workspace.path, limitMs: 60_000 });
    assert.equal(run.code, 0, run.stderr + run.stdout);
    assert.match(run.stderr, /busy \(4 of 5\) beside counter, sweeper: /);
    const summary = summaryOf();
    const calls = targetCalls(workspace.bundle());
    const [load, counter, sweeper, busy, verify] = ['load', 'counter', 'sweeper', 'busy', 'verify'].map(
      (name) => stageOf(summary, name),
    ) as [StageSummary, StageSummary, StageSummary, StageSummary, StageSummary];
    assert.equal(calls['incr'], counter.total.sent);
    assert.equal(calls['del'], sweeper.total.sent);
    assert.equal(calls['set'], load.total.sent + busy.total.sent);
    assert.equal(calls['get'], verify.total.sent);
    for (const stage of [counter, sweeper]) {
      assert.equal(stage.outcome, 'complete');
      assert.equal(stage.total.ok, stage.total.sent);
      assert.deepEqual(stage.participants, { complete: 2, of: 2 });
      assert.ok((stage.elapsedMs ?? 0) > 2_000, 'it was there before and after');
      assert.ok(stage.timeline.total.length >= 10);
    }
    assert.deepEqual(counter.beside, ['busy']);
    assert.deepEqual(sweeper.beside, ['busy', 'verify']);
    assert.deepEqual(busy.beside, ['counter', 'sweeper']);
    // 8 connections that rest for 20 ms do no more than this.
    assert.ok(sweeper.total.sent <= (8 * (sweeper.elapsedMs ?? 0)) / 20 + 8);
    const { schedule } = counter.load[0] ?? {};
    assert.ok(
      Math.abs((schedule?.sent ?? 0) - 50 * ((schedule?.windowMs ?? 0) / 1e3)) < 25,
      'its own schedule',
    );
    await assertVerified();
  });

  /** Starts a run of a minute, strikes once the foreground has given figures, and waits for the end. */
  async function runUntil(
    more: string,
    stages: string,
    strike: (run: PacecarProcess, workers: readonly number[]) => void,
  ): Promise<{ code: number | null; stdout: string; stderr: string }> {
    workspace.write(
      'run.yaml',
      scenario({
        stages,
        more: `interval: 200ms\nmissBudget: 100%\n${more}`,
      }),
    );
    const run = new PacecarProcess(['run', 'run.yaml'], { cwd: workspace.path });
    try {
      await run.says(/busy \(3 of 3\) beside counter: \d.* [1-9][\d,]* ops\/s/);
      const workers = workersOf(run);
      assert.equal(workers.length, 3);
      strike(run, workers);
      const ended = await run.endsWithin(30_000);
      await assertGone(workers, 1_000);
      return ended;
    } finally {
      await run.close();
    }
  }

  const busyFor = (time: string) =>
    `[load, ${COUNTER}, measure: { name: busy, for: ${time}, drain: 500ms, mix: { get: 1 } }]`;

  test('SIGSTOP of a worker of both, policy fail: exit 3, what it sent in each is kept', async () => {
    const { code, stderr } = await runUntil(LIVENESS, busyFor('1m'), (_, workers) =>
      process.kill(workers[1] as number, 'SIGSTOP'),
    );
    assert.equal(code, 3, stderr);
    const summary = summaryOf();
    assert.equal(summary.verdict.status, 'INVALID');
    for (const name of ['counter', 'busy']) {
      const stage = stageOf(summary, name);
      assert.equal(stage.outcome, 'failed');
      const kept = stage.workers.find(({ worker }) => worker === 1);
      assert.ok((kept?.total.ok ?? 0) > 0, `the last frames of ${name} are kept`);
      assert.equal(kept?.complete, false);
    }
    await assertVerified();
  });

  test('SIGKILL of a worker of both, policy continue: both go on without it', async () => {
    const { code, stdout, stderr } = await runUntil(
      `${LIVENESS}\nonWorkerLoss: continue`,
      busyFor('5s'),
      (_, workers) => process.kill(workers[1] as number, 'SIGKILL'),
    );
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^DEGRADED/);
    const summary = summaryOf();
    for (const name of ['counter', 'busy']) {
      const stage = stageOf(summary, name);
      assert.equal(stage.outcome, 'partial');
      assert.deepEqual(stage.participants, { complete: 2, of: 3 });
      assert.ok((stage.elapsedMs ?? 0) >= 5_000, `${name} went on to its end`);
    }
    await assertVerified();
  });

  test('SIGINT: the partial report of both, exit 130', async () => {
    const ended = await runUntil('', busyFor('1m'), (run) => run.signal('SIGINT'));
    assert.equal(ended.code, 130, ended.stderr);
    const summary = summaryOf();
    assert.equal(summary.run.participants.lost, 0);
    const calls = targetCalls(workspace.bundle());
    for (const [name, command] of [
      ['counter', 'incr'],
      ['busy', 'get'],
    ] as const) {
      const stage = stageOf(summary, name);
      assert.equal(stage.outcome, 'interrupted');
      assert.ok(stage.total.ok > 0, `what was measured of ${name} is kept`);
      assert.ok((calls[command] ?? 0) >= stage.total.ok, `${name} counts what was answered, and no more`);
    }
    await assertVerified();
  });

  test('are refused before anything is sent where there is nothing to run beside', async () => {
    workspace.write('run.yaml', scenario({ stages: '[load, measure: { background: true }]' }));
    const run = await pacecar(['run', 'run.yaml'], { cwd: workspace.path });
    assert.equal(run.code, 2);
    assert.match(
      run.stderr,
      /run\.yaml:\d+:\d+: stages\[1\]\.measure\.background: a background stage runs beside/,
    );
    assert.deepEqual(workspace.bundles(), []);
  });

  test('take part in the dump of operations, which is the same every time', async () => {
    workspace.write('run.yaml', scenario({ workers: 2, stages: busyFor('1s') }));
    const dump = async () =>
      (await pacecar(['run', 'run.yaml', '--dump-operations', '3'], { cwd: workspace.path })).stdout;
    const first = await dump();
    assert.equal(await dump(), first);
    const counted = first
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { stage?: unknown; operation: string; dueNs: number | null })
      .filter(({ operation }) => operation === 'increment');
    assert.equal(counted.length, 2 * 3, 'a connection of each of two workers');
    assert.deepEqual(
      counted.map(({ dueNs }) => dueNs).sort((a, b) => (a ?? 0) - (b ?? 0)),
      [0, 1, 2, 3, 4, 5].map((n) => n * 20e6),
    );
  });
});
