import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { ServiceKeeper } from '@pacecar/worker';
import { eventually } from './condition.js';
import { findProgram, needs } from './installed.js';
import { redisCommand } from './redis-command.js';
import { type OrderDetails, serviceOrder, startService, type StartedService } from './start-service.js';

async function withService(
  recipe: string,
  details: OrderDetails,
  work: (started: StartedService) => Promise<void>,
): Promise<void> {
  const started = await startService(recipe, details);
  try {
    await work(started);
    assert.deepEqual(started.deaths, []);
  } finally {
    await started.close();
  }
}

function portOf({ nodes }: StartedService, index = 0): number {
  const node = nodes.find((one) => one.index === index);
  assert.ok(node !== undefined);
  return node.port;
}

async function settingOf(port: number, name: string): Promise<unknown> {
  return ((await redisCommand(port, 'CONFIG', 'GET', name)) as unknown[])[1];
}

describe('the recipe redis-server', needs('redis-server'), () => {
  const modes: readonly [
    what: string,
    parameters: Record<string, string>,
    settings: Record<string, string>,
    files: RegExp,
  ][] = [
    ['in memory only', {}, { save: '', appendonly: 'no' }, /^$/],
    [
      'snapshot every second with a change',
      { persistence: 'snapshot', snapshotRules: '1 1' },
      { save: '1 1', appendonly: 'no' },
      /^dump\.rdb$/,
    ],
    [
      'append-only, fsync always',
      { persistence: 'append-only', appendFsync: 'always' },
      { save: '', appendonly: 'yes', appendfsync: 'always' },
      /appendonlydir\/appendonly\.aof\.1\.incr\.aof/,
    ],
    [
      'append-only, fsync no',
      { persistence: 'append-only', appendFsync: 'no' },
      { appendonly: 'yes', appendfsync: 'no' },
      /appendonlydir\/appendonly\.aof\.1\.incr\.aof/,
    ],
    [
      'append-only, fsync every second',
      { persistence: 'append-only' },
      { appendonly: 'yes', appendfsync: 'everysec' },
      /appendonlydir\/appendonly\.aof\.1\.incr\.aof/,
    ],
  ];
  for (const [what, parameters, settings, files] of modes)
    test(`${what}: as the server sees it, and the sizes of what it leaves`, async () => {
      await withService('redis-server', { parameters }, async (redis) => {
        const port = portOf(redis);
        for (const [name, value] of Object.entries(settings))
          assert.equal(await settingOf(port, name), value, name);
        await redisCommand(port, 'SET', 'key', 'x'.repeat(10_000));
        const [stopped] = await redis.service.stop('graceful');
        assert.deepEqual(stopped?.end, { code: 0, signal: null });
        assert.match(stopped.files.map(({ name }) => name).join(' '), files);
        const log = stopped.files.find(({ name }) => name.endsWith('.incr.aof'));
        if (log !== undefined) assert.ok(log.bytes > 10_000 && log.bytes < 10_200, `${log.bytes}`);
      });
    });

  test('memory, its policy, connections and databases', async () => {
    const parameters = {
      maxMemory: 12_345_678,
      maxMemoryPolicy: 'allkeys-lfu',
      maxClients: 123,
      databases: 7,
      ioThreads: 2,
    };
    await withService('redis-server', { parameters }, async (redis) => {
      const [node] = await redis.service.facts();
      assert.equal(node?.facts?.product, 'redis');
      const { settings } = node.facts;
      assert.equal(settings['maxmemory'], '12345678');
      assert.equal(settings['maxmemory-policy'], 'allkeys-lfu');
      assert.equal(settings['maxclients'], '123');
      assert.equal(settings['databases'], '7');
      assert.equal(settings['io-threads'], '2');
    });
  });

  for (const [what, login] of [
    ['a password', { password: 'p w"\\\'\n# \u00e4' }],
    ['a user and a password', { username: 'bench', password: 'p w"\\#\u00e4' }],
  ] as const)
    test(`${what}: asked for, and never on a command line`, async () => {
      await withService('redis-server', login, async (redis) => {
        await assert.rejects(redisCommand(portOf(redis), 'PING'), /NOAUTH/);
        assert.equal((await redis.service.facts())[0]?.facts?.product, 'redis');
        await redis.service.clear();
      });
    });

  test('TLS with a certificate made for it: clients can check it, and nobody is served without', async () => {
    await withService('redis-server', { parameters: { tls: 'generated' } }, async (redis) => {
      const [node] = redis.nodes;
      assert.ok(node !== undefined && node.certificateAuthority !== null);
      const secure = connectTls({ host: node.host, port: node.port, ca: node.certificateAuthority });
      try {
        secure.write('PING\r\n');
        for await (const chunk of secure) {
          assert.equal(String(chunk), '+PONG\r\n');
          break;
        }
        assert.ok(secure.authorized);
      } finally {
        secure.destroy();
      }
      await assert.rejects(redisCommand(node.port, 'PING'), /closed the connection|ECONNRESET/);
    });
  });
});

