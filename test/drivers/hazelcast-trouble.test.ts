import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endedCount, errorCount, type FailureCode, type Frame } from '@pacecar/protocol';
import { startTarget } from '@pacecar/worker';
import { needs } from '../services/installed.js';
import { freePort } from '../services/redis-server.js';
import { type StartedService, startService } from '../services/start-service.js';
import { startScripted } from './scripted-server.js';
import { checkIdentities, errorsOf, StageRig, type StageWishes, totalOf } from './stage-rig.js';

const driver = 'hazelcast';

describe('arming with driver hazelcast', () => {
  let rig: StageRig;
  before(() => {
    rig = new StageRig();
  });
  after(() => rig.close());

  async function expectFailure(
    wishes: Omit<StageWishes, 'driver'>,
    code: FailureCode,
    reason: RegExp,
  ): Promise<void> {
    const result = await rig.run({ ...wishes, driver });
    assert.equal(result.failure?.code, code, result.failure?.reason);
    assert.match(result.failure?.reason ?? '', reason);
    assert.deepEqual(result.frames, []);
    assert.ok(result.armMs < 8_000, `${result.armMs} ms`);
  }

  test('nobody listens: unreachable, with host, port, product and what to do', async () => {
    const port = await freePort();
    const reason = new RegExp(
      `^the Hazelcast at 127\\.0\\.0\\.1:${port} cannot be reached: connect ECONNREFUSED.*; is a member running there`,
    );
    await expectFailure({ port, connections: 5, threads: 2 }, 'TARGET_UNREACHABLE', reason);
  });

  test('a server of the Redis family: not a Hazelcast', async () => {
    const target = await startTarget({ host: '127.0.0.1', port: 0 });
    try {
      await expectFailure(
        { port: target.port },
        'TARGET_PROTOCOL',
        /does not answer as a Hazelcast member does/,
      );
    } finally {
      await target.close();
    }
  });

  test('somebody who says nothing, hangs up or talks otherwise: not a Hazelcast', async () => {
    for (const [name, say] of [
      ['nothing', () => undefined],
      ['end', (socket) => socket.end()],
      ['http', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ] as const satisfies readonly (readonly [string, Parameters<typeof startScripted>[0]])[]) {
      const server = await startScripted(say);
      try {
        await expectFailure(
          { port: server.port, connectTimeoutMs: 1_000 },
          'TARGET_PROTOCOL',
          /took the connection, but does not answer as a Hazelcast member does/,
        );
        // Every socket of the library is gone as well.
        const deadline = performance.now() + 5_000;
        while (server.open.size > 0 && performance.now() < deadline)
          await new Promise((resolve) => setTimeout(resolve, 20));
        assert.equal(server.open.size, 0, name);
      } finally {
        await server.close();
      }
    }
  });

  test('settings that cannot be are refused', async () => {
    for (const [settings, reason] of [
      [{ near: true }, /near/],
      [{ members: 'a b' }, /host:port,host:port is wanted/],
      [{ nearCache: true, nearCacheMaxSize: 5 }, /nearCacheMaxSize limits nothing without nearCacheEviction/],
    ] as const)
      await expectFailure({ port: 1, settings }, 'REQUEST_INVALID', reason);
  });
});

describe('three members of a Hazelcast', needs('java', 'mvn'), () => {
  const MEMBERS = { members: 3, heap: 64 * 1024 * 1024, clusterName: 'pacecar-trouble' };
  let cluster: StartedService;
  let rig: StageRig;
  before(async () => {
    cluster = await startService('hazelcast', { parameters: MEMBERS });
    rig = new StageRig();
  });
  after(async () => {
    await rig.close();
    await cluster.close();
  });

  /** The target and its friends. */
  const wishes = () => {
    const [first, ...others] = cluster.nodes;
    return {
      port: first?.port ?? 0,
      driver,
      settings: {
        clusterName: MEMBERS.clusterName,
        members: others.map(({ host, port }) => `${host}:${port}`).join(','),
      },
    };
  };

  test('another cluster name is refused, and says so', async () => {
    const result = await rig.run({ ...wishes(), settings: { clusterName: 'somebody-else' } });
    assert.equal(result.failure?.code, 'TARGET_DENIED');
    assert.match(
      result.failure.reason,
      /refuses the client: its cluster has another name than "somebody-else".*give the setting clusterName/,
    );
  });

  test('says what it found', async () => {
    const result = await rig.run({ ...wishes(), operations: 10 });
    const { product, version, mode, settings } = result.target ?? {};
    assert.deepEqual([product, version, mode], ['hazelcast', '5.5.0', 'cluster']);
    assert.deepEqual([settings?.['cluster_size'], settings?.['partitions']], ['3', '271']);
    assert.match(settings?.['run_id'] ?? '', /^[0-9a-f-]{36}$/);
    for (const { host, port } of cluster.nodes)
      assert.ok(settings?.['members']?.includes(`${host}:${port}`), settings?.['members']);
  });

  test('at depth 1 and 5, with routing by owner and without: the same counts', async () => {
    for (const depth of [1, 5])
      for (const smartRouting of [true, false]) {
        const { settings, ...rest } = wishes();
        const result = await rig.run({
          ...{ ...rest, settings: { ...settings, smartRouting } },
          ...{ operations: 501, connections: 3, depth, threads: 2, mix: { get: 1, put: 1 } },
        });
        assert.equal(result.failure, null);
        checkIdentities(result);
        assert.equal(totalOf(result, 'get').ok + totalOf(result, 'put').ok, 501);
      }
  });

  test('a member is killed in mid-run: errors in a window, then it goes on; back, it is used again', async () => {
    const faults: Promise<unknown>[] = [];
    const { service } = cluster;
    const result = await rig.run(
      {
        ...wishes(),
        ...{ durationMs: 8_000, connections: 3, depth: 5, threads: 2, mix: { get: 1, put: 1 } },
        operationTimeoutMs: 3_000,
      },
      ({ interval }) => {
        if (interval === 15) faults.push(service.fault('kill', [0], 0));
      },
    );
    await Promise.all(faults);
    assert.equal(result.failure, null);
    checkIdentities(result);
    const failed = (frame: Frame) =>
      frame.rows.reduce((sum, row) => sum + errorCount(row) + row.timeouts + row.aborted, 0);
    const ended = (frames: readonly Frame[]) =>
      frames.flatMap(({ rows }) => rows).reduce((sum, row) => sum + endedCount(row), 0);
    assert.ok(result.elapsedMs < 8_000 + 2_500, `the stage took ${result.elapsedMs} ms`);
    assert.equal(
      result.frames.slice(0, 15).reduce((sum, frame) => sum + failed(frame), 0),
      0,
    );
    const some = result.frames.filter((frame) => failed(frame) > 0);
    assert.ok(some.length > 0, 'what was in flight to the member failed');
    // By the last second everything works again.
    const last = result.frames.filter(({ startNs }) => startNs > 7e9);
    assert.ok(ended(last) > 0);
    assert.equal(
      last.reduce((sum, frame) => sum + failed(frame), 0),
      0,
      JSON.stringify(errorsOf(result)),
    );

    // The target itself is away: the client comes in by another member.
    const without = await rig.run({ ...wishes(), operations: 100 });
    assert.equal(without.failure, null);
    assert.equal(without.target?.settings['cluster_size'], '2');
    await service.fault('restart', [0], 60_000);
    await service.waitUntilReady(60_000);
    const again = await rig.run({ ...wishes(), operations: 100 });
    assert.equal(again.target?.settings['cluster_size'], '3');
    assert.equal(again.target.settings['run_id'], without.target?.settings['run_id']);
  });

  test('all members are killed and come back: cut, and connected anew; another life of the cluster', async () => {
    const { service } = cluster;
    const all = cluster.nodes.map(({ index }) => index);
    const faults: Promise<unknown>[] = [];
    let isBack = false;
    const before = await rig.run({ ...wishes(), operations: 10 });
    const result = await rig.run(
      {
        ...wishes(),
        ...{ durationMs: 26_000, connections: 3, depth: 5, mix: { get: 1, put: 1 } },
        operationTimeoutMs: 2_000,
      },
      ({ interval, rows }) => {
        if (interval === 5)
          faults.push(
            service
              .fault('kill', all, 0)
              .then(() => service.fault('restart', all, 60_000))
              .then(() => (isBack = true)),
          );
        // The stage has seen what it is there for.
        if (isBack && rows.some(({ ok }) => ok > 0)) rig.load?.stop();
      },
    );
    await Promise.all(faults);
    await service.waitUntilReady(60_000);
    assert.equal(result.failure, null);
    checkIdentities(result);
    const { sent, ok } = totalOf(result, 'get');
    assert.ok(sent > ok, JSON.stringify(totalOf(result, 'get')));
    assert.ok(result.elapsedMs < 26_000, 'operations succeeded again before the stage had to end');
    const after = await rig.run({ ...wishes(), operations: 10 });
    assert.notEqual(after.target?.settings['run_id'], before.target?.settings['run_id']);
  });
});
