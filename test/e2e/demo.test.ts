import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { StageSummary, Summary } from '@pacecar/report';
import { needs } from '../services/installed.js';
import { commandCalls } from '../services/redis-command.js';
import { startRedis } from '../services/redis-server.js';
import { pacecar, PacecarProcess } from './pacecar-process.js';
import { readEvents, readSummary, targetCalls, Workspace } from './workspace.js';

const KEYS = 100_000;

/** Operations sent in all stages, warm-ups included, as the workers' totals in the bundle say. */
function sentInAll(bundle: string): Record<string, number> {
  const sent: Record<string, number> = {};
  for (const event of readEvents(bundle))
    if (event.type === 'worker-drained')
      for (const totals of event.totals) sent[totals.operation] = (sent[totals.operation] ?? 0) + totals.sent;
  return sent;
}

function stage(summary: Summary, name: string): StageSummary {
  const found = summary.cells[0]?.stages.find((candidate) => candidate.name === name);
  assert.ok(found, `the summary has a stage ${name}`);
  return found;
}

function sent(of: StageSummary, operation: string): number {
  const row = of.rows.find((candidate) => candidate.operation === operation);
  assert.ok(row, `stage ${of.name} has a row ${operation}`);
  return row.sent;
}

describe('pacecar demo', () => {
  const workspace = new Workspace();
  after(() => workspace.remove());

  test('runs all four stages on three workers and ends VALID with the report', async () => {
    const demo = await pacecar(['demo', '--for', '2s'], { cwd: workspace.path });
    assert.equal(demo.code, 0, demo.stderr);
    assert.match(demo.stdout, /VALID/);
    assert.doesNotMatch(demo.stdout, /INVALID/);
    const bundle = workspace.bundle();
    const lastLine = demo.stdout.trimEnd().split('\n').at(-1) ?? '';
    assert.equal(lastLine, `Report: ${join('results', bundle.split('/').at(-1) as string, 'report.html')}`);
    assert.match(
      readFileSync(join(workspace.path, lastLine.slice('Report: '.length)), 'utf8'),
      /^<!doctype html>/i,
    );
    for (const file of ['manifest.json', 'scenario.yaml', 'plan.json', 'summary.json', 'timeline.csv'])
      assert.ok(existsSync(join(bundle, file)), `the bundle has ${file}`);
    assert.match(demo.stderr, /measure \(3 of 4\): .*ops\/s.*3 of 3 workers/, 'progress in plain lines');

    const summary = readSummary(readFileSync(join(bundle, 'summary.json'), 'utf8'));
    assert.equal(summary.verdict.status, 'VALID');
    assert.equal(summary.run.participants.joined, 3);
    assert.equal(sent(stage(summary, 'load'), 'put'), KEYS);
    assert.equal(sent(stage(summary, 'verify'), 'get'), KEYS);
    const measure = stage(summary, 'measure');
    const gets = sent(measure, 'get');
    const puts = sent(measure, 'put');
    assert.ok(Math.abs(gets / (gets + puts) - 0.8) < 0.02, `get and put at 80:20, not ${gets}:${puts}`);
  });

  test('counts exactly what its target counted, per operation', () => {
    const bundle = workspace.bundle();
    const calls = targetCalls(bundle);
    const sentByAll = sentInAll(bundle);
    assert.ok((sentByAll['get'] ?? 0) > KEYS);
    assert.deepEqual(
      { get: calls['get'], put: calls['set'] },
      { get: sentByAll['get'], put: sentByAll['put'] },
    );
  });

  test('--json prints the summary alone; a target started apart counts the same by INFO commandstats', async () => {
    const place = new Workspace();
    const target = new PacecarProcess(['target', '--port', '0', '--json'], { cwd: place.path });
    try {
      const port = Number((await target.says(/"port":(\d+)/))[1]);
      const demo = await pacecar(
        [
          ...[
            'demo',
            '--for',
            '1s',
            '--workers',
            '2',
            '--seed',
            '42',
            '--target',
            `redis://127.0.0.1:${port}`,
          ],
          ...['--json', '--out', 'here/now'],
        ],
        { cwd: place.path },
      );
      assert.equal(demo.code, 0, demo.stderr);
      const bundle = join(place.path, 'here/now');
      assert.equal(demo.stdout, readFileSync(join(bundle, 'summary.json'), 'utf8'));
      assert.match(demo.stderr, /^Report: here\/now\/report\.html$/m);
      const summary = readSummary(demo.stdout);
      assert.equal(summary.run.seed, 42);
      assert.equal(summary.run.participants.of, 2);
      const calls = await commandCalls(port);
      const sentByAll = sentInAll(bundle);
      assert.deepEqual(
        { get: calls['get'], put: calls['set'] },
        { get: sentByAll['get'], put: sentByAll['put'] },
      );
      target.signal('SIGTERM');
      assert.equal((await target.endsWithin(5_000)).code, 0);
    } finally {
      await target.close();
      place.remove();
    }
  });

  test('--for in the wrong grammar is refused before anything is started', async () => {
    const place = new Workspace();
    const demo = await pacecar(['demo', '--for', '10'], { cwd: place.path });
    assert.equal(demo.code, 2);
    assert.match(demo.stderr, /10s/);
    assert.deepEqual(place.bundles(), []);
    place.remove();
  });
});

describe('pacecar demo against a real Redis', needs('redis-server'), () => {
  test('counts exactly what Redis counted, and hides its password', async () => {
    const workspace = new Workspace();
    const redis = await startRedis();
    try {
      await redis.command('ACL', 'SETUSER', 'bench', 'on', '>hush-hush', '~*', '+@all');
      const demo = await pacecar(
        [
          'demo',
          '--for',
          '1s',
          '--workers',
          '2',
          '--target',
          `redis://bench:hush-hush@127.0.0.1:${redis.port}`,
        ],
        { cwd: workspace.path },
      );
      assert.equal(demo.code, 0, demo.stderr);
      const bundle = workspace.bundle();
      for (const file of [
        'plan.json',
        'scenario.yaml',
        'manifest.json',
        'events.ndjson',
        'report.html',
        'logs/worker-0.log',
      ])
        assert.doesNotMatch(
          readFileSync(join(bundle, file), 'utf8'),
          /hush-hush/,
          `${file} has the password`,
        );
      assert.doesNotMatch(demo.stdout + demo.stderr, /hush-hush/);
      const calls = await redis.calls();
      const sentByAll = sentInAll(bundle);
      assert.deepEqual(
        { get: calls['get'], put: calls['set'] },
        { get: sentByAll['get'], put: sentByAll['put'] },
      );
    } finally {
      await redis.close();
      workspace.remove();
    }
  });
});
