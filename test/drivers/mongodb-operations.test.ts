import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { type Operation, plainAction, type Records } from '@pacecar/protocol';
import { needs } from '../services/installed.js';
import { type MongodbServer, startMongodb } from '../services/mongodb-server.js';
import { CuttingProxy } from './cutting-proxy.js';
import {
  checkIdentities,
  errorsOf,
  StageRig,
  type StageResult,
  type StageWishes,
  totalOf,
} from './stage-rig.js';

const RECORDS: Records = {
  ...{ fields: 3, fieldSize: { kind: 'fixed', bytes: 20 }, readAllFields: true, writeAllFields: false },
};
/** What the library sends for an operation, by the names of the protocol. */
const COMMANDS: Partial<Record<Operation, readonly string[]>> = {
  get: ['find'],
  put: ['update'],
  add: ['insert'],
  replace: ['update'],
  insert: ['insert'],
  delete: ['delete'],
  increment: ['update'],
  getAll: ['find'],
  scan: ['find'],
  readModifyWrite: ['find', 'update'],
  readRecord: ['find'],
  updateRecord: ['update'],
  insertRecord: ['insert'],
  scanRecords: ['find'],
  readModifyWriteRecord: ['find', 'update'],
};

describe('driver mongodb on a real FerretDB', needs('ferretdb'), () => {
  let server: MongodbServer;
  let rig: StageRig;
  before(async () => {
    server = await startMongodb();
    rig = new StageRig();
  });
  after(async () => {
    await rig.close();
    await server.close();
  });
  beforeEach(() => server.clear());

  /** Runs a stage of one operation and holds what was sent against the server's own counts of commands. */
  async function run(wishes: Omit<StageWishes, 'port' | 'driver'>): Promise<StageResult> {
    const before = await server.commands();
    const result = await rig.run({ ...wishes, port: server.port, driver: 'mongodb' });
    assert.equal(result.failure, null, result.failure?.reason);
    checkIdentities(result);
    const now = await server.commands();
    const sent = new Map<string, number>();
    for (const { operation, sent: count } of result.totals)
      for (const command of COMMANDS[operation as Operation] ?? [])
        sent.set(command, (sent.get(command) ?? 0) + count);
    for (const [command, count] of sent)
      assert.equal((now[command] ?? 0) - (before[command] ?? 0), count, `${command} as the server counts it`);
    assert.equal(now['getMore'] ?? 0, before['getMore'] ?? 0, 'every answer is whole');
    return result;
  }
  const keys = (count: number) => ({ end: { kind: 'keys' as const }, keys: count });
  const mixOf = (operation: Operation, batch: number | null = null) => ({
    actions: [{ ...plainAction(operation, 1), batch }],
  });

  test('each operation is as many commands on the server, over connections, threads and depth', async () => {
    const mix = { get: 4, put: 4, delete: 2 };
    const result = await run({ operations: 403, connections: 5, threads: 2, depth: 3, mix, keys: 30 });
    assert.equal(result.connections, 5);
    // Two that put one absent key at the same time: the second may find the first one's document.
    const ended = result.totals.reduce((sum, { ok, errors }) => sum + ok + errors, 0);
    assert.equal(ended, 403);
    assert.deepEqual(
      Object.keys(errorsOf(result)).filter((kind) => kind !== 'DUPLICATE_KEY'),
      [],
    );
  });

  test('all keys once, then every value is where it should be', async () => {
    const load = await run({ ...keys(60), connections: 3, depth: 4, mix: { put: 1 }, bytes: [0, 3_000] });
    assert.equal(totalOf(load, 'put').ok, 60);
    assert.equal((await server.all()).length, 60);
    const { hits, misses } = totalOf(await run({ ...keys(80), depth: 4, checkValues: true }), 'get');
    assert.deepEqual([hits, misses], [60, 20]);
  });

  test('values of bytes that are no text come back as they were', async () => {
    const content = { kind: 'random' } as const;
    await run({ ...keys(20), mix: { put: 1 }, content, bytes: [0, 500] });
    const result = await run({ ...keys(20), content, checkValues: true });
    assert.deepEqual([totalOf(result, 'get').hits, errorsOf(result)], [20, {}]);
    const all = await run({ operations: 5, ...mixOf('getAll', 7), keys: 20, content, checkValues: true });
    assert.deepEqual([totalOf(all, 'getAll').hits, errorsOf(all)], [35, {}]);
  });

  test('a wrong value is VALUE_MISMATCH', async () => {
    await run({ ...keys(10), mix: { put: 1 }, bytes: 30 });
    await run({ ...keys(1), mix: { put: 1 }, bytes: 31 });
    await server.insert([{ _id: 'key:10', value: 'x'.repeat(30) }]);
    const result = await run({ ...keys(11), checkValues: true });
    assert.deepEqual(errorsOf(result), { VALUE_MISMATCH: 1 });
  });

  test('add, replace and delete find what is there', async () => {
    const counts = async (operation: Operation, count: number) => {
      const { hits, misses } = totalOf(await run({ ...keys(count), mix: { [operation]: 1 } }), operation);
      return [hits, misses];
    };
    assert.deepEqual(await counts('replace', 10), [0, 10]);
    assert.deepEqual(await counts('add', 10), [10, 0]);
    assert.deepEqual(await counts('add', 15), [5, 10]);
    assert.deepEqual(await counts('replace', 20), [15, 5]);
    assert.deepEqual(await counts('delete', 12), [12, 0]);
    assert.deepEqual(await counts('delete', 20), [3, 17]);
    assert.deepEqual(await server.all(), []);
  });

  test('a counter begins at 1 and is read as its text', async () => {
    await run({ operations: 30, connections: 1, mix: { increment: 1 }, keys: 1 });
    assert.deepEqual(await server.all(), [{ _id: 'key:0', value: 30 }]);
    assert.equal(totalOf(await run({ operations: 1, keys: 1 }), 'get').hits, 1);
  });

  test('getAll and putAll count by item, and wrong ones are an error', async () => {
    const before = await server.commands();
    await rig.run({
      ...mixOf('putAll', 5),
      operations: 8,
      distribution: 'sequential',
      connections: 1,
      keys: 40,
      port: server.port,
      driver: 'mongodb',
    });
    const now = await server.commands();
    assert.equal((now['update'] ?? 0) - (before['update'] ?? 0), 8, 'one command for all of a putAll');
    assert.equal((await server.all()).length, 40);
    const result = await run({
      ...mixOf('getAll', 10),
      operations: 6,
      connections: 1,
      distribution: 'sequential',
      keys: 60,
      checkValues: true,
    });
    assert.deepEqual([totalOf(result, 'getAll').hits, totalOf(result, 'getAll').misses], [40, 20]);
  });

  test('a walk over all keys comes round', async () => {
    await run({ ...keys(10), mix: { put: 1 } });
    const result = await run({ ...mixOf('scan', 4), operations: 9, connections: 1 });
    assert.equal(totalOf(result, 'scan').ok, 9);
  });

  test('readModifyWrite writes what it read, and what it missed', async () => {
    await run({ ...keys(10), mix: { put: 1 } });
    const { hits, misses } = totalOf(
      await run({ ...keys(15), mix: { readModifyWrite: 1 }, checkValues: true }),
      'readModifyWrite',
    );
    assert.deepEqual([hits, misses, (await server.all()).length], [10, 5, 15]);
  });

  test("YCSB's records: inserted, read by all fields and by one, updated, scanned in the order of keys", async () => {
    const records = RECORDS;
    const shared = { keys: 20, width: 3, records, checkValues: true };
    await run({ ...shared, end: { kind: 'keys' }, mix: { insertRecord: 1 } });
    const [first] = await server.all();
    assert.deepEqual(Object.keys(first ?? {}), ['_id', 'field0', 'field1', 'field2']);
    const mix = { readRecord: 3, updateRecord: 2, readModifyWriteRecord: 1 };
    const all = await run({ ...shared, operations: 60, depth: 2, mix });
    assert.deepEqual([errorsOf(all), totalOf(all, 'readRecord').misses], [{}, 0]);
    const one = { ...records, readAllFields: false };
    const fields = await run({
      ...shared,
      records: one,
      operations: 30,
      mix: { readRecord: 1, readModifyWriteRecord: 1 },
    });
    assert.deepEqual([errorsOf(fields), totalOf(fields, 'readRecord').misses], [{}, 0]);
    const scans = await run({ ...shared, ...mixOf('scanRecords', 30), operations: 20 });
    assert.deepEqual([errorsOf(scans), totalOf(scans, 'scanRecords').misses], [{}, 0]);
    assert.ok(totalOf(scans, 'scanRecords').hits >= 20);
    assert.equal((await server.all()).length, 20);
  });

  test('a second load of the same records reports every duplicate, and leaves what was there', async () => {
    const shared = { ...keys(25), mix: { insertRecord: 1 } as const, records: RECORDS, depth: 2 };
    await run(shared);
    const second = await run({ ...shared, seed: 2 });
    assert.deepEqual(errorsOf(second), { DUPLICATE_KEY: 25 });
    assert.equal(totalOf(second, 'insertRecord').errors, 25);
    const plain = await run({ ...keys(25), mix: { insert: 1 } });
    assert.deepEqual(errorsOf(plain), { DUPLICATE_KEY: 25 });
  });

  test('updateRecord of a record that is absent is NOT_FOUND, or makes it with upsert', async () => {
    const shared = { ...keys(6), mix: { updateRecord: 1 } as const, records: RECORDS };
    assert.deepEqual(errorsOf(await run(shared)), { NOT_FOUND: 6 });
    assert.deepEqual(errorsOf(await run({ ...shared, settings: { upsert: true } })), {});
    assert.equal((await server.all()).length, 6);
  });

  test('a value larger than a document may be is TOO_LARGE, and the connection goes on', async () => {
    const mebibyte = 1024 * 1024;
    const result = await run({ operations: 1, mix: { put: 1 }, bytes: 15 * mebibyte, keys: 1 });
    assert.equal(totalOf(result, 'put').ok, 1);
    const read = await run({ operations: 1, keys: 1, checkValues: true, bytes: 15 * mebibyte });
    assert.deepEqual([totalOf(read, 'get').hits, errorsOf(read)], [1, {}]);
    const before = await server.commands();
    const large = await rig.run({
      operations: 2,
      mix: { put: 1 },
      bytes: 17 * mebibyte,
      keys: 1,
      connections: 1,
      port: server.port,
      driver: 'mongodb',
    });
    checkIdentities(large);
    assert.deepEqual(errorsOf(large), { TOO_LARGE: 2 });
    assert.equal((await server.commands())['update'], before['update'], 'the library itself refused it');
  });

  test("other kinds of errors are the server's own", async () => {
    await server.insert([{ _id: 'key:0', value: 'text' }]);
    const result = await run({ operations: 2, keys: 1, connections: 1, mix: { increment: 1 } });
    assert.deepEqual(errorsOf(result), { TYPE_MISMATCH: 2 });
  });

  test('another database and another collection are others', async () => {
    const wishes = { ...keys(5), mix: { put: 1 } as const, settings: { collection: 'other' } };
    await run({ ...wishes, databaseName: 'elsewhere' });
    assert.deepEqual(await server.all(), []);
    assert.equal((await server.all('other', 'elsewhere')).length, 5);
    const { hits } = totalOf(await run({ ...wishes, mix: { get: 1 }, databaseName: 'elsewhere' }), 'get');
    assert.equal(hits, 5);
  });

  for (const settings of [{ w: 1 }, { w: 'majority', journal: true }, { poolSize: 1 }, { ordered: false }])
    test(`with ${JSON.stringify(settings)}: the same counts`, async () => {
      await run({ ...keys(10), mix: { put: 1 } });
      const result = await run({
        operations: 40,
        depth: 4,
        mix: { get: 1, put: 1 },
        keys: 10,
        settings,
        checkValues: true,
      });
      assert.deepEqual(errorsOf(result), {});
    });

  test('w: 0 is refused, for a FerretDB answers what it should not, and where only an answer tells', async () => {
    const wishes = { settings: { w: 0 }, port: server.port, driver: 'mongodb' };
    const answers = await rig.run({ ...wishes, mix: { put: 1 } });
    assert.equal(answers.failure?.code, 'UNSUPPORTED');
    assert.match(answers.failure?.reason ?? '', /a FerretDB v1\.24.*answers writes with w: 0 all the same/);
    const unknown = await rig.run({ ...wishes, mix: { delete: 1 } });
    assert.match(
      unknown.failure?.reason ?? '',
      /nobody knows whether delete found its key|w: 0 all the same/,
    );
    assert.deepEqual(await server.all(), []);
  });

  test('says what it found, and nothing that the server does not say', async () => {
    const { target } = await run({ operations: 1 });
    assert.deepEqual(
      [target?.product, target?.mode, target?.address],
      ['ferretdb', 'standalone', `127.0.0.1:${server.port}`],
    );
    assert.match(target?.version ?? '', /^v1\.24/);
    assert.match(target?.settings['mongodbVersion'] ?? '', /^7\./);
    assert.equal(target?.settings['run_id'], String(server.pid));
    assert.equal(target?.settings['clientWriteConcern'], "the server's own");
    assert.ok((target?.figures?.['uptimeSec'] ?? 0) > 0);
    for (const absent of ['storageEngine', 'replicaSet', 'role', 'defaultWriteConcern'])
      assert.equal(target?.settings[absent], undefined, absent);
  });

  test('bytes are computed to within a tenth of what goes over the wire', async () => {
    const proxy = await CuttingProxy.start(server.port);
    try {
      const mix = { get: 1, put: 1 };
      const shared = { driver: 'mongodb', port: proxy.port, keys: 50, connections: 1, bytes: 400 };
      await rig.run({ ...shared, end: { kind: 'keys' }, mix: { put: 1 } });
      const before = { bytesSent: proxy.bytesSent, bytesReceived: proxy.bytesReceived };
      const result = await rig.run({ ...shared, operations: 300, mix });
      const rows = result.frames.flatMap((frame) => frame.rows);
      for (const direction of ['bytesSent', 'bytesReceived'] as const) {
        const computed = rows.reduce((sum, row) => sum + row[direction], 0);
        const seen = proxy[direction] - before[direction];
        // Logging in, greetings and heartbeats are no part of operations.
        assert.ok(computed > 0.85 * seen && computed < 1.05 * seen, `${direction}: ${computed} of ${seen}`);
      }
    } finally {
      await proxy.close();
    }
  });
});
