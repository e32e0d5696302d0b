import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { plainAction } from '@pacecar/protocol';
import { type RunningTarget, startTarget } from '@pacecar/worker';
import { needs } from '../services/installed.js';
import { type RedisServer, startRedis } from '../services/redis-server.js';
import { CuttingProxy } from './cutting-proxy.js';
import { RESP_DRIVERS } from './server-under-test.js';
import { politeAnswer, startScripted } from './scripted-server.js';
import { checkIdentities, errorsOf, latenciesOf, StageRig, totalOf } from './stage-rig.js';

for (const { name: driver } of RESP_DRIVERS) {
  describe(`trouble with driver ${driver}`, () => {
    let rig: StageRig;
    let target: RunningTarget;
    before(async () => {
      rig = new StageRig();
      target = await startTarget({ host: '127.0.0.1', port: 0 });
    });
    after(async () => {
      await rig.close();
      await target.close();
    });

    test('a server that stops answering: timeouts with their time, connections opened anew, the stage ends on time', async () => {
      // Polite while logging in, answers the first 20 operations of a connection, and then nothing.
      const answered = new Map<number, number>();
      const server = await startScripted((socket, bytes, number) => {
        const polite = politeAnswer(bytes);
        if (polite !== null) {
          socket.write(polite);
          return;
        }
        const count = (answered.get(number) ?? 0) + 1;
        answered.set(number, count);
        if (count <= 20) socket.write('$-1\r\n');
      });
      try {
        const result = await rig.run({
          ...{ port: server.port, driver, connections: 2, depth: 1 },
          ...{ durationMs: 1_000, operationTimeoutMs: 200, drainMs: 300 },
        });
        assert.equal(result.failure, null);
        checkIdentities(result);
        const total = totalOf(result, 'get');
        assert.ok(total.timeouts >= 4, `${total.timeouts} timeouts`);
        assert.ok(total.misses > 0 && total.misses === total.ok);
        assert.ok(result.elapsedMs >= 1_000 && result.elapsedMs < 4_000, `${result.elapsedMs} ms`);
        const failed = latenciesOf(result, 'failed');
        assert.equal(failed.count, total.timeouts);
        assert.ok((failed.minimumNs as number) >= 200e6);
        // One that asked, and a new one after each timeout but those of the last moments.
        assert.ok(server.accepted >= 1 + total.timeouts, `${server.accepted} connections`);
      } finally {
        await server.close();
      }
    });

    test('a server that reads slowly: what waits to be sent stays what it is, on all connections', async () => {
      const slow = await CuttingProxy.start(target.port, { isSlow: true });
      try {
        // Several megabytes on their way on each connection, in a buffer of the driver's or, if larger, outside.
        for (const [bytes, keys, depth] of [
          [10_000, 6_000, 1_500],
          [100_000, 400, 100],
        ] as const) {
          const wishes = { driver, bytes, keys, connections: 4, depth, end: { kind: 'keys' } as const };
          const written = await rig.run({ ...wishes, port: slow.port, mix: { put: 1 } });
          checkIdentities(written);
          assert.equal(totalOf(written, 'put').ok, keys);
          const read = await rig.run({ ...wishes, port: target.port, mix: { get: 1 }, checkValues: true });
          assert.deepEqual(errorsOf(read), {});
          assert.equal(totalOf(read, 'get').hits, keys);
        }
      } finally {
        await slow.close();
      }
    });

    for (const [what, actions] of [
      ['', [plainAction('get', 1)]],
      [
        ' of operations of several steps',
        [
          plainAction('readModifyWrite', 1),
          { ...plainAction('getAll', 1), batch: 5 },
          { ...plainAction('transaction', 1), commands: ['SET __key__ __data__', 'GET __key__'] },
        ],
      ],
    ] as const)
      test(`a connection cut in mid-stage${what}: in flight is aborted, it is opened anew, no reply goes to another operation`, async () => {
        const proxy = await CuttingProxy.start(target.port);
        try {
          await rig.run({ port: target.port, driver, end: { kind: 'keys' }, keys: 1_000, mix: { put: 1 } });
          // Each cut comes after operations succeeded, and the end after some more did.
          let cuts = 0;
          const result = await rig.run(
            {
              ...{
                port: proxy.port,
                driver,
                connections: 4,
                depth: 8,
                durationMs: 20_000,
                checkValues: true,
              },
              actions,
            },
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
          const totals = actions.map(({ name }) => totalOf(result, name));
          const sum = (of: (total: (typeof totals)[number]) => number) =>
            totals.reduce((before, total) => before + of(total), 0);
          assert.equal(cuts, 4);
          const aborted = sum((total) => total.aborted);
          assert.ok(aborted > 0 && aborted <= cuts * 4 * 8, `${aborted} aborted`);
          // Every value was checked against the key that was asked for.
          assert.deepEqual(errorsOf(result), {});
          assert.equal(
            sum((total) => total.misses),
            0,
          );
          assert.ok(proxy.accepted >= 4 + cuts, `${proxy.accepted} connections`);
        } finally {
          await proxy.close();
        }
      });

    test('stop in mid-stage: drained early, with everything accounted for', async () => {
      const begin = rig.nowMs();
      const result = await rig.run({ port: target.port, driver, durationMs: 20_000, depth: 4 }, (frame) => {
        if (frame.sequence === 2) rig.load?.stop();
      });
      assert.equal(result.failure, null);
      checkIdentities(result);
      assert.equal(totalOf(result, 'get').aborted, 0);
      assert.ok(rig.nowMs() - begin < 5_000);
    });
  });

  describe(`error replies with driver ${driver} on a real Redis`, needs('redis-server'), () => {
    let rig: StageRig;
    let redis: RedisServer;
    before(async () => {
      rig = new StageRig();
      redis = await startRedis();
    });
    after(async () => {
      await rig.close();
      await redis.close();
    });

    test('WRONGTYPE is an error of that kind with a latency of its own, never a success', async () => {
      for (let key = 0; key < 5; key++) await redis.command('LPUSH', `key:${key}`, 'x');
      const result = await rig.run({ port: redis.port, driver, end: { kind: 'keys' }, keys: 20, depth: 4 });
      checkIdentities(result);
      assert.deepEqual(errorsOf(result), { WRONGTYPE: 5 });
      const total = totalOf(result, 'get');
      assert.deepEqual([total.sent, total.ok, total.misses, total.errors], [20, 15, 15, 5]);
      assert.equal(latenciesOf(result, 'failed').count, 5);
      assert.equal(latenciesOf(result, 'service').count, 15);
    });

    test('OOM of a full server is an error of that kind; reads go on', async () => {
      await redis.command('FLUSHALL');
      await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      await redis.command('CONFIG', 'SET', 'maxmemory', '1');
      const result = await rig.run({
        port: redis.port,
        driver,
        operations: 200,
        depth: 4,
        mix: { put: 1, get: 1 },
      });
      await redis.command('CONFIG', 'SET', 'maxmemory', '0');
      checkIdentities(result);
      const put = totalOf(result, 'put');
      assert.ok(put.sent > 50);
      assert.deepEqual(errorsOf(result), { OOM: put.sent });
      assert.equal(put.ok, 0);
      assert.equal(totalOf(result, 'get').errors, 0);
      assert.equal(result.target?.settings['maxmemory'], '1');
      assert.equal(result.target?.settings['maxmemory-policy'], 'noeviction');
    });
  });
}

describe('trouble in the engine itself', () => {
  test('abandon: nothing more is reported, connections are gone, and the next stage works', async () => {
    const target = await startTarget({ host: '127.0.0.1', port: 0 });
    const rig = new StageRig();
    try {
      let framesAfter = 0;
      let isAbandoned = false;
      const never = rig.run({ port: target.port, durationMs: 20_000 }, (frame) => {
        if (isAbandoned) framesAfter++;
        if (frame.sequence === 1) {
          isAbandoned = true;
          rig.load?.abandon();
        }
      });
      never.catch(() => undefined);
      await until(() => isAbandoned);
      const next = await rig.run({ port: target.port, operations: 100 });
      assert.equal(next.failure, null);
      checkIdentities(next);
      assert.equal(totalOf(next, 'get').ok, 100);
      assert.equal(framesAfter, 0);
    } finally {
      await rig.close();
      await target.close();
    }
  });

  test('streams do not depend on the number of threads: the same keys are written', async () => {
    const written: string[] = [];
    for (const threads of [1, 3]) {
      const keys = new Set<string>();
      const server = await startScripted((socket, bytes) => {
        const polite = politeAnswer(bytes);
        if (polite !== null) {
          socket.write(polite);
          return;
        }
        const commands = [...bytes.toString('latin1').matchAll(/key:(\d+)\r\n\$(\d+)/g)];
        for (const [, key, size] of commands) keys.add(`${key} ${size}`);
        socket.write('+OK\r\n'.repeat(commands.length));
      });
      const rig = new StageRig();
      try {
        const result = await rig.run({
          ...{ port: server.port, threads, connections: 6, operations: 600, mix: { put: 1 } },
          ...{ keys: 1_000_000, bytes: [1, 500], seed: 42 },
        });
        assert.equal(totalOf(result, 'put').ok, 600);
        written.push([...keys].sort().join('\n'));
      } finally {
        await rig.close();
        await server.close();
      }
    }
    assert.equal(written[0], written[1]);
    assert.ok((written[0] ?? '').split('\n').length > 590);
  });
});

/** Waits for a condition; its deadline is the test's. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}
