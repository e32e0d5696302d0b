import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { freePort } from '../services/redis-server.js';
import { until } from './deadline.js';
import { assertGone, descendants, lives, pacecar, PacecarProcess } from './pacecar-process.js';
import { commandCalls } from '../services/redis-command.js';
import { readSummary, scenario, Workspace } from './workspace.js';

const LEASE_MS = 2_000;
const LIVENESS = 'liveness: { heartbeat: 200ms, lostAfter: 2s, lease: 2s }';

describe('the coordinator is killed in mid-stage', () => {
  let workspace = new Workspace();
  const open: PacecarProcess[] = [];
  after(() => workspace.remove());
  beforeEach(async () => {
    await Promise.all(open.splice(0).map((process) => process.close()));
    workspace.remove();
    workspace = new Workspace();
    workspace.write('token', 'a-token-for-tests');
  });
  after(() => Promise.all(open.map((process) => process.close())));

  function start(args: readonly string[]): PacecarProcess {
    const process = new PacecarProcess(args, { cwd: workspace.path });
    open.push(process);
    return process;
  }

  async function startTarget(): Promise<number> {
    const target = start(['target', '--port', '0']);
    return Number((await target.says(/listening on 127\.0\.0\.1:(\d+)/))[1]);
  }

  /** Starts a coordinator for two workers and a run of a minute. */
  function startCoordinator(listen: number, target: number): PacecarProcess {
    workspace.write(
      'long.yaml',
      scenario({
        target: `redis://127.0.0.1:${target}`,
        workers: 2,
        stages: '[load, measure: { for: 1m }]',
        more: LIVENESS,
      }),
    );
    return start(['coordinator', 'long.yaml', '--listen', `127.0.0.1:${listen}`, '--token-file', 'token']);
  }

  async function loadStops(target: number, limitMs: number): Promise<void> {
    let before = -1;
    await until(
      'the load stops',
      async () => {
        const calls = (await commandCalls(target))['get'] ?? 0;
        const stopped = calls === before;
        before = calls;
        if (!stopped) await new Promise((resolve) => setTimeout(resolve, 200));
        return stopped ? true : null;
      },
      limitMs,
    );
  }

  test('its workers stop the load within their lease and exit with 3; the bundle renders, marked interrupted', async () => {
    const target = await startTarget();
    const listen = await freePort();
    const coordinator = startCoordinator(listen, target);
    await coordinator.says(/listening on/);
    const join = [
      'worker',
      '--join',
      `ws://127.0.0.1:${listen}`,
      '--token-file',
      'token',
      '--group',
      'clients',
    ];
    const workers = [start(join), start(join)];
    await coordinator.says(/measure \(2 of 2\): \d.* [1-9][\d,]* ops\/s/);
    coordinator.signal('SIGKILL');
    await loadStops(target, LEASE_MS + 1_500);
    for (const worker of workers) {
      const ended = await worker.endsWithin(LEASE_MS + 5_000);
      assert.equal(ended.code, 3, worker.output());
      assert.match(ended.stderr, /coordinator/i);
    }
    const report = await pacecar(['report', workspace.bundle(), '--format', 'json'], { cwd: workspace.path });
    assert.equal(report.code, 0, report.stderr);
    const summary = readSummary(report.stdout);
    assert.equal(summary.run.outcome, 'interrupted');
    assert.notEqual(summary.verdict.status, 'VALID');
    assert.equal(summary.cells[0]?.stages[0]?.outcome, 'complete');
    assert.ok((summary.cells[0]?.stages[1]?.total.ok ?? 0) > 0, 'what was measured is kept');
    const text = await pacecar(['report', workspace.bundle()], { cwd: workspace.path });
    assert.match(text.stdout, /interrupted/i);
    const verified = await pacecar(['verify', workspace.bundle()], { cwd: workspace.path });
    assert.equal(verified.code, 1);
    assert.match(verified.stdout, /never sealed/);
  });

  test('workers that wait serve the next coordinator at that address', async () => {
    const target = await startTarget();
    const listen = await freePort();
    const first = startCoordinator(listen, target);
    await first.says(/listening on/);
    const join = ['worker', '--join', `ws://127.0.0.1:${listen}`, '--token-file', 'token', '--wait'];
    const workers = [start([...join, '--name', 'one']), start([...join, '--name', 'two'])];
    await first.says(/measure \(2 of 2\): \d.* [1-9][\d,]* ops\/s/);
    first.signal('SIGKILL');
    await first.ended;
    workspace.write(
      'short.yaml',
      scenario({
        target: `redis://127.0.0.1:${target}`,
        workers: 2,
        stages: '[load, measure: { for: 500ms }]',
      }),
    );
    const second = start([
      ...[
        'coordinator',
        'short.yaml',
        '--listen',
        `127.0.0.1:${listen}`,
        '--token-file',
        'token',
        '--out',
        'second',
        '--json',
      ],
    ]);
    const ended = await second.endsWithin(LEASE_MS + 20_000);
    assert.equal(ended.code, 0, second.output());
    const summary = readSummary(ended.stdout);
    assert.deepEqual(summary.run.workers.map(({ name }) => name).sort(), ['one', 'two']);
    assert.equal(summary.verdict.status, 'VALID', 'no frame of the first run has come into it');
    for (const worker of workers) {
      assert.ok(lives(worker.pid), 'it waits for the next run');
      worker.signal('SIGTERM');
      assert.equal((await worker.endsWithin(5_000)).code, 143, worker.output());
    }
  });

  test('of a local run: workers and target end within the lease', async () => {
    workspace.write('local.yaml', scenario({ stages: '[load, measure: { for: 1m }]', more: LIVENESS }));
    const run = start(['run', 'local.yaml']);
    await run.says(/measure \(2 of 2\): \d.* [1-9][\d,]* ops\/s/);
    const children = descendants(run.pid).map(({ pid }) => pid);
    assert.equal(children.length, 4);
    run.signal('SIGKILL');
    await assertGone(children, LEASE_MS);
    const report = await pacecar(['report', workspace.bundle()], { cwd: workspace.path });
    assert.equal(report.code, 0, report.stderr);
    assert.match(report.stdout, /interrupted/i);
  });
});
