import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TARGET_SCHEMES } from '@pacecar/protocol';
import { DRIVERS } from '@pacecar/worker';
import { STORES, type StoreUnderTest } from './server-under-test.js';
import { checkIdentities, errorsOf, latenciesOf, type StageResult, StageRig, totalOf } from './stage-rig.js';

for (const store of STORES)
  for (const { name: driver } of DRIVERS.filter(({ scheme }) => scheme === store.scheme))
    describe(`driver ${driver} on ${store.name}`, store.options, () => {
      let target: StoreUnderTest;
      let rig: StageRig;
      before(async () => {
        target = await store.start();
        rig = new StageRig();
      });
      after(async () => {
        await rig.close();
        await target.close();
      });

      /** Runs a stage and holds its counts against the server's own. */
      async function runCounted(
        wishes: Omit<Parameters<StageRig['run']>[0], 'port' | 'driver'>,
      ): Promise<StageResult> {
        const before = await target.counts();
        const result = await rig.run({ ...wishes, port: target.port, driver });
        assert.equal(result.failure, null);
        checkIdentities(result);
        const afterwards = await target.counts();
        for (const operation of ['get', 'put', 'delete'] as const) {
          const counted = afterwards[operation] - before[operation];
          assert.equal(totalOf(result, operation).sent, counted, `${operation} as the server counted it`);
        }
        return result;
      }

      test('1003 operations of three kinds over 7 connections and 3 threads are 1003 on the server', async () => {
        const mix = { get: 5, put: 4, delete: 1 };
        const result = await runCounted({ operations: 1_003, connections: 7, threads: 3, mix, keys: 50 });
        assert.equal(result.connections, 7);
        const totals = (['get', 'put', 'delete'] as const).map((operation) => totalOf(result, operation));
        assert.equal(
          totals.reduce((sum, total) => sum + total.ok, 0),
          1_003,
        );
        assert.equal(latenciesOf(result, 'service').count, 1_003);
        assert.equal(latenciesOf(result, 'failed').count, 0);
      });

      test('20,001 operations with depth 16 are exactly so many: no overshoot', async () => {
        const result = await runCounted({ operations: 20_001, connections: 3, depth: 16, mix: { put: 1 } });
        assert.equal(totalOf(result, 'put').ok, 20_001);
      });

      test('30,001 operations over 7 threads are exactly so many', async () => {
        const result = await runCounted({
          operations: 30_001,
          connections: 9,
          threads: 7,
          depth: 8,
          mix: { get: 1 },
        });
        assert.equal(totalOf(result, 'get').ok, 30_001);
        assert.ok(result.frames[0]?.threads.length === 7);
      });

      test('all keys once, then every value is where it should be, hits and misses as the server counts them', async () => {
        await target.clear();
        const load = await runCounted({
          ...{ end: { kind: 'keys' }, keys: 500, connections: 7, depth: 4, mix: { put: 1 } },
          bytes: [0, 3_000],
        });
        assert.equal(totalOf(load, 'put').ok, 500);
        assert.equal(await target.count(), 500);
        const before = await target.counts();
        const verify = await runCounted({ end: { kind: 'keys' }, keys: 700, depth: 4, checkValues: true });
        const counted = await target.counts();
        assert.deepEqual(totalOf(verify, 'get'), { ...NOTHING, sent: 700, ok: 700, hits: 500, misses: 200 });
        assert.deepEqual(
          { hits: counted.hits - before.hits, misses: counted.misses - before.misses },
          { hits: 500, misses: 200 },
        );
      });

      test('more connections than keys: each key once, the others idle', async () => {
        await target.clear();
        const result = await runCounted({
          ...{ end: { kind: 'keys' }, keys: 5, connections: 12, threads: 4, mix: { put: 1 } },
        });
        assert.equal(totalOf(result, 'put').ok, 5);
        assert.equal(await target.count(), 5);
      });

      test('a deleted key is a hit once and a miss after', async () => {
        await target.clear();
        await runCounted({ end: { kind: 'keys' }, keys: 40, mix: { put: 1 } });
        const first = await runCounted({ end: { kind: 'keys' }, keys: 50, mix: { delete: 1 } });
        const second = await runCounted({ end: { kind: 'keys' }, keys: 50, mix: { delete: 1 } });
        assert.deepEqual(totalOf(first, 'delete'), { ...NOTHING, sent: 50, ok: 50, hits: 40, misses: 10 });
        assert.deepEqual(totalOf(second, 'delete'), { ...NOTHING, sent: 50, ok: 50, hits: 0, misses: 50 });
      });

      test('an existing empty value is a hit', async () => {
        await target.clear();
        await runCounted({ end: { kind: 'keys' }, keys: 10, mix: { put: 1 }, bytes: 0 });
        const result = await runCounted({ end: { kind: 'keys' }, keys: 10, checkValues: true });
        assert.equal(totalOf(result, 'get').hits, 10);
      });

      test('a value that belongs to another key is an error VALUE_MISMATCH, with its own latency', async () => {
        await runCounted({ end: { kind: 'keys' }, keys: 20, mix: { put: 1 }, bytes: 30 });
        const other = await target.read('key:3');
        await target.write('key:7', other);
        await target.write('key:8', 'v'.repeat(30));
        await target.write('key:9', '');
        const result = await runCounted({ end: { kind: 'keys' }, keys: 20, checkValues: true, depth: 3 });
        // An empty value is the right one for no bytes: nothing in it says otherwise.
        assert.deepEqual(errorsOf(result), { VALUE_MISMATCH: 2 });
        assert.equal(totalOf(result, 'get').ok, 18);
        assert.equal(latenciesOf(result, 'failed').count, 2);
        const unchecked = await runCounted({ end: { kind: 'keys' }, keys: 20 });
        assert.equal(totalOf(unchecked, 'get').ok, 20);
      });

      test('values of 100,000 bytes and more, several in flight, arrive whole', async () => {
        await target.clear();
        const bytes = [100_000, 200_000] as const;
        await runCounted({ end: { kind: 'keys' }, keys: 40, depth: 8, mix: { put: 1 }, bytes });
        const result = await runCounted({
          end: { kind: 'keys' },
          keys: 40,
          depth: 8,
          checkValues: true,
          bytes,
        });
        assert.deepEqual(totalOf(result, 'get'), { ...NOTHING, sent: 40, ok: 40, hits: 40 });
        const received = result.frames
          .flatMap((frame) => frame.rows)
          .reduce((sum, row) => sum + row.bytesReceived, 0);
        assert.ok(received > 40 * 100_000 && received < 41 * 200_000, `${received} bytes received`);
      });

      test('by time: sends for its time, and only for its time', async () => {
        const result = await runCounted({
          durationMs: 400,
          connections: 3,
          depth: 2,
          mix: { get: 1, put: 1 },
        });
        const sent = totalOf(result, 'get').sent + totalOf(result, 'put').sent;
        assert.ok(sent > 6, `${sent} operations`);
        assert.ok(result.elapsedMs >= 400, `${result.elapsedMs} ms`);
        assert.equal(result.frames.at(-1)?.interval, result.lastSequence);
        const [first] = result.frames;
        assert.ok(first !== undefined && first.firstOperationNs !== null);
        assert.ok(result.frames.every((frame) => frame.threads.length === 1 && frame.residentBytes > 0));
      });

      test('says what it found', async () => {
        const result = await rig.run({ port: target.port, driver, operations: 1 });
        assert.equal(result.target?.address, `127.0.0.1:${target.port}`);
        assert.equal(result.target?.product, store.product);
        assert.match(result.target?.version ?? '', /^\d+\.\d+\.\d+/);
        assert.equal(result.target?.mode, 'standalone');
        if (store.says !== null) assert.equal(result.target?.settings[store.says[0]], store.says[1]);
      });

      if (driver === 'ioredis')
        for (const settings of [{ autoPipelining: true }, { protocol: 2 }])
          test(`with ${JSON.stringify(settings)}: the same counts`, async () => {
            const mix = { get: 1, put: 1 };
            const result = await runCounted({
              operations: 2_000,
              depth: 16,
              mix,
              checkValues: true,
              settings,
            });
            assert.deepEqual(errorsOf(result), {});
          });

      if (TARGET_SCHEMES[store.scheme].databases === 'numbers')
        test('another database is another database', async () => {
          await target.clear();
          await rig.run({
            port: target.port,
            driver,
            database: 3,
            end: { kind: 'keys' },
            keys: 10,
            mix: { put: 1 },
          });
          assert.equal(await target.count(), 0);
          const there = await rig.run({
            port: target.port,
            driver,
            database: 3,
            end: { kind: 'keys' },
            keys: 10,
          });
          assert.equal(totalOf(there, 'get').hits, 10);
        });
    });

const NOTHING = {
  sent: 0,
  ok: 0,
  hits: 0,
  misses: 0,
  errors: 0,
  timeouts: 0,
  aborted: 0,
  late: 0,
  dropped: 0,
} as const;
