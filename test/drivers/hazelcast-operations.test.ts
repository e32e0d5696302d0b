import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Action, type Configuration, type Operation, plainAction } from '@pacecar/protocol';
import type { IMap } from 'hazelcast-client';
import Long from 'long';
import { type HazelcastMember, startMember } from '../services/hazelcast-member.js';
import { needs } from '../services/installed.js';
import {
  checkIdentities,
  errorsOf,
  type StageResult,
  StageRig,
  type StageWishes,
  totalOf,
} from './stage-rig.js';

const action = (operation: Operation, parameters: Partial<Action> = {}): Action => ({
  ...plainAction(operation, 1),
  ...parameters,
});
const ALL_KEYS = { end: { kind: 'keys' } } as const;

/** Settings that change what is said, each with the map's keys and values as applications see them. */
const WAYS: readonly {
  readonly settings: Configuration['settings'];
  readonly key: (number: number) => unknown;
  readonly isText: boolean;
}[] = [
  { settings: {}, key: (number) => `key:${number}`, isText: true },
  {
    settings: { keyType: 'long', valueType: 'bytes', write: 'put' },
    key: (number) => Long.fromNumber(number),
    isText: false,
  },
  {
    settings: { shareClient: false, smartRouting: false, valueType: 'bytes', backupAcks: false },
    key: (number) => `key:${number}`,
    isText: false,
  },
  {
    settings: { nearCache: true, nearCacheFormat: 'OBJECT' },
    key: (number) => `key:${number}`,
    isText: true,
  },
];

