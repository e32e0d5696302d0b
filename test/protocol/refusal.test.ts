import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { encodeFrame, LIMITS, PROTOCOL_VERSION } from '@pacecar/protocol';
import { WebSocket } from 'ws';
import { Peer } from './peer.js';
import { measureStage, smallPlan } from './small-plan.js';
import { TestRun } from './test-run.js';

function emptyFrame(epoch: number, worker: number): Uint8Array {
  return encodeFrame({
    epoch,
    worker,
    cell: 0,
    stage: 0,
    sequence: 0,
    interval: 0,
    startNs: 0,
    endNs: 1,
    firstOperationNs: null,
    rows: [],
    threads: [],
    cpuUserUs: 0,
    cpuSystemUs: 0,
    residentBytes: 0,
  });
}

test('whatever strangers send is refused with a code and recorded, and nobody else is disturbed', async (t) => {
  const run = await TestRun.begin(t);
  const coordinator = await run.coordinate(
    smallPlan({ workers: 2, target: run.target, stages: [measureStage(6_000)] }),
  );
  const workers = [run.worker({ name: 'first' })];
  await run.event('worker-joined');

  const refused = async (peer: Peer, code: string, reason: RegExp): Promise<void> => {
    const told = await peer.message('refuse');
    assert.equal(told.code, code);
    assert.match(told.reason, reason);
    await peer.closed();
    await run.event('worker-refused', (event) => event.code === code && reason.test(event.reason));
  };

  await t.test('before the run begins', async (t) => {
    await t.test('a wrong token, and none', async () => {
      for (const token of ['a-token-for-testz', 'a', null]) {
        const peer = await Peer.connect(coordinator.url);
        peer.hello({ token });
        await refused(peer, 'TOKEN_REJECTED', /token/);
      }
    });
    await t.test('another version of the protocol', async () => {
      const peer = await Peer.connect(coordinator.url);
      peer.hello({ version: PROTOCOL_VERSION + 1 });
      await refused(peer, 'VERSION_MISMATCH', /version/);
    });
    await t.test('a name that a live worker has', async () => {
      const peer = await Peer.connect(coordinator.url);
      peer.hello({ name: 'first' });
      await refused(peer, 'NAME_TAKEN', /first/);
    });
    await t.test('a group that the plan does not have', async () => {
      const peer = await Peer.connect(coordinator.url);
      peer.hello({ group: 'servers' });
      await refused(peer, 'GROUP_UNKNOWN', /servers/);
    });
    await t.test(
      'from a worker that was taken in: an old run, no frame, half a frame, no message',
      async () => {
        const old = (index: number): Uint8Array => emptyFrame(coordinator.epoch + 1, index);
        const half = (index: number): Uint8Array => emptyFrame(coordinator.epoch, index).subarray(0, -1);
        const cases = [
          [old, 'EPOCH_STALE', /run/],
          [() => Uint8Array.of(1, 2, 3), 'MESSAGE_INVALID', /not a frame/],
          [half, 'MESSAGE_INVALID', /not a frame/],
          [() => 'garbage', 'MESSAGE_INVALID', /not JSON/],
          [() => '{"type":"heartbreak"}', 'MESSAGE_INVALID', /not valid/],
        ] as const;
        for (const [number, [data, code, reason]] of cases.entries()) {
          const who = { name: `noisy ${number}`, workerId: `noisy ${number}` };
          const peer = await Peer.connect(coordinator.url);
          peer.hello(who);
          const { index } = await peer.message('welcome');
          peer.send(data(index));
          const told = await peer.message('refuse');
          assert.equal(told.code, code);
          assert.match(told.reason, reason);
          await peer.closed();
          await run.event('message-refused', (event) => event.code === code && reason.test(event.reason));
          // Its seat waits for it; a newer process of the same worker gives it up.
          const again = await Peer.connect(coordinator.url);
          again.hello({ ...who, generation: 1 });
          await again.message('welcome');
          again.send({ type: 'leaving', code: 'INTERRUPTED', reason: 'the test goes on' });
          await run.event('worker-left', (event) => event.name === who.name && /it left/.test(event.reason));
        }
      },
    );
  });

  workers.push(run.worker({ name: 'second' }));
  await run.event('stage-go');

  await t.test('while the run goes', async (t) => {
    await t.test('a late joiner', async () => {
      const peer = await Peer.connect(coordinator.url);
      peer.hello();
      await refused(peer, 'TOO_LATE', /begun|full|late|seat|taken/i);
    });
    await t.test('text that is not JSON, and JSON that is no message', async () => {
      for (const text of ['garbage', '{"type":"nonsense"}', '[]', '{"type":"hello"}']) {
        const peer = await Peer.connect(coordinator.url);
        peer.send(text);
        await refused(peer, 'MESSAGE_INVALID', /control message/);
      }
    });
    await t.test('bytes that are no frame', async () => {
      const peer = await Peer.connect(coordinator.url);
      peer.send(Uint8Array.of(1, 2, 3));
      await refused(peer, 'MESSAGE_INVALID', /before hello/);
    });
    await t.test('a frame from somebody who has not said hello', async () => {
      const peer = await Peer.connect(coordinator.url);
      peer.send(emptyFrame(coordinator.epoch, 0));
      await refused(peer, 'MESSAGE_INVALID', /before hello/);
    });
    await t.test('a first message that is longer than any hello', async () => {
      const peer = await Peer.connect(coordinator.url);
      peer.hello({ workerId: 'x'.repeat(LIMITS.helloBytes) });
      await refused(peer, 'LIMIT_EXCEEDED', /first message/);
    });
    await t.test('a message of 80 MB', async () => {
      const peer = await Peer.connect(coordinator.url);
      peer.send(new Uint8Array(80_000_000));
      // 1009: message too big. The peer may be cut before it reads that.
      assert.ok([1009, 1006].includes(await peer.closed()));
      await run.event('worker-refused', (event) => /more than \d+ bytes/.test(event.reason));
    });
    await t.test('another subprotocol, and none', async () => {
      for (const protocols of [['pacecar.v0'], []]) {
        const socket = new WebSocket(coordinator.url, protocols);
        const [error] = await once(socket, 'error');
        assert.match(String(error), /400/);
      }
    });
    await t.test('half a WebSocket frame and then nonsense', async () => {
      const socket = connect(coordinator.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(
        'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
          'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: pacecar.v1\r\n\r\n',
      );
      await once(socket, 'data');
      socket.on('error', () => undefined);
      socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff]));
      socket.resume();
      await once(socket, 'close');
      await run.event('worker-refused', (event) => /not a WebSocket message/.test(event.reason));
    });
  });

  const end = await coordinator.finished;
  assert.equal(end.outcome, 'complete', run.log());
  for (const worker of workers) assert.equal((await worker.ended).exitCode, 0);
  const disturbed = (await run.events()).filter(
    (event) => (event.type === 'worker-cut' && event.worker === 0) || event.type === 'worker-lost',
  );
  assert.deepEqual(disturbed, []);
});

