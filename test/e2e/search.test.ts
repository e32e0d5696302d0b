import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { needs } from '../services/installed.js';
import { startRedis } from '../services/redis-server.js';
import { pacecar, PacecarProcess } from './pacecar-process.js';
import { readEvents, readSummary, scenario, Workspace } from './workspace.js';

/**
 * Waits 100 ms in the target, so that 8 connections do 80 of it in a second at most, however fast or slow the machine
 * is that this runs on.
 */
const WAIT = '[{ command: "BLPOP nothing 0.1", name: wait }]';
const MOST_PER_SEC = 80;

const search = (range: string, precision = '60%') => `
  - measure:
      name: peak
      mix: ${WAIT}
      connections: 4 per worker
      lateAfter: 300ms
      search: { objective: wait.p99 < 600ms, rate: ${range}, probe: 1s, settle: 200ms, precision: ${precision} }`;
const MORE = 'interval: 200ms\nliveness: { startLead: 100ms }';

describe('a search', () => {
  let workspace = new Workspace();
  after(() => workspace.remove());
  beforeEach(() => {
    workspace.remove();
    workspace = new Workspace();
  });

  /** What holds for every search of a target that takes 80 operations a second. */
  async function finds(target: string): Promise<void> {
    workspace.write(
      'search.yaml',
      scenario({ target, workers: 2, stages: search('20/s..320/s'), more: MORE }),
    );
    const run = await pacecar(['run', 'search.yaml', '--json'], { cwd: workspace.path });
    assert.equal(run.code, 0, run.stderr + run.stdout);
    const summary = readSummary(run.stdout);
    const [stage] = summary.cells[0]?.stages ?? [];
    assert.ok(stage !== undefined && stage.search !== null);
    const { outcome, ratePerSec, ceilingPerSec, probes, result } = stage.search;
    assert.equal(outcome, 'found', JSON.stringify(probes));
    // A machine that others use as well may hide a little of the limit, and never add to it.
    assert.ok(
      ratePerSec !== null && ratePerSec >= 20 && ratePerSec <= MOST_PER_SEC * 1.02,
      `${ratePerSec}/s`,
    );
    assert.ok(ceilingPerSec !== null && ceilingPerSec > ratePerSec);
    const over = probes.filter((probe) => probe.ratePerSec > MOST_PER_SEC * 1.1);
    assert.ok(
      over.every(({ held }) => held === false),
      JSON.stringify(probes),
    );
    assert.ok(
      probes.some(({ faults, limit }) => faults.includes('rate') && limit !== null),
      `a rate that was not reached has a reason: ${JSON.stringify(probes)}`,
    );
    const confirmed = probes.find(({ number }) => number === result);
    assert.equal(confirmed?.step, 'confirmation');
    assert.equal(stage.load[0]?.schedule?.duePerSec, ratePerSec);
    assert.equal(stage.total.sent, confirmed?.operations);
    assert.notEqual(summary.verdict.status, 'INVALID', JSON.stringify(summary.verdict.reasons));
    const events = readEvents(workspace.bundle());
    assert.equal(events.filter(({ type }) => type === 'search-judged').length, probes.length);
    const verified = await pacecar(['verify', workspace.bundle()], { cwd: workspace.path });
    assert.equal(verified.code, 0, verified.stdout);
    const csv = await pacecar(['report', workspace.bundle(), '--format', 'csv', '--probes'], {
      cwd: workspace.path,
    });
    assert.equal(csv.stdout.trimEnd().split('\r\n').length, probes.length + 1);
  }

  test('finds what the built-in target takes, on two workers', () => finds('builtin'));

  test('finds what a real Redis takes', needs('redis-server'), async () => {
    const redis = await startRedis();
    try {
      await finds(`redis://127.0.0.1:${redis.port}`);
    } finally {
      await redis.close();
    }
  });

  test('of which not even the lowest rate holds: exit 1, and the report says it', async () => {
    workspace.write('none.yaml', scenario({ workers: 2, stages: search('300/s..2000/s'), more: MORE }));
    const run = await pacecar(['run', 'none.yaml'], { cwd: workspace.path });
    assert.equal(run.code, 1, run.stderr + run.stdout);
    assert.match(run.stdout, /1 search WITHOUT A RATE THAT HOLDS/);
    assert.match(run.stdout, /NONE {2}not even 300\/s holds wait\.p99 < 600ms/);
  });

  test('that is interrupted shows the way so far, exit 130', async () => {
    workspace.write('cut.yaml', scenario({ workers: 2, stages: search('20/s..320/s'), more: MORE }));
    const run = new PacecarProcess(['run', 'cut.yaml'], { cwd: workspace.path });
    try {
      await run.says(/peak \(1 of 1\), probe [3-9] at/);
      run.signal('SIGINT');
      const ended = await run.endsWithin(10_000);
      assert.equal(ended.code, 130, run.output());
      assert.match(
        ended.stdout,
        /CUT SHORT {2}the run ended after \d+ probes: .* had held wait\.p99 < 600ms/,
      );
      assert.match(ended.stdout, /1 {2}first +20\.0 /);
      const summary = readSummary(readFileSync(join(workspace.bundle(), 'summary.json'), 'utf8'));
      assert.equal(summary.cells[0]?.stages[0]?.search?.outcome, null);
      const verified = await pacecar(['verify', workspace.bundle()], { cwd: workspace.path });
      assert.equal(verified.code, 0, verified.stdout);
    } finally {
      await run.close();
    }
  });

  test('is done by each cell for itself', async () => {
    const stages = search('8/s..20/s', '100%')
      .replace('4 per worker', '"${connections} per worker"')
      .replace('probe: 1s', 'probe: 1600ms');
    const more = `${MORE}\nsweep: { connections: [1, 8] }`;
    workspace.write('cells.yaml', scenario({ workers: 1, stages, more }));
    const run = await pacecar(['run', 'cells.yaml', '--json'], { cwd: workspace.path });
    assert.equal(run.code, 0, run.stderr + run.stdout);
    const found = readSummary(run.stdout).cells.map(({ stages: [stage] }) => stage?.search);
    assert.equal(found.length, 2);
    const [one, eight] = found;
    assert.ok((one?.ratePerSec ?? 99) <= 10.2, `one connection takes 10/s: ${one?.ratePerSec}`);
    assert.equal(eight?.outcome, 'at-least', 'eight connections take 80/s');
  });
});