describe('the recipe redis-cluster', needs('redis-server'), () => {
  test('3 masters and their replicas: every slot is served, every replica follows its master', async () => {
    const parameters = { masters: 3, replicas: 1, nodeTimeout: 1_000 };
    await withService('redis-cluster', { parameters, password: 'secret word' }, async (cluster) => {
      assert.deepEqual(
        cluster.nodes.map(({ role, index }) => `${role} ${index}`),
        ['master 0', 'master 1', 'master 2', 'replica 3', 'replica 4', 'replica 5'],
      );
      for (const { facts } of await cluster.service.facts()) assert.equal(facts?.mode, 'cluster');
      await cluster.service.clear();
    });
  });

  test('a killed master is replaced by its replica; started again it joins', async () => {
    const parameters = { masters: 3, replicas: 1, nodeTimeout: 500 };
    await withService('redis-cluster', { parameters }, async (cluster) => {
      const promoted = portOf(cluster, 3);
      await cluster.service.fault('kill', [0], 0);
      await eventually('the replica is a master', async () =>
        /role:master/.test(String(await redisCommand(promoted, 'INFO', 'replication'))),
      );
      // The one that is away is not waited for.
      await cluster.service.waitUntilReady(15_000);
      await cluster.service.fault('restart', [0], 10_000);
      await cluster.service.waitUntilReady(15_000);
      assert.match(String(await redisCommand(portOf(cluster, 0), 'INFO', 'replication')), /role:slave/);
    });
  });

  test('over two workers: replicas stand on the other one; a worker that does not start its part is named', async () => {
    const parameters = { masters: 2, replicas: 1 };
    const keepers = [new ServiceKeeper(), new ServiceKeeper()];
    try {
      const services = await Promise.all(
        keepers.map((keeper, index) =>
          keeper.prepare(serviceOrder('redis-cluster', { parameters, share: { index, of: 2 } })),
        ),
      );
      const [first, second] = services as [(typeof services)[0], (typeof services)[0]];
      assert.deepEqual(
        services.map(({ nodes }) => nodes.map(({ role, index }) => `${role} ${index}`)),
        [
          ['master 0', 'replica 3'],
          ['master 1', 'replica 2'],
        ],
      );
      const peers = services.flatMap(({ nodes }) => nodes);
      await assert.rejects(first.start(peers, 500), {
        code: 'SERVICE_FAILED',
        message:
          /was not formed within 0\.5 s: master 1 at 127\.0\.0\.1:\d+, and 1 more: (it closed the connection|.*ECONNREFUSED)/,
      });
      await Promise.all([first.start(peers, 30_000), second.start(peers, 30_000)]);
    } finally {
      await Promise.all(keepers.map((keeper) => keeper.close()));
    }
  });

  test('48 masters and 48 replicas on one machine', async () => {
    await withService('redis-cluster', { parameters: { masters: 48, replicas: 1 } }, async (cluster) => {
      assert.equal(cluster.nodes.length, 96);
      const info = String(await redisCommand(portOf(cluster, 95), 'CLUSTER', 'INFO'));
      assert.match(info, /cluster_state:ok/);
      assert.match(info, /cluster_slots_ok:16384/);
      assert.match(info, /cluster_known_nodes:96/);
      assert.match(info, /cluster_size:48/);
    });
  });
});

describe('the recipe redis-sentinel', needs('redis-server'), () => {
  test('sentinels know primary, replicas and each other, and promote a replica', async () => {
    const parameters = { replicas: 1, sentinels: 3, downAfter: 500, masterName: 'main' };
    await withService('redis-sentinel', { parameters, password: 'secret' }, async (service) => {
      const sentinel = portOf(service, 2);
      const primary = async (): Promise<unknown> =>
        ((await redisCommand(sentinel, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')) as unknown[])[1];
      assert.equal(await primary(), String(portOf(service, 0)));
      await service.service.fault('kill', [0], 0);
      await eventually(
        'the replica is the primary',
        async () => (await primary()) === String(portOf(service, 1)),
        30_000,
      );
    });
  });
});

describe('the recipe valkey-server', () => {
  if (findProgram('valkey-server') === null)
    test('says what to install, since it is not installed here', async () => {
      await assert.rejects(startService('valkey-server'), {
        code: 'SERVICE_FAILED',
        message: /\(valkey-server\) on .+: valkey-server is not installed.+: apt-get install valkey-server/,
      });
    });
  else
    test('answers as Valkey', async () => {
      await withService('valkey-server', {}, async (valkey) => {
        assert.equal((await valkey.service.facts())[0]?.facts?.product, 'valkey');
      });
    });
});
