import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Action, type Configuration, type Operation, plainAction } from '@pacecar/protocol';
import { hitsAndMisses, RESP_DRIVERS, SERVERS, type ServerUnderTest } from './server-under-test.js';
import {
  checkIdentities,
  errorsOf,
  latenciesOf,
  StageRig,
  type StageResult,
  type StageWishes,
  totalOf,
} from './stage-rig.js';

const action = (operation: Operation, parameters: Partial<Action> = {}): Action => ({
  ...plainAction(operation, 1),
  ...parameters,
});
const PRINTABLE = { kind: 'printable' } as const;
type Settings = Configuration['settings'];
const RECORDS = {
  fields: 12,
  fieldSize: { kind: 'uniform', minimumBytes: 0, maximumBytes: 60 },
  readAllFields: true,
  writeAllFields: false,
} as const;

/** Every driver as it comes, and the library in its other ways of sending and of reading. */
const WAYS: readonly { readonly way: string; readonly driver: string; readonly settings: Settings }[] = [
  ...RESP_DRIVERS.map(({ name }) => ({ way: name, driver: name, settings: {} })),
  {
    way: 'ioredis, pipelined by itself, RESP2',
    driver: 'ioredis',
    settings: { autoPipelining: true, protocol: 2 },
  },
];

for (const server of SERVERS)
  for (const { way, driver, settings } of WAYS)
    describe(`compound operations of driver ${way} on ${server.name}`, server.options, () => {
      let target: ServerUnderTest;
      let rig: StageRig;
      before(async () => {
        target = await server.start();
        rig = new StageRig();
      });
      after(async () => {
        await rig.close();
        await target.close();
      });

      const operations = RESP_DRIVERS.find(({ name }) => name === driver)?.operations ?? [];
      const has = (...wanted: Operation[]) => wanted.every((each) => operations.includes(each));

      /** A test of operations that not every driver has. */
      function testIf(isAble: boolean, name: string, run: () => Promise<void>): void {
        if (isAble) test(name, run);
      }

      /** Runs actions and returns the result with what the server counted meanwhile. */
      async function run(actions: readonly Action[], wishes: Partial<StageWishes> = {}) {
        const before = { calls: await target.calls(), ...(await hitsAndMisses(target)) };
        const result: StageResult = await rig.run({
          ...{ port: target.port, driver, settings, keys: 40, depth: 5, connections: 3, threads: 2, actions },
          ...(wishes.end === undefined && wishes.durationMs === undefined ? { operations: 300 } : {}),
          ...wishes,
        });
        assert.equal(result.failure, null);
        checkIdentities(result);
        const calls = await target.calls();
        const { hits, misses } = await hitsAndMisses(target);
        return {
          result,
          calls: (command: string) => (calls[command] ?? 0) - (before.calls[command] ?? 0),
          hits: hits - before.hits,
          misses: misses - before.misses,
        };
      }

      const ALL_KEYS = { end: { kind: 'keys' } } as const;

      testIf(has('getAll'), 'getAll counts each key that is there and each that is not', async () => {
        await target.command('FLUSHALL');
        await run([action('put')], { ...ALL_KEYS, keys: 25, bytes: [0, 300] });
        for (const checkValues of [false, true]) {
          const seen = await run([action('getAll', { batch: 7 })], { checkValues });
          const total = totalOf(seen.result, 'getAll');
          assert.equal(total.ok, 300);
          assert.equal(seen.calls('mget'), 300);
          assert.equal(total.hits + total.misses, 2_100);
          assert.deepEqual([total.hits, total.misses], [seen.hits, seen.misses]);
          assert.ok(total.misses > 0);
        }
        await target.command('SET', 'key:3', 'wrong');
        const seen = await run([action('getAll', { batch: 40 })], {
          ...{ checkValues: true, operations: 60, keyShape: { distribution: { kind: 'sequential' } } },
        });
        assert.deepEqual(errorsOf(seen.result), { VALUE_MISMATCH: 60 });
      });

      testIf(has('putAll', 'getAll'), 'putAll writes what readers find right', async () => {
        for (const [bytes, keyShape, content] of [
          [20, {}, PRINTABLE],
          [[0, 300], { prefix: 'user', order: 'hashed' }, PRINTABLE],
          [30_000, { width: 9, suffix: '}' }, PRINTABLE],
          [[0, 300], {}, { kind: 'random' }],
        ] as const) {
          await target.command('FLUSHALL');
          const wishes = {
            keyShape: { distribution: { kind: 'sequential' }, ...keyShape },
            bytes,
            content,
          } as const;
          const wrote = await run([action('putAll', { batch: 10 })], { ...wishes, operations: 30 });
          assert.equal(wrote.calls('mset'), 30);
          assert.equal(await target.command('DBSIZE'), 40);
          const read = await run([action('getAll', { batch: 9 })], { ...wishes, checkValues: true });
          assert.deepEqual(errorsOf(read.result), {});
          assert.equal(totalOf(read.result, 'getAll').misses, 0);
        }
      });

      testIf(has('scan'), 'scan walks over all keys, each slot for itself', async () => {
        await target.command('FLUSHALL');
        await run([action('put')], { ...ALL_KEYS, keys: 200 });
        const seen = await run([action('scan', { batch: 10 })], {
          operations: 20,
          depth: 1,
          connections: 1,
          threads: 1,
        });
        assert.equal(seen.calls('scan'), 20);
        const received = bytesReceived(seen.result);
        assert.ok(received > 200 * 'key:'.length, `${received} bytes`);
        const mixed = await run([action('scan', { batch: 3 }), action('get')], {
          checkValues: true,
          keys: 200,
        });
        assert.deepEqual(errorsOf(mixed.result), {});
        assert.equal(totalOf(mixed.result, 'get').misses, 0);
      });

      testIf(has('readModifyWrite'), 'readModifyWrite is one operation of two commands', async () => {
        await target.command('FLUSHALL');
        const first = await run([action('readModifyWrite')], {
          ...ALL_KEYS,
          checkValues: true,
          bytes: [0, 90],
        });
        assert.deepEqual([first.calls('get'), first.calls('set')], [40, 40]);
        assert.equal(totalOf(first.result, 'readModifyWrite').misses, 40);
        const again = await run([action('readModifyWrite'), action('get')], {
          checkValues: true,
          bytes: [0, 90],
        });
        const total = totalOf(again.result, 'readModifyWrite');
        assert.deepEqual([total.misses, total.ok + totalOf(again.result, 'get').ok], [0, 300]);
        assert.equal(again.calls('set'), total.sent);
        assert.equal(again.calls('get'), 300);
        assert.deepEqual(errorsOf(again.result), {});
        assert.equal(latenciesOf(again.result, 'service').count, 300);
        await target.command('LPUSH', 'list', 'x');
        await target.command('DEL', 'key:5');
        await target.command('LPUSH', 'key:5', 'x');
        const failed = await run([action('readModifyWrite')], ALL_KEYS);
        assert.deepEqual(errorsOf(failed.result), { WRONGTYPE: 1 });
        assert.deepEqual([failed.calls('get'), failed.calls('set')], [40, 39]);
      });

      for (const [readAllFields, writeAllFields, content] of [
        [true, false, { kind: 'printable' }],
        [false, true, { kind: 'compressible', ratio: 4 }],
        [false, false, { kind: 'printable' }],
        [true, true, { kind: 'random' }],
      ] as const)
        testIf(
          has('readRecord', 'updateRecord', 'insertRecord', 'scanRecords', 'readModifyWriteRecord'),
          `records: read ${readAllFields ? 'all' : 'one'}, write ${writeAllFields ? 'all' : 'one'}, ${content.kind}`,
          async () => {
            await target.command('FLUSHALL');
            const records = { ...RECORDS, readAllFields, writeAllFields };
            const keyShape = { prefix: 'user', order: 'hashed' } as const;
            const wishes = { records, keyShape, content, checkValues: true };
            const loaded = await run([action('insertRecord')], { ...wishes, operations: 60 });
            assert.deepEqual([loaded.calls('hset'), loaded.calls('zadd')], [60, 60]);
            assert.equal(await target.command('DBSIZE'), 61);
            assert.equal(await target.command('ZCARD', '_indices'), 60);
            const whole = { ...wishes, records: { ...records, writeAllFields: true } };
            await run([action('updateRecord')], { ...whole, ...ALL_KEYS, keys: 30 });
            assert.equal(await target.command('HLEN', 'user6284781860667377211'), 12);
            const mixed = await run(
              [action('readRecord'), action('updateRecord'), action('readModifyWriteRecord')],
              { ...wishes, keys: 30, operations: 600 },
            );
            assert.deepEqual(errorsOf(mixed.result), {});
            const sent = (name: string) => totalOf(mixed.result, name).sent;
            const reads = sent('readRecord') + sent('readModifyWriteRecord');
            assert.equal(mixed.calls(readAllFields ? 'hgetall' : 'hmget'), reads);
            assert.equal(mixed.calls('hset'), sent('updateRecord') + sent('readModifyWriteRecord'));
            assert.deepEqual([mixed.hits, mixed.misses], [reads, 0]);
            assert.equal(totalOf(mixed.result, 'readRecord').misses, 0);
            const absent = await run([action('readRecord')], { ...wishes, ...ALL_KEYS, keys: 40 });
            assert.deepEqual([absent.hits, absent.misses], [30, 10]);
            const { hits, misses } = totalOf(absent.result, 'readRecord');
            assert.deepEqual([hits, misses], [30, 10]);
            const scanned = await run([action('scanRecords', { batch: 8 })], wishes);
            const total = totalOf(scanned.result, 'scanRecords');
            assert.equal(scanned.calls('zrangebyscore'), 300);
            assert.equal(scanned.calls(readAllFields ? 'hgetall' : 'hmget'), total.hits);
            assert.ok(
              total.hits > 300 && total.hits < 8 * 300 && total.misses === 0,
              `${total.hits} records`,
            );
            await target.command('HSET', 'user6284781860667377211', 'field3', 'wrong');
            const wrong = await run([action('readRecord')], { ...wishes, ...ALL_KEYS, keys: 1 });
            if (readAllFields) assert.deepEqual(errorsOf(wrong.result), { VALUE_MISMATCH: 1 });
            const indexed = (await target.command('ZRANGEBYSCORE', '_indices', '-inf', '+inf')) as string[];
            for (let field = 0; field < 12; field++)
              await target.command('HSET', String(indexed[40]), `field${field}`, 'wrong');
            const found = await run([action('scanRecords', { batch: 60 })], wishes);
            const { VALUE_MISMATCH: mismatches = 0, ...others } = errorsOf(found.result);
            assert.ok(mismatches > 0 && mismatches < 300, `${mismatches} scans met the wrong record`);
            assert.deepEqual(others, {});
          },
        );

      testIf(
        has('insertRecord', 'scanRecords'),
        'scans check the records of numeric keys; those that another load wrote are not theirs to check',
        async () => {
          await target.command('FLUSHALL');
          const keyShape = { prefix: 'r:', width: 9, suffix: '}' } as const;
          const wishes = { records: RECORDS, keyShape, checkValues: true };
          await run([action('insertRecord')], { ...wishes, ...ALL_KEYS });
          await target.command('HSET', 'other:000000007}', 'field0', 'theirs');
          await target.command('ZADD', '_indices', '2147483647', 'other:000000007}');
          const scan = action('scanRecords', { batch: 41 });
          const right = await run([scan], wishes);
          assert.deepEqual(errorsOf(right.result), {});
          await target.command('HSET', 'r:000000039}', 'field7', 'wrong');
          const wrong = await run([scan], wishes);
          const { VALUE_MISMATCH: mismatches = 0 } = errorsOf(wrong.result);
          assert.ok(mismatches > 0 && mismatches < 300, `${mismatches} scans met the wrong record`);
        },
      );

      testIf(
        has('insertRecord', 'readRecord'),
        'a load of every key once writes the records that are read',
        async () => {
          await target.command('FLUSHALL');
          const wishes = {
            ...ALL_KEYS,
            records: RECORDS,
            keyShape: { order: 'hashed', prefix: 'user' },
          } as const;
          const loaded = await run([action('insertRecord')], wishes);
          assert.equal(loaded.calls('zadd'), 40);
          const { hits, misses } = totalOf((await run([action('readRecord')], wishes)).result, 'readRecord');
          assert.deepEqual([hits, misses], [40, 0]);
        },
      );

      testIf(has('insertRecord'), 'records have the index scores of YCSB', async () => {
        await target.command('FLUSHALL');
        await run([action('insertRecord')], {
          records: RECORDS,
          operations: 1,
          keyShape: { prefix: 'user' },
        });
        const [key] = (await target.command('ZRANGEBYSCORE', '_indices', '-inf', '+inf')) as string[];
        let hash = 0;
        for (const character of String(key)) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
        assert.equal(await target.command('ZSCORE', '_indices', String(key)), String(hash));
      });

      testIf(has('command'), 'commands with every placeholder', async () => {
        await target.command('FLUSHALL');
        const texts = [
          'ZADD board:__key__ __score__ __member__',
          'HSET h __field__ "v:__data__" n:__counter__ x__rand_int__',
          'LPUSH list __data__ __data__',
        ];
        const actions = texts.map((text, index) =>
          action('command', { name: `c${index}`, commands: [text] }),
        );
        const seen = await run(actions, { records: RECORDS, bytes: [1, 90], keys: 1_000 });
        assert.deepEqual(errorsOf(seen.result), {});
        assert.equal(seen.calls('lpush'), totalOf(seen.result, 'c2').sent);
        assert.equal(await target.command('LLEN', 'list'), 2 * totalOf(seen.result, 'c2').sent);
        const fixed = await run(actions, { bytes: 12, keys: 900, keyShape: { minimum: 100 } });
        assert.deepEqual(errorsOf(fixed.result), {});
        assert.equal(seen.calls('zadd'), totalOf(seen.result, 'c0').ok);
      });

      testIf(has('command'), 'a command of 500,000 bytes', async () => {
        const commands = [`SET big:__key__ ${'x'.repeat(500_000)}`];
        const seen = await run([action('command', { commands })], { operations: 40, keys: 2 });
        assert.equal(seen.calls('set'), 40);
        assert.equal(await target.command('STRLEN', 'big:key:1'), 500_000);
      });

      testIf(
        has('command') && driver === 'ioredis',
        'inline commands are refused: no library has them',
        async () => {
          const actions = [action('command', { name: 'ping', commands: ['PING'], inline: true })];
          const result = await rig.run({ port: target.port, driver, actions, operations: 1 });
          assert.equal(result.failure?.code, 'REQUEST_INVALID');
          assert.match(result.failure.reason, /ping inline/);
        },
      );

      testIf(has('command') && driver !== 'ioredis', 'inline commands', async () => {
        const actions = [
          action('command', { name: 'ping', commands: ['PING'], inline: true }),
          action('command', { name: 'set', commands: ['SET inline:__key__ __data__'], inline: true }),
        ];
        const seen = await run(actions, { bytes: [1, 40] });
        assert.deepEqual(errorsOf(seen.result), {});
        assert.deepEqual(
          [seen.calls('ping') >= totalOf(seen.result, 'ping').ok, seen.calls('set')],
          [true, totalOf(seen.result, 'set').ok],
        );
      });

      testIf(has('command'), 'commands that break the order of replies are refused', async () => {
        for (const text of ['SUBSCRIBE a', 'MULTI', 'client reply off', 'MONITOR']) {
          const result = await rig.run({
            port: target.port,
            driver,
            actions: [action('command', { commands: [text] })],
            operations: 1,
          });
          assert.equal(result.failure?.code, 'REQUEST_INVALID');
        }
      });

      testIf(has('transaction'), 'transactions are one operation; their keys are one key', async () => {
        await target.command('FLUSHALL');
        const commands = ['INCR a:__key__', 'SET b:__key__ __data__', 'GET b:__key__', 'GET none:__key__'];
        const seen = await run([action('transaction', { commands })], { ...ALL_KEYS, bytes: [1, 9] });
        const total = totalOf(seen.result, 'transaction');
        assert.deepEqual([total.ok, total.hits, total.misses], [40, 40, 40]);
        assert.deepEqual([seen.calls('multi'), seen.calls('exec'), seen.calls('get')], [40, 40, 80]);
        assert.deepEqual([seen.hits, seen.misses], [40, 40]);
        assert.equal(await target.command('DBSIZE'), 80);
        assert.equal(await target.command('GET', 'a:key:39'), '1');
      });

      testIf(has('transaction'), 'errors in a transaction are errors by kind', async () => {
        await target.command('FLUSHALL');
        const inside = await run([action('transaction', { commands: ['SET x 1', 'LPUSH x 1', 'INCR y'] })]);
        assert.deepEqual(errorsOf(inside.result), { WRONGTYPE: 300 });
        assert.equal(await target.command('GET', 'y'), '300');
        const before = await run([action('transaction', { commands: ['SET x 1', 'NOSUCH x'] })]);
        assert.deepEqual(errorsOf(before.result), { ERR: 300 });
        assert.equal(latenciesOf(before.result, 'failed').count, 300);
      });

      testIf(
        has('transaction', 'command') && server.name === 'a real Redis',
        'a transaction that a change of what was watched kept from happening is a CONFLICT',
        async () => {
          await target.command('FLUSHALL');
          const commands = ['WATCH w', 'SET w __counter__'].map((text, index) =>
            action('command', { name: `c${index}`, commands: [text] }),
          );
          const seen = await run([...commands, action('transaction', { commands: ['INCR n', 'GET none'] })], {
            ...{ mixMode: 'ratio', connections: 1, threads: 1, depth: 1 },
          });
          const { sent, ok, hits, misses, errors } = totalOf(seen.result, 'transaction');
          assert.deepEqual([sent, ok, hits, misses, errors], [100, 0, 0, 0, 100]);
          assert.deepEqual(errorsOf(seen.result), { CONFLICT: 100 });
          assert.equal(await target.command('EXISTS', 'n'), 0);
        },
      );

      /**
       * A command, and what it finds: hits and misses of one call. A server counts the same, but not where it writes:
       * there it counts nothing.
       */
      const LOOK_UPS: readonly (readonly [
        command: string,
        hits: number,
        misses: number,
        uncounted?: 'uncounted',
      ])[] = [
        ['GET text', 1, 0],
        ['GET empty', 1, 0],
        ['GET missing', 0, 1],
        ['MGET text missing', 1, 1],
        ['MGET missing empty missing', 1, 2],
        ['HGET hash f', 1, 0],
        ['HGET missing f', 0, 1],
        ['HMGET hash f', 1, 0],
        ['HMGET missing f g', 0, 1],
        ['HGETALL hash', 1, 0],
        ['HGETALL missing', 0, 1],
        ['SMEMBERS set', 1, 0],
        ['SMEMBERS missing', 0, 1],
        ['LRANGE list 0 -1', 1, 0],
        ['LRANGE missing 0 -1', 0, 1],
        ['ZRANGEBYSCORE zset -inf +inf', 1, 0],
        ['ZRANGEBYSCORE missing -inf +inf', 0, 1],
        ['ZSCORE zset a', 1, 0],
        ['ZSCORE missing a', 0, 1],
        ['GETRANGE text 0 2', 1, 0],
        ['BLPOP list 1', 1, 0, 'uncounted'],
        ['BRPOP missing list 1', 1, 0, 'uncounted'],
        ['BLPOP missing 0.001', 0, 1, 'uncounted'],
        ['LPOP list', 1, 0, 'uncounted'],
        ['LPOP missing', 0, 1, 'uncounted'],
        ['SPOP missing', 0, 1, 'uncounted'],
        ['ZPOPMIN missing', 0, 1, 'uncounted'],
        ['SET text abc', 0, 0],
        ['SET text OK', 0, 0],
        ['GET text', 1, 0],
        ['SET text OK GET', 1, 0],
        ['MSET text OK', 0, 0],
        ['HMSET hash f 1', 0, 0],
        ['LPUSH list x', 0, 0],
        ['INCR number', 0, 0],
        ['PING', 0, 0],
        ['PING OK', 0, 0],
        ['SCAN 0', 0, 0],
      ];
      for (const version of [2, 3])
        testIf(
          has('command'),
          `hits and misses of commands are the server's own, RESP${version}`,
          async () => {
            await target.command('FLUSHALL');
            await target.command('MSET', 'text', 'abc', 'empty', '');
            await target.command('HSET', 'hash', 'f', '1');
            await target.command('SADD', 'set', 'a');
            await target.command(
              'RPUSH',
              'list',
              ...Array.from({ length: 100 }, (_, index) => String(index)),
            );
            await target.command('ZADD', 'zset', '1', 'a');
            for (const [text, hits, misses, uncounted] of LOOK_UPS) {
              // The library asks for its version of the protocol itself; the wire driver is told to.
              const hello = action('command', { name: 'hello', commands: [`HELLO ${version}`] });
              const look = action('command', { name: 'look', commands: [text] });
              const seen = await run([hello, { ...look, weight: 4 }], {
                ...{ operations: 10, mixMode: 'ratio', connections: 1, depth: 2, threads: 1 },
                ...(driver === 'ioredis' ? { settings: { ...settings, protocol: version } } : {}),
              });
              const total = totalOf(seen.result, 'look');
              assert.equal(total.ok, 8, text);
              assert.deepEqual([text, total.hits, total.misses], [text, 8 * hits, 8 * misses]);
              const counted = uncounted === undefined ? [8 * hits, 8 * misses] : [0, 0];
              assert.deepEqual([text, seen.hits, seen.misses], [text, ...counted]);
            }
          },
        );
    });

function bytesReceived(result: StageResult): number {
  return result.frames.flatMap((frame) => frame.rows).reduce((sum, row) => sum + row.bytesReceived, 0);
}
