import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { FailureCode } from '@pacecar/protocol';
import { startTarget } from '@pacecar/worker';
import { needs } from '../services/installed.js';
import { type MemcachedServer, startMemcached } from '../services/memcached-server.js';
import { freePort } from '../services/redis-server.js';
import { CuttingProxy } from './cutting-proxy.js';
import { MEMCACHED_DRIVERS } from './memcached-drivers.js';
import { startScripted } from './scripted-server.js';
import { checkIdentities, errorsOf, latenciesOf, StageRig, type StageWishes, totalOf } from './stage-rig.js';

for (const { name, driver, settings, has } of MEMCACHED_DRIVERS) {
  // In its binary protocol the server does not count what it could not store.
  const countsRefusals = driver === 'memcached';

  describe(`arming with driver ${name}`, () => {
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
      const result = await rig.run({ settings, ...wishes, driver });
      assert.equal(result.failure?.code, code, result.failure?.reason);
      assert.match(result.failure?.reason ?? '', reason);
      assert.deepEqual(result.frames, []);
      assert.ok(result.armMs < withinMs, `${result.armMs} ms`);
    }

    test('nobody listens: unreachable, with host and port', async () => {
      const port = await freePort();
      const reason = new RegExp(`127\\.0\\.0\\.1:${port} cannot be reached.*ECONNREFUSED`);
      await expectFailure({ port }, 'TARGET_UNREACHABLE', reason);
    });

    test('a server of the Redis family: says so, and which driver is for it', async () => {
      const target = await startTarget({ host: '127.0.0.1', port: 0 });
      try {
        const reason = /does not speak the protocol of memcached.*a Redis answers so.*driver resp/;
        await expectFailure({ port: target.port }, 'TARGET_PROTOCOL', reason);
      } finally {
        await target.close();
      }
    });

    test('a web server: not a memcached, with what it said', async () => {
      const server = await startScripted((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
      try {
        await expectFailure({ port: server.port }, 'TARGET_PROTOCOL', /"HTTP\/1\.1 400 Bad Request"/);
      } finally {
        await server.close();
      }
    });

    test('a server that takes connections and says nothing: fails within the connect timeout', async () => {
      const server = await startScripted(() => undefined);
      try {
        const wishes = { port: server.port, connectTimeoutMs: 400 };
        const reason = /did not answer within 400 ms; does it speak the protocol of memcached\?/;
        await expectFailure(wishes, 'TARGET_PROTOCOL', reason, 4_000);
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

    test('settings that the driver does not have, and keys that no memcached takes, are refused', async () => {
      const turbo = { port: 11_211, settings: { turbo: true } };
      await expectFailure(turbo, 'REQUEST_INVALID', new RegExp(`settings of the driver ${driver}.*turbo`));
    });
  });

  describe(`arming with driver ${name} on a real memcached`, needs('memcached'), () => {
    let rig: StageRig;
    before(() => {
      rig = new StageRig();
    });
    after(() => rig.close());

    for (const [what, keyShape, reason] of [
      ['too long', { prefix: 'x'.repeat(248) }, /has 251 bytes; a memcached takes keys of at most 250 bytes/],
      ['with a blank', { prefix: 'a b' }, /its keys have the character " "/],
    ] as const)
      test(`keys ${what}: refused before anything is sent to store them`, async () => {
        const server = await startMemcached();
        try {
          const result = await rig.run({ port: server.port, driver, settings, keyShape, mix: { put: 1 } });
          assert.equal(result.failure?.code, 'REQUEST_INVALID');
          assert.match(result.failure?.reason ?? '', reason);
          assert.equal((await server.stats())['cmd_set'], 0);
        } finally {
          await server.close();
        }
      });

    test('a server with a limit of connections below what the stage needs: says what it answered', async () => {
      const server = await startMemcached(['-c', '40', '-o', 'maxconns_fast']);
      try {
        const result = await rig.run({ port: server.port, driver, settings, connections: 60 });
        assert.notEqual(result.failure, null);
        assert.match(result.failure?.reason ?? '', new RegExp(`127\\.0\\.0\\.1:${server.port}`));
      } finally {
        await server.close();
      }
    });

    test('two lives of one server have two names', async () => {
      const first = await startMemcached();
      const before = await rig.run({ port: first.port, driver, settings, operations: 1 });
      const again = await rig.run({ port: first.port, driver, settings, operations: 1 });
      await first.close();
      const second = await startMemcached([], first.port);
      try {
        const later = await rig.run({ port: first.port, driver, settings, operations: 1 });
        const ids = [before, again, later].map(({ target }) => target?.settings['run_id']);
        assert.match(ids[0] ?? '', /^\d+ since \d+$/);
        assert.equal(ids[0], ids[1]);
        assert.notEqual(ids[0], ids[2]);
      } finally {
        await second.close();
      }
    });
  });

  describe(`trouble with driver ${name} on a real memcached`, needs('memcached'), () => {
    let rig: StageRig;
    let server: MemcachedServer;
    before(async () => {
      rig = new StageRig();
      server = await startMemcached();
    });
    after(async () => {
      await rig.close();
      await server.close();
    });

    test('a value larger than the server takes is an error, and following reads miss', async () => {
      const small = await startMemcached(['-I', '512k']);
      try {
        const wishes = {
          port: small.port,
          driver,
          settings,
          end: { kind: 'keys' },
          keys: 20,
          depth: 4,
        } as const;
        for (const bytes of [600_000, [530_000, 700_000]] as const) {
          const fits = await rig.run({ ...wishes, mix: { put: 1 }, bytes: 100 });
          assert.deepEqual(errorsOf(fits), {});
          const put = await rig.run({ ...wishes, mix: { put: 1 }, bytes });
          checkIdentities(put);
          assert.deepEqual(errorsOf(put), { TOO_LARGE: 20 });
          assert.equal(totalOf(put, 'put').ok, 0);
          assert.equal(latenciesOf(put, 'failed').count, 20);
          const get = await rig.run({ ...wishes, bytes });
          assert.equal(totalOf(get, 'get').misses, 20);
        }
        const stats = await small.stats();
        assert.equal(stats['store_too_large'], countsRefusals ? 40 : 0);
        assert.equal(stats['get_misses'], 40);
      } finally {
        await small.close();
      }
    });

    test('memory that is full where nothing is evicted is an error of its kind, inside a pipeline too', async () => {
      const full = await startMemcached(['-M', '-m', '2']);
      try {
        const result = await rig.run({
          ...{ port: full.port, driver, settings, operations: 3_000, depth: 8, keys: 100_000 },
          ...{ mix: { put: 3, get: 1 }, bytes: 20_000 },
        });
        checkIdentities(result);
        const put = totalOf(result, 'put');
        assert.ok(put.errors > 100, `${put.errors} errors`);
        assert.deepEqual(errorsOf(result), { OUT_OF_MEMORY: put.errors });
        assert.equal(totalOf(result, 'get').errors, 0);
        assert.equal((await full.stats())['store_no_memory'], countsRefusals ? put.errors : 0);
        assert.equal(result.target?.settings['evictions'], 'off');
      } finally {
        await full.close();
      }
    });

    test('a server that stands still: timeouts with their time; once it goes on, so does the load', async () => {
      const still = await startMemcached();
      try {
        let stopped = false;
        const isStopped = () => stopped;
        let okAfter = 0;
        const result = await rig.run(
          {
            ...{ port: still.port, driver, settings, connections: 2, depth: 2, durationMs: 20_000 },
            ...{ operationTimeoutMs: 200, drainMs: 300, connectTimeoutMs: 500, limitMs: 25_000 },
          },
          (frame) => {
            const [row] = frame.rows;
            if (row === undefined) return;
            if (!isStopped() && row.ok > 0) {
              stopped = true;
              process.kill(still.pid, 'SIGSTOP');
            } else if (isStopped() && row.timeouts > 0) {
              process.kill(still.pid, 'SIGCONT');
            } else if (isStopped() && row.ok > 0 && frame.sequence > 3 && ++okAfter > 5) {
              rig.load?.stop();
            }
          },
        );
        assert.equal(result.failure, null);
        checkIdentities(result);
        const total = totalOf(result, 'get');
        assert.ok(total.timeouts >= 1, `${total.timeouts} timeouts`);
        assert.ok((latenciesOf(result, 'failed').minimumNs as number) >= 200e6);
        assert.ok(okAfter > 5);
      } finally {
        process.kill(still.pid, 'SIGCONT');
        await still.close();
      }
    });

    test('a server that is killed and started again: aborted, unreachable for a while, and back', async () => {
      const first = await startMemcached();
      let second: Promise<MemcachedServer> | null = null;
      let okAfter = 0;
      const result = await rig.run(
        { port: first.port, driver, settings, connections: 4, depth: 8, durationMs: 20_000, limitMs: 25_000 },
        (frame) => {
          const ok = frame.rows[0]?.ok ?? 0;
          if (second === null && ok > 0) second = first.close().then(() => startMemcached([], first.port));
          else if (second !== null && ok > 0 && ++okAfter > 5) rig.load?.stop();
        },
      );
      assert.ok(second !== null);
      await (await (second as Promise<MemcachedServer>)).close();
      assert.equal(result.failure, null);
      checkIdentities(result);
      const total = totalOf(result, 'get');
      assert.ok(total.aborted > 0 && total.aborted <= 2 * 32, `${total.aborted} aborted`);
      assert.deepEqual(errorsOf(result), {});
    });

    test('a connection cut in mid-stage: opened anew, and no reply goes to another operation', async () => {
      const proxy = await CuttingProxy.start(server.port);
      try {
        const wishes = { driver, settings, keys: 1_000, checkValues: true, bytes: [0, 3_000] } as const;
        await rig.run({ ...wishes, port: server.port, end: { kind: 'keys' }, mix: { put: 1 } });
        let cuts = 0;
        const mix = has('readModifyWrite') ? { get: 3, put: 1, readModifyWrite: 1 } : { get: 3, put: 1 };
        const result = await rig.run(
          { ...wishes, port: proxy.port, connections: 4, depth: 8, durationMs: 20_000, mix },
          (frame) => {
            if (!frame.rows.some((row) => row.ok > 0)) return;
            if (cuts === 4) {
              rig.load?.stop();
            } else {
              cuts++;
              proxy.cutAll();
            }
          },
        );
        assert.equal(result.failure, null);
        checkIdentities(result);
        const aborted = result.totals.reduce((sum, total) => sum + total.aborted, 0);
        assert.ok(aborted > 0 && aborted <= cuts * 4 * 8, `${aborted} aborted`);
        assert.deepEqual(errorsOf(result), {});
        assert.equal(totalOf(result, 'get').misses, 0);
      } finally {
        await proxy.close();
      }
    });

    test('stop in mid-stage: drained early, with everything accounted for', async () => {
      const begin = rig.nowMs();
      const result = await rig.run(
        { port: server.port, driver, settings, durationMs: 20_000, depth: 4 },
        (frame) => {
          if (frame.sequence === 2) rig.load?.stop();
        },
      );
      assert.equal(result.failure, null);
      checkIdentities(result);
      assert.equal(totalOf(result, 'get').aborted, 0);
      assert.ok(rig.nowMs() - begin < 5_000);
    });
  });
}

describe('other targets than a driver is for', needs('memcached'), () => {
  test('a memcached where a Redis is meant: says so, and which driver is for it', async () => {
    const server = await startMemcached();
    const rig = new StageRig();
    try {
      for (const driver of ['resp', 'ioredis']) {
        const { failure } = await rig.run({ port: server.port, driver });
        assert.equal(failure?.code, 'TARGET_PROTOCOL');
        assert.match(failure?.reason ?? '', /does not speak RESP.*a memcached answers so.*driver memcached/);
      }
    } finally {
      await rig.close();
      await server.close();
    }
  });

  test('a memcached that wants a user: denied, with what to do', async () => {
    const { mkdtemp, rm, writeFile } = await import('node:fs/promises');
    const { tmpdir } = await import('node:os');
    const folder = await mkdtemp(`${tmpdir()}/pacecar-memcached-`);
    await writeFile(`${folder}/users`, 'bob:bobs\n');
    const server = await startMemcached(['-Y', `${folder}/users`]);
    const rig = new StageRig();
    try {
      const { failure } = await rig.run({ port: server.port, driver: 'memcached' });
      assert.equal(failure?.code, 'TARGET_DENIED', failure?.reason);
      assert.match(failure?.reason ?? '', /wants a user and a password, which this driver cannot give/);
    } finally {
      await rig.close();
      await server.close();
      await rm(folder, { recursive: true });
    }
  });
});
