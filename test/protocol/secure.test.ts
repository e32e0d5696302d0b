import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { measureStage, smallPlan } from './small-plan.js';
import { TestRun } from './test-run.js';

/** The sources' folder: certificates are not compiled. */
const CERTIFICATES = new URL('../../../test/protocol/certificates/', import.meta.url);
const certificate = (name: string): string => fileURLToPath(new URL(name, CERTIFICATES));
const TLS = { certFile: certificate('server.pem'), keyFile: certificate('server.key') };

test('a run over wss, with an authority of its own', async (t) => {
  const run = await TestRun.begin(t);
  const plan = smallPlan({ workers: 1, target: run.target, stages: [measureStage(500)] });
  const coordinator = await run.coordinate(plan, { tls: TLS });
  assert.match(coordinator.url, /^wss:\/\/127\.0\.0\.1:\d+$/);

  await t.test('a worker that does not know the authority does not join', async () => {
    // Nor does it try for ever: one that would wait for runs ends too.
    const end = await run.worker({ afterRun: 'wait', joinWithinMs: null }).ended;
    assert.deepEqual([end.code, end.exitCode], ['COORDINATOR_LOST', 3]);
    assert.match(end.reason, /^the certificate of the coordinator .* is not trusted; give --ca FILE[^;]*$/);
  });
  await t.test('nor one that joins by an address that the certificate does not name', async () => {
    const join = `wss://0.0.0.0:${coordinator.port}`;
    const caFile = certificate('ca.pem');
    const end = await run.worker({ join, caFile, joinWithinMs: null }).ended;
    assert.equal(end.code, 'COORDINATOR_LOST');
    assert.match(end.reason, /is for another host/);
  });
  await t.test('nor one that speaks ws', async () => {
    const end = await run.worker({ join: `ws://127.0.0.1:${coordinator.port}`, joinWithinMs: 1_500 }).ended;
    assert.equal(end.code, 'COORDINATOR_LOST');
    assert.match(end.reason, /a coordinator with --tls-cert is joined with wss:\/\/127\.0\.0\.1:\d+/);
  });
  await t.test('one that does works to the end', async () => {
    const worker = run.worker({ caFile: certificate('ca.pem') });
    assert.equal((await coordinator.finished).outcome, 'complete', run.log());
    assert.equal((await worker.ended).exitCode, 0);
  });
});

test('a worker that speaks wss to a coordinator without a certificate is told so', async (t) => {
  const run = await TestRun.begin(t);
  const coordinator = await run.coordinate(
    smallPlan({ workers: 1, target: run.target, stages: [measureStage(500)] }),
  );
  const join = `wss://127.0.0.1:${coordinator.port}`;
  const end = await run.worker({ join, joinWithinMs: 1_500 }).ended;
  assert.equal(end.code, 'COORDINATOR_LOST');
  assert.match(end.reason, /a coordinator without --tls-cert is joined with ws:\/\/127\.0\.0\.1:\d+/);
  coordinator.interrupt('SIGINT');
  await coordinator.finished;
});

test('a connection that never gets as far as TLS does not hold up the end of a run', async (t) => {
  const run = await TestRun.begin(t);
  const plan = smallPlan({ workers: 1, target: run.target, stages: [measureStage(500)] });
  const coordinator = await run.coordinate(plan, { tls: TLS });
  const idle = connect(coordinator.port, '127.0.0.1');
  idle.on('error', () => undefined);
  await once(idle, 'connect');
  coordinator.interrupt('SIGINT');
  const gone = once(idle, 'close', { signal: AbortSignal.timeout(5_000) });
  idle.resume();
  assert.equal((await coordinator.finished).code, 'INTERRUPTED');
  await gone;
});

test('files that are no certificate are refused before anything is made', async (t) => {
  const run = await TestRun.begin(t);
  const plan = smallPlan({ workers: 1, target: run.target, stages: [measureStage(500)] });
  for (const tls of [
    { ...TLS, certFile: certificate('missing.pem') },
    { ...TLS, keyFile: certificate('README.md') },
    { ...TLS, keyFile: certificate('ca.pem') },
  ])
    await assert.rejects(run.coordinate(plan, { tls }), {
      code: 'REQUEST_INVALID',
      message: /cannot be used/,
    });
  await run.coordinate(plan, { tls: TLS });
});