test('a worker that is refused ends with the code of the refusal', async (t) => {
  const run = await TestRun.begin(t);
  await run.coordinate(smallPlan({ workers: 1, target: run.target, stages: [measureStage(100)] }));
  const end = await run.worker({ token: 'wrong' }).ended;
  assert.deepEqual([end.code, end.exitCode], ['TOKEN_REJECTED', 3]);
  const unknown = await run.worker({ group: 'nobody' }).ended;
  assert.deepEqual([unknown.code, unknown.exitCode], ['GROUP_UNKNOWN', 3]);
});

test('who connects and says nothing is closed in time, as HTTP, as WebSocket and as bare TCP', async (t) => {
  const run = await TestRun.begin(t);
  const coordinator = await run.coordinate(
    smallPlan({ workers: 1, target: run.target, stages: [measureStage(100)] }),
  );
  const silent = await Peer.connect(coordinator.url);
  const ends: Promise<unknown>[] = [];
  for (const begin of ['', 'GET / HTTP/1.1\r\nHost: x\r\n']) {
    const socket = connect(coordinator.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(begin);
    ends.push(once(socket, 'close', { signal: AbortSignal.timeout(25_000) }));
  }
  assert.equal((await silent.message('refuse')).code, 'DEADLINE_PASSED');
  await silent.closed();
  await Promise.all(ends);
  await run.event('worker-refused', (event) => event.code === 'DEADLINE_PASSED');
});

test('/healthz answers, other paths say what this is', async (t) => {
  const run = await TestRun.begin(t);
  const coordinator = await run.coordinate(
    smallPlan({ workers: 1, target: run.target, stages: [measureStage(100)] }),
  );
  const base = `http://127.0.0.1:${coordinator.port}`;
  const healthy = await fetch(`${base}/healthz`);
  assert.deepEqual([healthy.status, await healthy.text()], [200, 'ok\n']);
  const other = await fetch(`${base}/`);
  assert.equal(other.status, 404);
  assert.match(await other.text(), /Pacecar coordinator/);
});
