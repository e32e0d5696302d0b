import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { needs } from './installed.js';
import { startService } from './start-service.js';

describe('the recipe memcached', needs('memcached'), () => {
  test('servers as they are asked for, side by side', async () => {
    const parameters = {
      servers: 2,
      memory: 32 * 1024 * 1024,
      threads: 2,
      maxConnections: 100,
      maxItemSize: 2 * 1024 * 1024,
      evictions: false,
    };
    const memcached = await startService('memcached', { parameters });
    try {
      const facts = await memcached.service.facts();
      assert.equal(facts.length, 2);
      for (const { facts: seen } of facts) {
        assert.equal(seen?.product, 'memcached');
        assert.match(seen.version, /^1\.\d+/);
        assert.equal(seen.settings['maxbytes'], String(32 * 1024 * 1024));
        assert.equal(seen.settings['num_threads'], '2');
        assert.equal(seen.settings['maxconns'], '100');
        assert.equal(seen.settings['item_size_max'], String(2 * 1024 * 1024));
        assert.equal(seen.settings['evictions'], 'off');
      }
      await memcached.service.clear();
      const stopped = await memcached.service.stop('graceful');
      assert.deepEqual(
        stopped.map(({ inOrder, end }) => [inOrder, end?.code]),
        [
          [true, 0],
          [true, 0],
        ],
      );
    } finally {
      await memcached.close();
    }
  });
});

describe('the recipe ferretdb', needs('ferretdb'), () => {
  for (const sync of [true, false])
    test(`answers by the protocol of MongoDB and says who it is; sync ${sync}`, async () => {
      const ferret = await startService('ferretdb', { parameters: { sync } });
      try {
        const [node] = await ferret.service.facts();
        assert.equal(node?.facts?.product, 'ferretdb');
        assert.match(node.facts.version, /^v1\.24/);
        assert.match(node.facts.settings['mongodbVersion'] ?? '', /^\d+\.\d+/);
        await ferret.service.clear();
        const [stopped] = await ferret.service.stop('graceful');
        assert.equal(stopped?.inOrder, true);
      } finally {
        await ferret.close();
      }
    });
});

describe('the recipe mongod', () => {
  test('starts where it is installed, and else says what to install', async () => {
    const started = startService('mongod').then(async (mongod) => {
      const [node] = await mongod.service.facts();
      await mongod.close();
      throw new Error(`started: ${node?.facts?.product}`);
    });
    await assert.rejects(started, {
      message:
        /^started: mongodb$|mongod is not installed, or not on the PATH of this worker: see mongodb\.com/,
    });
  });
});