describe('operations of driver hazelcast on a real member', needs('java', 'mvn'), () => {
  let member: HazelcastMember;
  let map: IMap<unknown, unknown>;
  let rig: StageRig;
  before(async () => {
    member = await startMember();
    map = await member.map();
    rig = new StageRig();
  });
  after(async () => {
    await rig.close();
    await member.close();
  });

  async function run(actions: readonly Action[], wishes: Partial<StageWishes> = {}): Promise<StageResult> {
    const result = await rig.run({
      ...{ port: member.port, driver: 'hazelcast', keys: 40, depth: 5, connections: 3, threads: 2, actions },
      ...(wishes.end === undefined && wishes.durationMs === undefined ? { operations: 300 } : {}),
      ...wishes,
    });
    assert.equal(result.failure, null);
    checkIdentities(result);
    return result;
  }

  /** Values under keys 0 to count - 1, written by the driver itself. */
  async function load(count: number, wishes: Partial<StageWishes> = {}): Promise<void> {
    await map.clear();
    const result = await run([action('put')], { ...ALL_KEYS, keys: count, ...wishes });
    assert.equal(totalOf(result, 'put').ok, count);
    assert.equal(await map.size(), count);
  }

  const found = (result: StageResult, operation: Operation) => {
    const { hits, misses } = totalOf(result, operation);
    return [hits, misses];
  };
  const nearCached = (result: StageResult) =>
    result.frames.flatMap(({ rows }) => rows).reduce((sum, { notes }) => sum + (notes?.NEAR_CACHE ?? 0), 0);

  for (const { settings, key, isText } of WAYS)
    describe(`with ${JSON.stringify(settings)}`, () => {
      const all = { ...ALL_KEYS, settings };

      test('values are read back right, as text or as bytes', async () => {
        for (const bytes of [0, 1, [10, 300], 70_000] as const) {
          await load(20, { settings, bytes });
          const result = await run([action('get')], { ...all, keys: 25, bytes, checkValues: true });
          assert.deepEqual(errorsOf(result), {});
          assert.deepEqual(found(result, 'get'), [20, 5]);
        }
        const value = await map.get(key(7));
        assert.equal(isText ? typeof value : value instanceof Buffer, isText ? 'string' : true);
      });

      test('values that are no text are bytes', async () => {
        const content = { kind: 'random' } as const;
        await load(20, { settings, bytes: 1_000, content });
        const result = await run([action('get')], {
          ...all,
          keys: 20,
          bytes: 1_000,
          content,
          checkValues: true,
        });
        assert.deepEqual(errorsOf(result), {});
        assert.ok((await map.get(key(7))) instanceof Buffer);
      });

      test('add writes what is absent, replace what is there, delete a hit once and a miss after', async () => {
        await load(12, { settings });
        assert.deepEqual(found(await run([action('add')], { ...all, keys: 20, bytes: 33 }), 'add'), [8, 12]);
        await load(12, { settings });
        const replaced = await run([action('replace')], { ...all, keys: 20, bytes: 33 });
        assert.deepEqual(found(replaced, 'replace'), [12, 8]);
        assert.equal(((await map.get(key(3))) as string).length, 33);
        assert.equal(await map.get(key(13)), null);
        for (const right of [
          [12, 8],
          [0, 20],
        ])
          assert.deepEqual(found(await run([action('delete')], { ...all, keys: 20 }), 'delete'), right);
      });

      test('insert writes keys past the range, each once', async () => {
        await map.clear();
        const result = await run([action('insert')], { settings, operations: 202 });
        assert.equal(totalOf(result, 'insert').ok, 202);
        assert.equal(await map.size(), 202);
        assert.equal(await map.get(key(3)), null);
      });

      test('times to live: of put, add and expire', async () => {
        await load(10, { settings });
        const timeToLiveMs = 100_000;
        const expired = await run([action('expire', { timeToLiveMs })], { ...all, keys: 15 });
        assert.deepEqual(found(expired, 'expire'), [10, 5]);
        const life = async (number: number) => Number((await map.getEntryView(key(number)))?.ttl.toString());
        assert.equal(await life(3), timeToLiveMs);
        await map.clear();
        await run([action('add', { timeToLiveMs })], { ...all, keys: 5 });
        await run([action('put', { timeToLiveMs: 50_000 })], { ...all, keys: 3 });
        assert.deepEqual([await life(1), await life(4)], [50_000, timeToLiveMs]);
      });

      test('getAll and putAll, each with one latency', async () => {
        await map.clear();
        const wrote = await run([action('putAll', { batch: 8 })], { settings, operations: 100, keys: 64 });
        assert.equal(totalOf(wrote, 'putAll').ok, 100);
        const size = await map.size();
        const result = await run([action('getAll', { batch: 16 })], {
          ...{ settings, operations: 100, keys: 64, checkValues: true },
          keyShape: { distribution: { kind: 'sequential' } },
          connections: 1,
          threads: 1,
        });
        assert.deepEqual(errorsOf(result), {});
        assert.deepEqual(found(result, 'getAll'), [25 * size, 25 * (64 - size)]);
      });

      test('readModifyWrite reads and then writes', async () => {
        await load(12, { settings });
        const result = await run([action('readModifyWrite')], { ...all, keys: 20, checkValues: true });
        assert.deepEqual(found(result, 'readModifyWrite'), [12, 8]);
        assert.equal(await map.size(), 20);
      });

      test('records are JSON: written whole, changed by field, read whole or by field', async () => {
        await map.clear();
        const records = {
          fields: 4,
          fieldSize: { kind: 'fixed', bytes: 20 } as const,
          readAllFields: true,
          writeAllFields: false,
        };
        const wishes = { ...all, keys: 10, records, bytes: 20, checkValues: true };
        await run([action('insertRecord')], wishes);
        assert.deepEqual(Object.keys((await map.get(key(2))) as object), [
          'field0',
          'field1',
          'field2',
          'field3',
        ]);
        for (const operation of ['updateRecord', 'readModifyWriteRecord', 'readRecord'] as const) {
          const result = await run([action(operation)], { ...wishes, keys: 12 });
          assert.deepEqual(errorsOf(result), {}, operation);
          // The update has made those that were not there.
          if (operation === 'readRecord') assert.deepEqual(found(result, operation), [12, 0]);
        }
        const one = await run([action('readRecord')], {
          ...wishes,
          records: { ...records, readAllFields: false },
        });
        assert.deepEqual([found(one, 'readRecord'), errorsOf(one)], [[10, 0], {}]);
      });
    });

  test('what is no record is an error of the operation, not of the run', async () => {
    await load(10);
    const records = {
      fields: 2,
      fieldSize: { kind: 'fixed', bytes: 20 } as const,
      readAllFields: true,
      writeAllFields: false,
    };
    const result = await run([action('updateRecord')], { ...ALL_KEYS, keys: 10, records });
    assert.equal(totalOf(result, 'updateRecord').ok + totalOf(result, 'updateRecord').errors, 10);
  });

  test('a near cache answers what was read before; members count only the rest', async () => {
    for (const [settings, actions] of [
      [{ nearCache: true }, [action('get')]],
      [{ nearCache: true, nearCacheFormat: 'OBJECT' }, [action('get')]],
      [{ nearCache: true, shareClient: false }, [action('get')]],
      [{ nearCache: true, nearCacheEviction: 'LRU', nearCacheMaxSize: 10 }, [action('get')]],
      [{ nearCache: true }, [action('getAll', { batch: 5 })]],
    ] as const) {
      await load(30);
      const before = await member.counts();
      const result = await run(actions, { settings, operations: 1_000, checkValues: true });
      const after = await member.counts();
      const [operation] = actions.map((each) => each.operation);
      const { hits, misses } = totalOf(result, operation as Operation);
      const what = JSON.stringify(settings);
      assert.deepEqual(errorsOf(result), {});
      assert.ok(nearCached(result) > 0, what);
      assert.equal(
        hits + misses - nearCached(result),
        after.get - before.get,
        `${what}: asked of the member`,
      );
      // A connection reads each key once, and then again only what went or was on its way.
      if (!('nearCacheEviction' in settings)) assert.ok(nearCached(result) > (hits + misses) / 2, what);
    }
    const without = await run([action('get')]);
    assert.equal(nearCached(without), 0);
  });

  test('what a warm-up brings into a near cache is there for the next stage', async () => {
    await load(30);
    const settings = { nearCache: true };
    const wishes = { ...ALL_KEYS, settings, keys: 30, threads: 1, connections: 3 };
    const first = await run([action('get')], wishes);
    const before = await member.counts();
    const second = await run([action('get')], {
      ...wishes,
      end: { kind: 'operations', operations: { count: 500, scope: 'total' } },
    });
    const after = await member.counts();
    assert.deepEqual([nearCached(first), nearCached(second)], [0, 500]);
    assert.equal(after.get, before.get);
    // Another configuration has clients of its own.
    assert.equal(
      nearCached(await run([action('get')], { ...wishes, settings: { ...settings, map: 'other' } })),
      0,
    );
  });

  test('what others change is seen in mid-run with invalidation, and not without', async () => {
    for (const nearCacheInvalidation of [true, false]) {
      await load(10);
      const settings = { nearCache: true, nearCacheInvalidation };
      const clearing: Promise<void>[] = [];
      const result = await rig.run(
        {
          ...{ port: member.port, driver: 'hazelcast', settings, keys: 10, mix: { get: 1 } },
          ...{ durationMs: 1_500, connections: 1 },
        },
        () => {
          if (clearing.length === 0) clearing.push(map.clear());
        },
      );
      await Promise.all(clearing);
      checkIdentities(result);
      const { hits, misses } = totalOf(result, 'get');
      assert.ok(hits > 0);
      if (nearCacheInvalidation) assert.ok(misses > 0, `${hits} hits, ${misses} misses`);
      else assert.ok(nearCached(result) > hits / 2);
    }
  });
});
