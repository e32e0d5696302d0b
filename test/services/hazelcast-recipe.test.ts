import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { PacecarError } from '@pacecar/protocol';
import { ServiceKeeper } from '@pacecar/worker';
import { needs } from './installed.js';
import { serviceOrder, startService } from './start-service.js';

const SMALL_HEAP = 64 * 1024 * 1024;
const FORMED_WITHIN_MS = 120_000;

describe('the recipe hazelcast', needs('java', 'mvn'), () => {
  test('3 members over two workers find each other; one that is killed is missed until it is back', async () => {
    const parameters = {
      members: 3,
      heap: SMALL_HEAP,
      clusterName: 'pacecar-three',
      backupCount: 0,
      asyncBackupCount: 1,
      inMemoryFormat: 'OBJECT',
      evictionPolicy: 'LRU',
      maxSizePerNode: 10_000,
    };
    const keepers = [new ServiceKeeper(), new ServiceKeeper()];
    try {
      const services = await Promise.all(
        keepers.map((keeper, index) =>
          keeper.prepare(serviceOrder('hazelcast', { parameters, share: { index, of: 2 } })),
        ),
      );
      const [first, second] = services as [(typeof services)[0], (typeof services)[0]];
      const peers = services.flatMap(({ nodes }) => nodes);
      assert.deepEqual(
        services.map(({ nodes }) => nodes.map(({ index }) => index)),
        [[0, 2], [1]],
      );
      await Promise.all([first.start(peers, FORMED_WITHIN_MS), second.start(peers, FORMED_WITHIN_MS)]);
      const [node] = await second.facts();
      assert.equal(node?.facts?.settings['clusterSize'], '3');
      assert.equal(node.facts.version, '5.5.0');
      assert.equal(node.facts.settings['configured asyncBackupCount'], '1');

      await first.fault('kill', [2], 0);
      // Members notice the loss of one by its closed connections, at a moment of their own.
      const missed = await firstRejection(() => second.waitUntilReady(0), FORMED_WITHIN_MS);
      assert.equal(missed.code, 'SERVICE_FAILED');
      assert.match(
        missed.message,
        /member 1 at .+ was not part of the whole within 0 s: (it sees|partitions|connect|no answer)/,
      );
      await second.waitUntilReady(60_000, [2]);
      await first.waitUntilReady(60_000);
      await first.fault('restart', [2], FORMED_WITHIN_MS);
      await Promise.all([first.waitUntilReady(60_000), second.waitUntilReady(60_000)]);

      const [stopped] = await second.stop('graceful');
      assert.deepEqual(stopped?.end, { code: 143, signal: null });
      assert.equal(stopped.inOrder, true);
    } finally {
      await Promise.all(keepers.map((keeper) => keeper.close()));
    }
  });

  test('a member that never comes is named by the deadline', async () => {
    const keeper = new ServiceKeeper();
    try {
      const service = await keeper.prepare(
        serviceOrder('hazelcast', {
          parameters: { members: 2, heap: SMALL_HEAP },
          share: { index: 0, of: 2 },
        }),
      );
      const [own] = service.nodes;
      assert.ok(own !== undefined);
      // Port 1 answers nobody.
      const absent = { ...own, index: 1, worker: 1, port: 1 };
      await assert.rejects(service.start([own, absent], 20_000), {
        code: 'SERVICE_FAILED',
        message:
          /member 0 at .+ was not part of the whole within 20 s: it sees 1 of 2 members; its last words:\n/,
      });
    } finally {
      await keeper.close();
    }
  });

  test('more copies than Hazelcast keeps, a version that is none and a wrong name are refused', async () => {
    for (const [parameters, message] of [
      [{ backupCount: 4, asyncBackupCount: 3 }, /4 \+ 3 backups, at most 6 are allowed/],
      [{ version: '5.5.0/../../x' }, /version: a version such as 5\.5\.0 is wanted/],
      [{ clusterName: 'a b' }, /clusterName: letters, digits/],
    ] as const)
      await assert.rejects(startService('hazelcast', { parameters }), { code: 'REQUEST_INVALID', message });
  });
});

/** How `attempt` fails as soon as it does; it is made again and again until then. */
async function firstRejection(attempt: () => Promise<unknown>, withinMs: number): Promise<PacecarError> {
  const endMs = performance.now() + withinMs;
  while (performance.now() < endMs) {
    try {
      await attempt();
    } catch (error) {
      if (error instanceof PacecarError) return error;
      throw error;
    }
    await setImmediate();
  }
  throw new Error(`nothing failed within ${withinMs} ms`);
}