test('an objective ends a stage, on every worker, and the run goes on', async () => {
  const workspace = new Workspace();
  try {
    const stages = `
  - measure: { name: early, for: 1m, mix: ${WAIT}, stopWhen: { any: [wait.p99 > 1h, wait.p50 > 50ms], for: 600ms, operations: 5 } }
  - measure: { name: after, for: 500ms, mix: { put: 1 } }`;
    workspace.write('early.yaml', scenario({ workers: 3, stages, more: MORE }));
    const run = await pacecar(['run', 'early.yaml'], { cwd: workspace.path });
    assert.equal(run.code, 0, run.stderr + run.stdout);
    assert.match(run.stdout, /ended early {2}wait\.p50 > 50ms came true after [\d.]+ m?s: it was 1\d\d ms/);
    const summary = readSummary(readFileSync(join(workspace.bundle(), 'summary.json'), 'utf8'));
    const [early, next] = summary.cells[0]?.stages ?? [];
    assert.equal(early?.outcome, 'complete');
    assert.ok((early?.elapsedMs ?? 60_000) < 30_000, `${early?.elapsedMs} ms`);
    assert.deepEqual(early?.participants, { complete: 3, of: 3 });
    assert.equal(early?.stoppedBy?.text, 'wait.p50 > 50ms');
    assert.equal(next?.outcome, 'complete');
    assert.ok((next?.total.ok ?? 0) > 0);
    const verified = await pacecar(['verify', workspace.bundle()], { cwd: workspace.path });
    assert.equal(verified.code, 0, verified.stdout);
  } finally {
    workspace.remove();
  }
});
