import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ManifestSchema } from '@pacecar/protocol';
import { pacecar, PacecarProcess } from './pacecar-process.js';
import { readSummary, scenario, targetCalls, Workspace } from './workspace.js';

const QUICKSTART = fileURLToPath(new URL('../../../scenarios/quickstart.yaml', import.meta.url));

describe('pacecar run', () => {
  let workspace = new Workspace();
  after(() => workspace.remove());
  beforeEach(() => {
    workspace.remove();
    workspace = new Workspace();
  });

  test('the quickstart scenario, on three workers', async () => {
    const run = await pacecar(['run', QUICKSTART, '--workers', '3', '--per-worker'], { cwd: workspace.path });
    assert.equal(run.code, 0, run.stderr);
    const summary = readSummary(readFileSync(join(workspace.bundle(), 'summary.json'), 'utf8'));
    assert.equal(summary.verdict.status, 'VALID');
    assert.deepEqual(summary.run.participants, { joined: 3, of: 3, lost: 0 });
    const manifest = ManifestSchema.parse(
      JSON.parse(readFileSync(join(workspace.bundle(), 'manifest.json'), 'utf8')),
    );
    assert.deepEqual(manifest.commandLine, ['pacecar', 'run', QUICKSTART, '--workers', '3', '--per-worker']);
    for (const worker of summary.run.workers)
      assert.ok(run.stdout.includes(worker.name), `a line for ${worker.name}`);
  });

  test('splits 1003 operations over 10 workers into 101 x 3 and 100 x 7', async () => {
    workspace.write(
      'split.yaml',
      scenario({ workers: 10, stages: '[measure: { operations: 1003 total, mix: { put: 1 } }]' }),
    );
    const run = await pacecar(['run', 'split.yaml', '--json'], { cwd: workspace.path });
    assert.equal(run.code, 0, run.stderr);
    const stage = readSummary(run.stdout).cells[0]?.stages[0];
    assert.deepEqual(
      stage?.workers.map(({ total }) => total.ok),
      [101, 101, 101, 100, 100, 100, 100, 100, 100, 100],
    );
    assert.equal(targetCalls(workspace.bundle())['set'], 1003);
  });

  test('depth 16 overshoots no exact count', async () => {
    workspace.write(
      'depth.yaml',
      scenario({ workers: 2, stages: '[measure: { operations: 10_007 total, depth: 16, mix: { put: 1 } }]' }),
    );
    const run = await pacecar(['run', 'depth.yaml', '--json'], { cwd: workspace.path });
    assert.equal(run.code, 0, run.stderr);
    assert.equal(readSummary(run.stdout).cells[0]?.stages[0]?.total.sent, 10_007);
    assert.equal(targetCalls(workspace.bundle())['set'], 10_007);
  });

  test('a wrong scenario: every problem with its place, exit 2, nothing started, nothing written', async () => {
    workspace.write(
      'wrong.yaml',
      'pacecar: 1\nname: wrong\nconfigurations:\n  sut: { target: builtin }\nstages:\n  - mesure: { for: 10 }\n  - measure: { for: 10, connection: 5 }\n',
    );
    for (const command of ['run', 'validate', 'coordinator']) {
      const run = await pacecar([command, 'wrong.yaml'], { cwd: workspace.path });
      assert.equal(run.code, 2, run.stderr);
      assert.equal(run.stdout, '');
      assert.match(run.stderr, /^wrong\.yaml:6:\d+: .*mesure.*measure/m);
      assert.match(run.stderr, /^wrong\.yaml:7:\d+: .*10/m);
      assert.match(run.stderr, /^wrong\.yaml:7:\d+: .*connection.*connections/m);
      assert.deepEqual(workspace.bundles(), []);
    }
    const validated = await pacecar(['validate', 'wrong.yaml', '--json'], { cwd: workspace.path });
    assert.equal(validated.code, 2);
    const problems = (JSON.parse(validated.stdout) as { problems: { line: number }[] }).problems;
    assert.deepEqual([...new Set(problems.map(({ line }) => line))], [6, 7]);
  });

  test('a missing scenario and an unknown group are refused with the thing that is wrong', async () => {
    const missing = await pacecar(['run', 'none.yaml'], { cwd: workspace.path });
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /none\.yaml/);
    workspace.write('good.yaml', scenario({ stages: '[measure: { for: 1s }]' }));
    const group = await pacecar(['run', 'good.yaml', '--group', 'client=2'], { cwd: workspace.path });
    assert.equal(group.code, 2);
    assert.match(group.stderr, /client.*clients/s);
    assert.deepEqual(workspace.bundles(), []);
  });

  test('validate prints the resolved plan, sends nothing, and gives it as JSON', async () => {
    workspace.write(
      'good.yaml',
      scenario({ target: 'redis://:hush@10.255.255.1:1', stages: '[load, measure: { for: 90s }]' }),
    );
    const text = await pacecar(['validate', 'good.yaml', '--workers', '7'], { cwd: workspace.path });
    assert.equal(text.code, 0, text.stderr);
    assert.match(text.stdout, /7/);
    assert.match(text.stdout, /1m30s/);
    assert.doesNotMatch(text.stdout, /hush/);
    assert.match(text.stderr, /warning: .*password/);
    const json = await pacecar(['validate', 'good.yaml', '--json'], { cwd: workspace.path });
    const { plan } = JSON.parse(json.stdout) as {
      plan: { name: string; cells: { stages: { kind: string }[] }[] };
    };
    assert.equal(plan.name, 'test run');
    assert.deepEqual(
      plan.cells[0]?.stages.map(({ kind }) => kind),
      ['load', 'measure'],
    );
    assert.doesNotMatch(json.stdout, /hush/);
    assert.deepEqual(workspace.bundles(), []);
  });

  test('an --out that holds something is refused', async () => {
    workspace.write('good.yaml', scenario({ stages: '[measure: { for: 1s }]' }));
    const run = await pacecar(['run', 'good.yaml', '--out', '.'], { cwd: workspace.path });
    assert.equal(run.code, 2);
    assert.match(run.stderr, /not empty/);
    for (const [out, message] of [
      ['', /--out is empty/],
      ['good.yaml', /good\.yaml is not a directory/],
      ['good.yaml/sub', /good\.yaml\/sub is not a directory/],
    ] as const) {
      const wrong = await pacecar(['run', 'good.yaml', '--out', out], { cwd: workspace.path });
      assert.equal(wrong.code, 2, wrong.stderr);
      assert.match(wrong.stderr, message);
    }
  });

  test('a disk that is full at the end: the report is printed, one message, exit 3, nothing half written', {
    skip: existsSync('/dev/full') ? false : 'there is no /dev/full here',
  }, async () => {
    workspace.write(
      'full.yaml',
      scenario({ workers: 1, stages: '[load, measure: { for: 1s }]', more: 'interval: 200ms' }),
    );
    const run = new PacecarProcess(['run', 'full.yaml'], { cwd: workspace.path });
    await run.says(/measure \(2 of 2\)/);
    symlinkSync('/dev/full', join(workspace.bundle(), 'report.html.tmp'));
    const ended = await run.endsWithin(30_000);
    assert.equal(ended.code, 3, run.output());
    assert.match(ended.stdout, /VALID/);
    assert.match(ended.stderr, /^error: the results cannot be written to .*no space is left on the device/m);
    assert.doesNotMatch(ended.stderr, /^ +at /m);
    const left = readdirSync(workspace.bundle());
    for (const name of ['report.html', 'report.html.tmp', 'manifest.json'])
      assert.ok(!left.includes(name), `${name} is not there: ${left.join(' ')}`);
    readSummary(readFileSync(join(workspace.bundle(), 'summary.json'), 'utf8'));
  });

  test('of two runs with one --out at the same moment one is refused', async () => {
    workspace.write('one.yaml', scenario({ workers: 1, stages: '[load]' }));
    const args = ['run', 'one.yaml', '--out', 'both'];
    const runs = await Promise.all([1, 2].map(() => pacecar(args, { cwd: workspace.path })));
    for (const code of [0, 2])
      assert.equal(runs.filter((run) => run.code === code).length, 1, JSON.stringify(runs));
    assert.match(runs.find(({ code }) => code === 2)?.stderr ?? '', /not empty/);
  });

  test('an objective that is missed fails the run; --strict fails a DEGRADED one', async () => {
    workspace.write(
      'objective.yaml',
      scenario({
        workers: 1,
        stages: '[load, measure: { for: 500ms }]',
        more: 'objectives: [get.p50 < 1ns]',
      }),
    );
    const missed = await pacecar(['run', 'objective.yaml'], { cwd: workspace.path });
    assert.equal(missed.code, 1, missed.stderr);
    assert.match(missed.stdout, /get\.p50 < 1ns/);
    // Nothing was loaded, so every read misses.
    workspace.write(
      'misses.yaml',
      scenario({ workers: 1, stages: '[measure: { for: 500ms, mix: { get: 1 } }]' }),
    );
    const lenient = await pacecar(['run', 'misses.yaml'], { cwd: workspace.path });
    assert.equal(lenient.code, 0, lenient.stderr);
    assert.match(lenient.stdout, /DEGRADED/);
    const strict = await pacecar(['run', 'misses.yaml', '--strict'], { cwd: workspace.path });
    assert.equal(strict.code, 1, strict.stderr);
  });
});
