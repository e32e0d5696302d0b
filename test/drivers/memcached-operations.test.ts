import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Action, type Keys, type Operation, plainAction } from '@pacecar/protocol';
import { needs } from '../services/installed.js';
import { type MemcachedServer, startMemcached } from '../services/memcached-server.js';
import { MEMCACHED_DRIVERS } from './memcached-drivers.js';
import {
  checkIdentities,
  errorsOf,
  StageRig,
  type StageResult,
  type StageWishes,
  totalOf,
} from './stage-rig.js';

const action = (operation: Operation, parameters: Partial<Action> = {}): Action => ({
  ...plainAction(operation, 1),
  ...parameters,
});
const ALL_KEYS = { end: { kind: 'keys' } } as const;
const SEQUENTIAL = { distribution: { kind: 'sequential' } } as const satisfies Partial<Keys>;

for (const { name, driver, settings, has } of MEMCACHED_DRIVERS)
  describe(`operations of driver ${name} on a real memcached`, needs('memcached'), () => {
    let server: MemcachedServer;
    let rig: StageRig;
    before(async () => {
      server = await startMemcached();
      rig = new StageRig();
    });
    after(async () => {
      await rig.close();
      await server.close();
    });

    /** A test of operations that not every driver has. */
    function testIf(isAble: boolean, what: string, run: () => Promise<void>): void {
      if (isAble) test(what, run);
    }

    /** Runs actions and returns the result with what the server counted meanwhile. */
    async function run(actions: readonly Action[], wishes: Partial<StageWishes> = {}) {
      const before = await server.stats();
      const result: StageResult = await rig.run({
        ...{ port: server.port, driver, settings, keys: 40, depth: 5, connections: 3, threads: 2, actions },
        ...(wishes.end === undefined ? { operations: 300 } : {}),
        ...wishes,
      });
      assert.equal(result.failure, null);
      checkIdentities(result);
      const stats = await server.stats();
      return { result, counted: (counter: string) => (stats[counter] ?? 0) - (before[counter] ?? 0) };
    }

    /** Values under keys 0 to count - 1, written by the driver itself. */
    async function load(count: number, wishes: Partial<StageWishes> = {}): Promise<void> {
      await server.command('flush_all');
      const { result, counted } = await run([action('put')], { ...ALL_KEYS, keys: count, ...wishes });
      assert.equal(totalOf(result, 'put').ok, count);
      assert.equal(counted('cmd_set'), count);
    }

    const found = ({ hits, misses }: { hits: number; misses: number }) => [hits, misses];

    /** Seconds that a key has to live; -1: for ever. */
    async function lifeOf(key: string): Promise<number> {
      return Number(/ t(-?\d+)/.exec(await server.command(`mg ${key} t`))?.[1]);
    }

    test('get: hits and misses are those of the server', async () => {
      await load(25);
      for (const checkValues of [true, false]) {
        const { result, counted } = await run([action('get')], { checkValues });
        const total = totalOf(result, 'get');
        assert.ok(total.misses > 0);
        assert.deepEqual(found(total), [counted('get_hits'), counted('get_misses')]);
        assert.equal(counted('cmd_get'), 300);
        assert.deepEqual(errorsOf(result), {});
      }
    });

    for (const [content, bytes] of [
      [{ kind: 'printable' }, [0, 300]],
      [{ kind: 'random' }, 30],
      [{ kind: 'random' }, [0, 40_000]],
      [{ kind: 'random' }, 1_000_000],
      [{ kind: 'compressible', ratio: 4 }, 100_000],
    ] as const)
      test(`${content.kind} values of ${String(bytes)} bytes are read back right`, async () => {
        await load(20, { content, bytes });
        const { result } = await run([action('get')], {
          ...ALL_KEYS,
          keys: 20,
          content,
          bytes,
          checkValues: true,
        });
        assert.deepEqual(errorsOf(result), {});
        assert.equal(totalOf(result, 'get').hits, 20);
      });

    for (const keyShape of [
      { prefix: 'schlüssel:鍵:' },
      { prefix: 'user', order: 'hashed' },
      { prefix: 'p'.repeat(100), suffix: 's'.repeat(130), order: 'hashed', width: 20 },
      { prefix: '\u0080\u00a0!"\'', width: 9 },
    ] as const)
      test(`keys like ${JSON.stringify(keyShape)}`, async () => {
        await load(20, { keyShape });
        const wishes = { ...ALL_KEYS, keys: 30, keyShape, checkValues: true };
        const { result } = await run([action('get')], wishes);
        assert.deepEqual(found(totalOf(result, 'get')), [20, 10]);
      });

    testIf(has('add', 'replace'), 'add writes what is absent, replace what is there', async () => {
      await load(12);
      const added = await run([action('add')], { ...ALL_KEYS, keys: 20, bytes: 33 });
      assert.deepEqual(found(totalOf(added.result, 'add')), [8, 12]);
      await load(12);
      const replaced = await run([action('replace')], { ...ALL_KEYS, keys: 20, bytes: [33, 33] });
      assert.deepEqual(found(totalOf(replaced.result, 'replace')), [12, 8]);
      assert.match(await server.command('get key:3'), /^VALUE key:3 0 33\r\n/);
      assert.match(await server.command('get key:13'), /^END/);
    });

    testIf(has('insert'), 'insert writes keys past the range, each once', async () => {
      await server.command('flush_all');
      const { result, counted } = await run([action('insert')], { operations: 202 });
      assert.equal(totalOf(result, 'insert').ok, 202);
      assert.equal(counted('cmd_set'), 202);
      assert.match(await server.command('get key:3'), /^END/);
      const keys = (await server.command('lru_crawler metadump all')).match(/^key=/gm) ?? [];
      assert.equal(keys.length, 202);
    });

    test('delete: a hit once and a miss after', async () => {
      await load(12);
      for (const [hits, misses] of [
        [12, 8],
        [0, 20],
      ]) {
        const { result, counted } = await run([action('delete')], { ...ALL_KEYS, keys: 20 });
        assert.deepEqual(found(totalOf(result, 'delete')), [hits, misses]);
        assert.deepEqual([counted('delete_hits'), counted('delete_misses')], [hits, misses]);
      }
    });

    testIf(
      has('increment'),
      'increment counts from an absent key on, and says what is no number',
      async () => {
        await server.command('flush_all');
        const { result } = await run([action('increment')], { operations: 1_000, keys: 1 });
        assert.equal(totalOf(result, 'increment').ok, 1_000);
        assert.match(await server.command('get key:0'), /\r\n1000\r\n/);
        await server.command('set key:0 0 0 4', 'text');
        const failed = await run([action('increment'), action('get')], { keys: 1, operations: 50 });
        const { sent } = totalOf(failed.result, 'increment');
        assert.deepEqual(errorsOf(failed.result), { NOT_A_NUMBER: sent });
      },
    );

    for (const operation of ['put', 'add', 'insert'] as const)
      testIf(has(operation), `${operation} with a time to live`, async () => {
        await server.command('flush_all');
        const one = action(operation, { timeToLiveMs: 500_000 });
        await run([one], { ...ALL_KEYS, keys: 20, bytes: [1, 50] });
        const [, key] = /^key=(\S+)/m.exec(await server.command('lru_crawler metadump all')) ?? [];
        const left = await lifeOf(decodeURIComponent(key as string));
        assert.ok(left > 400 && left <= 500, `${left} s`);
      });

    testIf(has('expire'), 'expire sets the end of what is there and misses what is absent', async () => {
      await load(12);
      assert.equal(await lifeOf('key:7'), -1);
      const one = action('expire', { timeToLiveMs: 300_000 });
      const { result, counted } = await run([one], { ...ALL_KEYS, keys: 20 });
      assert.deepEqual(found(totalOf(result, 'expire')), [12, 8]);
      assert.deepEqual([counted('touch_hits'), counted('touch_misses'), counted('cmd_get')], [12, 8, 0]);
      const left = await lifeOf('key:7');
      assert.ok(left > 200 && left <= 300, `${left} s`);
    });

    testIf(has('getAll'), 'getAll counts each key that is there and each that is not', async () => {
      await load(25, { bytes: [0, 300] });
      for (const checkValues of [false, true])
        for (const batch of [1, 2, 7]) {
          const { result, counted } = await run([action('getAll', { batch })], { checkValues });
          const total = totalOf(result, 'getAll');
          assert.equal(total.ok, 300);
          assert.equal(total.hits + total.misses, 300 * batch);
          assert.deepEqual(found(total), [counted('get_hits'), counted('get_misses')]);
          assert.ok(total.misses > 0);
          assert.deepEqual(errorsOf(result), {});
        }
      await server.command('set key:3 0 0 5', 'wrong');
      const seen = await run([action('getAll', { batch: 40 })], {
        ...{ checkValues: true, operations: 60, keyShape: SEQUENTIAL },
      });
      assert.deepEqual(errorsOf(seen.result), { VALUE_MISMATCH: 60 });
    });

    testIf(has('putAll', 'getAll'), 'putAll writes what readers find right', async () => {
      for (const [bytes, keyShape] of [
        [20, {}],
        [[0, 300], { prefix: 'user', order: 'hashed' }],
        [30_000, { width: 9, suffix: '}' }],
      ] as const) {
        await server.command('flush_all');
        const wishes = { keyShape: { ...SEQUENTIAL, ...keyShape }, bytes } as const;
        const wrote = await run([action('putAll', { batch: 10 })], { ...wishes, operations: 30 });
        assert.equal(wrote.counted('cmd_set'), 300);
        assert.equal(totalOf(wrote.result, 'putAll').ok, 30);
        const read = await run([action('getAll', { batch: 9 })], { ...wishes, checkValues: true });
        assert.deepEqual(errorsOf(read.result), {});
        assert.equal(totalOf(read.result, 'getAll').misses, 0);
      }
    });

    testIf(
      has('getAll', 'putAll'),
      'batches of thousands, more than one write and one read hold',
      async () => {
        await server.command('flush_all');
        const wishes = { keys: 6_000, keyShape: SEQUENTIAL, connections: 1, threads: 1, operations: 4 };
        await run([action('putAll', { batch: 6_000 })], { ...wishes, bytes: 300 });
        const actions = [action('getAll', { batch: 6_000 })];
        const { result } = await run(actions, { ...wishes, bytes: 300, checkValues: true });
        assert.deepEqual(errorsOf(result), {});
        assert.deepEqual(found(totalOf(result, 'getAll')), [24_000, 0]);
      },
    );

    testIf(has('readModifyWrite'), 'readModifyWrite is one operation of two commands', async () => {
      await server.command('flush_all');
      const first = await run([action('readModifyWrite')], {
        ...ALL_KEYS,
        checkValues: true,
        bytes: [0, 90],
      });
      assert.deepEqual([first.counted('cmd_get'), first.counted('cmd_set')], [40, 40]);
      assert.equal(totalOf(first.result, 'readModifyWrite').misses, 40);
      const mixed = [action('readModifyWrite'), action('get'), action('put')];
      const again = await run(mixed, { checkValues: true, bytes: [0, 90] });
      assert.deepEqual(errorsOf(again.result), {});
      const [rmw, get, put] = ['readModifyWrite', 'get', 'put'].map((each) => totalOf(again.result, each));
      assert.deepEqual([rmw?.misses, get?.misses], [0, 0]);
      assert.equal(again.counted('cmd_get'), (rmw?.ok ?? 0) + (get?.ok ?? 0));
      assert.equal(again.counted('cmd_set'), (rmw?.ok ?? 0) + (put?.ok ?? 0));
    });

    test('everything that it has, mixed, on few keys: nothing goes to another operation', async () => {
      await load(40);
      const names = [
        'get',
        'put',
        'add',
        'replace',
        'delete',
        'getAll',
        'putAll',
        'readModifyWrite',
      ] as const;
      const actions = [
        ...names.filter((each) => has(each)).map((each) => action(each, { batch: 3 })),
        ...(has('expire') ? [action('expire', { timeToLiveMs: 60_000 })] : []),
      ];
      const wishes = { operations: 5_000, depth: 16, bytes: [0, 2_000], checkValues: true } as const;
      const { result, counted } = await run(actions, wishes);
      assert.deepEqual(errorsOf(result), {});
      const [get, all] = [totalOf(result, 'get'), totalOf(result, 'getAll')];
      const both = totalOf(result, 'readModifyWrite');
      assert.equal(get.misses + all.misses + both.misses, counted('get_misses'));
      assert.equal(get.hits + all.hits + both.hits, counted('get_hits'));
    });
  });
