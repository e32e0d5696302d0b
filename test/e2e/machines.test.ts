import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { needs } from '../services/installed.js';
import { freePort } from '../services/redis-server.js';
import { pacecar, PacecarProcess } from './pacecar-process.js';
import { startSlowGate } from './slow-gate.js';
import { readEvents, readSummary, scenario, Workspace } from './workspace.js';

/** Workers that dial in, as on several machines. */
describe('coordinator and workers started by hand', () => {
  let workspace = new Workspace();
  let open: PacecarProcess[] = [];
  const closeAll = async (): Promise<void> => {
    await Promise.all(open.map((process) => process.close()));
    open = [];
    workspace.remove();
  };
  after(closeAll);
  beforeEach(async () => {
    await closeAll();
    workspace = new Workspace();
    workspace.write('token', 'a-token-for-tests\n');
  });

  function start(...args: string[]): PacecarProcess {
    const process = new PacecarProcess(args, { cwd: workspace.path });
    open.push(process);
    return process;
  }

  async function startTarget(): Promise<string> {
    const target = start('target', '--port', '0');
    return `redis://127.0.0.1:${(await target.says(/listening on 127\.0\.0\.1:(\d+)/))[1]}`;
  }

  test('ten workers, one 3 s slow to prepare: all wait for it and start within 250 ms of each other', async (t) => {
    const target = Number(/\d+$/.exec(await startTarget())?.[0]);
    // Each worker opens one connection; the target answers the last of them 3 s late.
    const gate = await startSlowGate(target, (nth) => (nth === 9 ? 3_000 : 0));
    t.after(() => gate.close());
    const listen = await freePort();
    workspace.write(
      'ten.yaml',
      scenario({
        target: `redis://127.0.0.1:${gate.port}`,
        workers: 10,
        stages: '[measure: { for: 1s, connections: 1 per worker, mix: { put: 1 } }]',
        more: 'startSkewLimit: 250ms',
      }),
    );
    const coordinator = start(
      'coordinator',
      'ten.yaml',
      '--listen',
      `127.0.0.1:${listen}`,
      '--token-file',
      'token',
    );
    await coordinator.says(/listening on/);
    for (let started = 0; started < 10; started++)
      start('worker', '--join', `ws://127.0.0.1:${listen}`, '--token-file', 'token', '--group', 'clients');
    const ended = await coordinator.endsWithin(60_000);
    assert.equal(ended.code, 0, coordinator.output());
    const stage = readSummary(readFileSync(join(workspace.bundle(), 'summary.json'), 'utf8')).cells[0]
      ?.stages[0];
    assert.equal(stage?.participants.complete, 10);
    const events = readEvents(workspace.bundle());
    const armed = events.filter(({ type }) => type === 'worker-armed').map(({ atMs }) => atMs);
    assert.ok(Math.max(...armed) - Math.min(...armed) > 2_000, 'one was slow to prepare');
    const skew = stage?.startSkew;
    assert.ok(
      skew?.spreadMs !== null && skew?.spreadMs !== undefined && skew.spreadMs < 250,
      JSON.stringify(skew),
    );
    assert.ok(
      skew.errorBoundMs !== null && skew.errorBoundMs >= 0 && skew.errorBoundMs < 250,
      JSON.stringify(skew),
    );
    assert.equal(skew.perWorker.filter(({ firstOperationMs }) => firstOperationMs !== null).length, 10);
  });

  test('a wrong token, a missing one and a duplicate name are refused with exit 3; the run is not disturbed', async () => {
    const target = await startTarget();
    const listen = await freePort();
    workspace.write('two.yaml', scenario({ target, workers: 2, stages: '[load, measure: { for: 500ms }]' }));
    workspace.write('wrong', 'not-the-token-at-all');
    const coordinator = start(
      'coordinator',
      'two.yaml',
      '--listen',
      `127.0.0.1:${listen}`,
      '--token-file',
      'token',
      '--json',
    );
    await coordinator.says(/listening on/);
    const url = `ws://127.0.0.1:${listen}`;
    const wrong = await pacecar(['worker', '--join', url, '--token-file', 'wrong'], { cwd: workspace.path });
    assert.equal(wrong.code, 3);
    assert.match(wrong.stderr, /token/i);
    const missing = await pacecar(['worker', '--join', url], { cwd: workspace.path });
    assert.equal(missing.code, 3);
    const first = start('worker', '--join', url, '--token-file', 'token', '--name', 'first');
    await coordinator.says(/first/);
    const twice = await pacecar(['worker', '--join', url, '--token-file', 'token', '--name', 'first'], {
      cwd: workspace.path,
    });
    assert.equal(twice.code, 3);
    assert.match(twice.stderr, /first/);
    const unknown = await pacecar(['worker', '--join', url, '--token-file', 'token', '--group', 'client'], {
      cwd: workspace.path,
    });
    assert.equal(unknown.code, 3);
    assert.match(unknown.stderr, /client/);
    const second = start('worker', '--join', url, '--token-file', 'token', '--name', 'second');
    const ended = await coordinator.endsWithin(30_000);
    assert.equal(ended.code, 0, coordinator.output());
    assert.equal(readSummary(ended.stdout).verdict.status, 'VALID');
    for (const worker of [first, second])
      assert.equal((await worker.endsWithin(5_000)).code, 0, worker.output());
  });

  test('beyond loopback a token is required; the built-in target is for local runs only', async () => {
    workspace.write('remote.yaml', scenario({ target: 'redis://10.255.255.1', stages: '[load]' }));
    const open = await pacecar(['coordinator', 'remote.yaml', '--listen', '0.0.0.0:0'], {
      cwd: workspace.path,
    });
    assert.equal(open.code, 2, open.stderr);
    assert.match(open.stderr, /token/);
    workspace.write('builtin.yaml', scenario({ stages: '[load]' }));
    const builtin = await pacecar(['coordinator', 'builtin.yaml', '--token-file', 'token'], {
      cwd: workspace.path,
    });
    assert.equal(builtin.code, 2, builtin.stderr);
    assert.match(builtin.stderr, /pacecar target/);
    assert.deepEqual(workspace.bundles(), []);
  });

  test('not everybody joins in time: exit 3, naming who is missing', async () => {
    workspace.write(
      'lonely.yaml',
      scenario({
        target: 'redis://127.0.0.1:1',
        workers: 2,
        stages: '[load]',
        more: 'liveness: { join: 6s }',
      }),
    );
    const listen = await freePort();
    const coordinator = start('coordinator', 'lonely.yaml', '--listen', `127.0.0.1:${listen}`);
    await coordinator.says(/listening on/);
    const worker = start('worker', '--join', `ws://127.0.0.1:${listen}`);
    await coordinator.says(/worker-joined/);
    const ended = await coordinator.endsWithin(20_000);
    assert.equal(ended.code, 3, coordinator.output());
    assert.match(ended.stderr, /^error: .*clients/m);
    assert.notEqual((await worker.endsWithin(10_000)).code, 0, worker.output());
  });

  test('over TLS, with a certificate authority of their own', needs('openssl'), async () => {
    execFileSync(
      'openssl',
      [
        ...[
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '1',
        ],
        ...['-keyout', 'key.pem', '-out', 'cert.pem', '-subj', '/CN=localhost'],
        ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ],
      { cwd: workspace.path, stdio: 'ignore' },
    );
    const target = await startTarget();
    const listen = await freePort();
    workspace.write('one.yaml', scenario({ target, workers: 1, stages: '[load, measure: { for: 500ms }]' }));
    const coordinator = start(
      ...['coordinator', 'one.yaml', '--listen', `127.0.0.1:${listen}`, '--token-file', 'token', '--json'],
      ...['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'],
    );
    await coordinator.says(/listening on wss:\/\//);
    const join = ['worker', '--join', `wss://127.0.0.1:${listen}`, '--token-file', 'token'];
    const worker = start(...join, '--ca', 'cert.pem');
    const ended = await coordinator.endsWithin(30_000);
    assert.equal(ended.code, 0, coordinator.output());
    assert.equal(readSummary(ended.stdout).verdict.status, 'VALID');
    assert.equal((await worker.endsWithin(5_000)).code, 0, worker.output());
  });

  test('a worker that nobody answers gives up in its own time or when asked', async () => {
    const listen = await freePort();
    const worker = start('worker', '--join', `ws://127.0.0.1:${listen}`, '--wait');
    await worker.says(/127\.0\.0\.1/);
    worker.signal('SIGINT');
    assert.equal((await worker.endsWithin(5_000)).code, 130, worker.output());
  });
});
