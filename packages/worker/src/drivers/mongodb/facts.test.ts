import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answers, factsOf } from './facts.js';

const SILENT: Answers = {
  ...{ hello: { isWritablePrimary: true }, buildInfo: null, serverStatus: null, getCmdLineOpts: null },
  ...{ getDefaultRWConcern: null, dbStats: null },
};

test('a server that only says hello: what it does not say is absent', () => {
  assert.deepEqual(factsOf('h:1', SILENT, {}), {
    ...{ address: 'h:1', product: 'unknown', version: 'unknown', mode: 'standalone' },
    ...{ settings: {}, figures: {} },
  });
});

test('a member of a replica set, by what a MongoDB answers', () => {
  const facts = factsOf(
    'h:1',
    {
      hello: {
        ...{ isWritablePrimary: false, secondary: true, setName: 'rs0', hosts: ['a:1', 'b:1', 'c:1'] },
        topologyVersion: { processId: '65f0', counter: 6 },
      },
      buildInfo: {
        version: '7.0.14',
        bits: 64,
        maxBsonObjectSize: 16_777_216,
        storageEngines: ['wiredTiger'],
      },
      serverStatus: {
        ...{ process: 'mongod', pid: 42n, uptime: 12.5, mem: { resident: 100, virtual: 2_000 } },
        storageEngine: { name: 'wiredTiger', persistent: true },
        wiredTiger: {
          cache: { 'maximum bytes configured': 1_073_741_824, 'bytes currently in the cache': 5_000 },
        },
        opcounters: { insert: 1, query: 2 },
        metrics: { commands: { find: { total: 3 } } },
      },
      getCmdLineOpts: { parsed: { storage: { journal: { commitIntervalMs: 50 } }, net: { port: 1 } } },
      getDefaultRWConcern: { defaultWriteConcern: { w: 'majority' }, defaultReadConcern: { level: 'local' } },
      dbStats: { objects: 7, dataSize: 700 },
    },
    { writes: 'acknowledged' },
  );
  assert.deepEqual([facts.product, facts.version, facts.mode], ['mongodb', '7.0.14', 'replica-set']);
  const { settings } = facts;
  assert.deepEqual(
    [settings['role'], settings['members'], settings['replicaSet']],
    ['secondary', '3', 'rs0'],
  );
  assert.deepEqual([settings['storageEngine'], settings['storageEnginePersistent']], ['wiredTiger', 'true']);
  assert.equal(settings['storage.journal.commitIntervalMs'], '50');
  assert.equal(settings['defaultWriteConcern'], '{"w":"majority"}');
  assert.deepEqual([settings['run_id'], settings['pid'], settings['writes']], ['65f0', '42', 'acknowledged']);
  assert.deepEqual(facts.figures, {
    ...{ uptimeSec: 12.5, cacheUsedBytes: 5_000, residentMib: 100, virtualMib: 2_000 },
    ...{ 'db.objects': 7, 'db.dataSize': 700, 'opcounters.insert': 1, 'opcounters.query': 2 },
  });
});

for (const [build, product, version] of [
  [{ version: '7.0.42', ferretdbVersion: 'v1.24.0' }, 'ferretdb', 'v1.24.0'],
  [{ version: '7.0.77', ferretdb: { version: 'v2.1.0' } }, 'ferretdb', 'v2.1.0'],
  [{ version: '6.0.5', psmdbVersion: '6.0.5-4' }, 'percona-server-for-mongodb', '6.0.5-4'],
] as const)
  test(`${product} ${version} is what it calls itself`, () => {
    const facts = factsOf('h:1', { ...SILENT, buildInfo: build }, {});
    assert.deepEqual([facts.product, facts.version], [product, version]);
    assert.equal(facts.settings['mongodbVersion'], build.version);
  });

test('a router of a sharded cluster', () => {
  assert.equal(factsOf('h:1', { ...SILENT, hello: { msg: 'isdbgrid' } }, {}).mode, 'mongos');
});
