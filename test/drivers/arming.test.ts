import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { FailureCode } from '@pacecar/protocol';
import { startTarget } from '@pacecar/worker';
import { needs } from '../services/installed.js';
import { freePort, type RedisServer, startRedis } from '../services/redis-server.js';
import { RESP_DRIVERS } from './server-under-test.js';
import { startScripted } from './scripted-server.js';
import { StageRig, type StageWishes } from './stage-rig.js';

for (const { name: driver } of RESP_DRIVERS) {
  describe(`arming with driver ${driver}`, () => {
    let rig: StageRig;
    before(() => {
      rig = new StageRig();
    });
    after(() => rig.close());

    async function expectFailure(
      wishes: Omit<StageWishes, 'driver'>,
      code: FailureCode,
      reason: RegExp,
      withinMs = 5_000,
    ): Promise<void> {
      const result = await rig.run({ ...wishes, driver });
      assert.equal(result.failure?.code, code, result.failure?.reason);
      assert.match(result.failure?.reason ?? '', reason);
      assert.deepEqual(result.frames, []);
      assert.ok(result.armMs < withinMs, `${result.armMs} ms`);
    }

    test('nobody listens: unreachable, with host and port', async () => {
      const port = await freePort();
      await expectFailure(
        { port },
        'TARGET_UNREACHABLE',
        new RegExp(`127\\.0\\.0\\.1:${port} cannot be reached.*ECONNREFUSED`),
      );
    });

    test('a name that does not exist: unreachable, with the name', async () => {
      const wishes = { port: 6379, host: 'no-such-host.invalid', connectTimeoutMs: 4_000 };
      await expectFailure(
        wishes,
        'TARGET_UNREACHABLE',
        /no-such-host\.invalid:6379 cannot be reached/,
        6_000,
      );
    });

    test('a web server: not RESP, with what it said', async () => {
      const server = await startScripted((socket) =>
        socket.write('HTTP/1.1 400 Bad Request\r\nServer: web\r\n\r\n'),
      );
      try {
        await expectFailure(
          { port: server.port },
          'TARGET_PROTOCOL',
          /does not speak RESP.*HTTP\/1\.1 400 Bad Request/,
        );
      } finally {
        await server.close();
      }
    });

    test('a server that takes connections and says nothing: fails within the connect timeout, and says that', async () => {
      const server = await startScripted(() => undefined);
      try {
        const wishes = { port: server.port, connectTimeoutMs: 400 };
        await expectFailure(wishes, 'TARGET_PROTOCOL', /did not answer within 400 ms/, 4_000);
      } finally {
        await server.close();
      }
    });

    test('a server that hangs up: unreachable, and says that', async () => {
      const server = await startScripted(
        () => undefined,
        (socket) => socket.end(),
      );
      try {
        await expectFailure({ port: server.port }, 'TARGET_UNREACHABLE', /ended a new connection|closed/);
      } finally {
        await server.close();
      }
    });

    test('settings that the driver does not have are refused', async () => {
      const wishes = { port: 6379, settings: { turbo: true } };
      await expectFailure(wishes, 'REQUEST_INVALID', new RegExp(`settings of the driver ${driver}.*turbo`));
    });

    test('the built-in target with a password: denied without and with a wrong one, fine with the right one', async () => {
      const target = await startTarget({ host: '127.0.0.1', port: 0, password: 'right' });
      const { port } = target;
      try {
        await expectFailure({ port }, 'TARGET_DENIED', /NOAUTH/);
        await expectFailure({ port, password: 'wrong' }, 'TARGET_DENIED', /WRONGPASS/);
        const result = await rig.run({ port, driver, password: 'right', operations: 10 });
        assert.equal(result.failure, null);
      } finally {
        await target.close();
      }
    });
  });

  describe(`arming with driver ${driver} on a real Redis`, needs('redis-server'), () => {
    let rig: StageRig;
    let redis: RedisServer;
    before(async () => {
      rig = new StageRig();
      redis = await startRedis([
        '--requirepass',
        'right',
        '--databases',
        '4',
        '--user',
        'bob',
        'on',
        '>bobs',
        '+@all',
        '~*',
      ]);
    });
    after(async () => {
      await rig.close();
      await redis.close();
    });

    for (const [what, wishes, reason] of [
      ['no password', {}, /refuses PING: NOAUTH/],
      ['a wrong password', { password: 'wrong' }, /refuses AUTH: WRONGPASS/],
      ['a wrong user', { username: 'eve', password: 'right' }, /refuses AUTH: WRONGPASS/],
      [
        'a database that is not there',
        { password: 'right', database: 4 },
        /refuses database 4: ERR DB index/,
      ],
    ] as const)
      test(`${what}: denied, with what the server said`, async () => {
        const result = await rig.run({ port: redis.port, driver, ...wishes });
        assert.equal(result.failure?.code, 'TARGET_DENIED');
        assert.match(result.failure?.reason ?? '', reason);
      });

    for (const [what, wishes] of [
      ['the password', { password: 'right' }],
      ['a user and a password', { username: 'bob', password: 'bobs', database: 3 }],
    ] as const)
      test(`${what}: armed, and it runs`, async () => {
        const result = await rig.run({ port: redis.port, driver, ...wishes, operations: 10 });
        assert.equal(result.failure, null);
        assert.equal(result.totals[0]?.ok, 10);
      });
  });
}

describe('arming', () => {
  test('an unknown driver is refused by name', async () => {
    const rig = new StageRig();
    try {
      const result = await rig.run({ port: 6379, driver: 'telepathy' });
      assert.equal(result.failure?.code, 'UNSUPPORTED');
      assert.match(
        result.failure?.reason ?? '',
        /no driver "telepathy"; it has resp, ioredis, memcached, memjs/,
      );
    } finally {
      await rig.close();
    }
  });

  test('a thousand connections over four threads are all opened', async () => {
    const target = await startTarget({ host: '127.0.0.1', port: 0 });
    const rig = new StageRig();
    try {
      const result = await rig.run({ port: target.port, connections: 1_000, threads: 4, operations: 4_000 });
      assert.equal(result.failure, null);
      assert.equal(result.connections, 1_000);
      assert.equal(result.totals[0]?.ok, 4_000);
    } finally {
      await rig.close();
      await target.close();
    }
  });
});
