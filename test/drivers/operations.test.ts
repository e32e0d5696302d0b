import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Action, type Operation, plainAction } from '@pacecar/protocol';
import { hitsAndMisses, RESP_DRIVERS, SERVERS, type ServerUnderTest } from './server-under-test.js';
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

for (const server of SERVERS)
  for (const { name: driver, operations } of RESP_DRIVERS)
    describe(`operations of driver ${driver} on ${server.name}`, server.options, () => {
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

      /** Runs one action over all keys and holds its calls against the server's own count of a command. */
      async function runAll(
        one: Action,
        command: string,
        wishes: Partial<StageWishes> = {},
      ): Promise<StageResult> {
        const callsBefore = await target.calls();
        const result = await rig.run({
          ...{ port: target.port, driver, end: { kind: 'keys' }, keys: 20, depth: 3, actions: [one] },
          ...wishes,
        });
        assert.equal(result.failure, null);
        checkIdentities(result);
        const calls = await target.calls();
        assert.equal((calls[command] ?? 0) - (callsBefore[command] ?? 0), totalOf(result, one.name).sent);
        return result;
      }

      /** Values under the keys 0 to count - 1, written by the driver itself. */
      async function load(count: number, wishes: Partial<StageWishes> = {}): Promise<void> {
        await target.command('FLUSHALL');
        await runAll(action('put'), 'set', { keys: count, ...wishes });
      }

      const has = (...wanted: Operation[]) => wanted.every((each) => operations.includes(each));

      /** A test of operations that not every driver has. */
      function testIf(isAble: boolean, name: string, run: () => Promise<void>): void {
        if (isAble) test(name, run);
      }

      for (const content of [{ kind: 'random' }, { kind: 'compressible', ratio: 4 }] as const)
        test(`put and get of ${content.kind} values, of one size and of many, large ones too`, async () => {
          for (const bytes of [30, [0, 40_000], 100_000] as const) {
            await load(20, { content, bytes });
            const read = await runAll(action('get'), 'get', { content, bytes, checkValues: true });
            assert.deepEqual(errorsOf(read), {});
            assert.equal(totalOf(read, 'get').hits, 20);
          }
        });

      for (const keyShape of [
        { prefix: 'a:{', suffix: '}' },
        { prefix: 'user', order: 'hashed' },
        { prefix: '', suffix: ':x', order: 'hashed', width: 20 },
      ] as const)
        test(`keys like ${JSON.stringify(keyShape)}`, async () => {
          await load(20, { keyShape });
          const read = await runAll(action('get'), 'get', { keyShape, keys: 30, checkValues: true });
          assert.deepEqual([totalOf(read, 'get').hits, totalOf(read, 'get').misses], [20, 10]);
          const zero = 'order' in keyShape ? '6284781860667377211' : '0';
          const padded = 'width' in keyShape ? zero.padStart(keyShape.width, '0') : zero;
          const suffix = 'suffix' in keyShape ? keyShape.suffix : '';
          assert.equal(await target.command('EXISTS', `${keyShape.prefix}${padded}${suffix}`), 1);
        });

      testIf(has('add'), 'add writes what is absent and misses what is there', async () => {
        await load(12);
        await target.command('SET', 'key:3', 'kept');
        const result = await runAll(action('add'), 'set');
        assert.deepEqual([totalOf(result, 'add').hits, totalOf(result, 'add').misses], [8, 12]);
        assert.equal(await target.command('GET', 'key:3'), 'kept');
        assert.equal(await target.command('STRLEN', 'key:19'), 20);
        assert.equal(await target.command('TTL', 'key:19'), -1);
      });

      testIf(has('replace'), 'replace writes what is there and misses what is absent', async () => {
        await load(12);
        await target.command('SET', 'key:3', 'replaced');
        const result = await runAll(action('replace'), 'set', { bytes: [33, 33] });
        assert.deepEqual([totalOf(result, 'replace').hits, totalOf(result, 'replace').misses], [12, 8]);
        assert.equal(await target.command('STRLEN', 'key:3'), 33);
        assert.equal(await target.command('DBSIZE'), 12);
      });

      for (const [operation, bytes] of [
        ['put', 20],
        ['put', [0, 50]],
        ['put', 20_000],
        ['add', [1, 50]],
        ['insert', 30],
      ] as const)
        testIf(has(operation), `${operation} of ${String(bytes)} bytes with a time to live`, async () => {
          await target.command('FLUSHALL');
          await runAll(action(operation, { timeToLiveMs: 500_000 }), 'set', { bytes });
          assert.equal(await target.command('DBSIZE'), 20);
          const [, [key]] = (await target.command('SCAN', '0', 'COUNT', '5')) as [string, string[]];
          const left = Number(await target.command('PTTL', String(key)));
          assert.ok(left > 400_000 && left <= 500_000, `${left} ms`);
        });

      testIf(has('insert'), 'insert writes keys past the range, each once, over two workers', async () => {
        await target.command('FLUSHALL');
        for (const worker of [0, 1])
          await runAll(action('insert'), 'set', {
            ...{ end: { kind: 'operations', operations: { count: 101, scope: 'worker' } } },
            ...{ worker, workers: 2, connections: 3 },
          });
        assert.equal(await target.command('DBSIZE'), 202);
        assert.equal(await target.command('EXISTS', 'key:0'), 0);
      });

      testIf(
        has('insert'),
        'keys that were inserted are read, and checked, while more are inserted',
        async () => {
          await load(50);
          const result = await rig.run({
            ...{ port: target.port, driver, operations: 4_000, keys: 50, depth: 4, checkValues: true },
            actions: [action('insert'), action('get')],
            keyShape: { distribution: { kind: 'latest', exponent: 0.99 } },
          });
          checkIdentities(result);
          assert.deepEqual(errorsOf(result), {});
          assert.equal(totalOf(result, 'get').misses, 0);
          assert.equal(await target.command('DBSIZE'), 50 + totalOf(result, 'insert').ok);
        },
      );

      testIf(has('increment'), 'increment counts', async () => {
        await target.command('FLUSHALL');
        const result = await runAll(action('increment'), 'incr', {
          end: { kind: 'operations', operations: { count: 1_000, scope: 'total' } },
          keys: 1,
        });
        assert.equal(totalOf(result, 'increment').ok, 1_000);
        assert.equal(await target.command('GET', 'key:0'), '1000');
        await target.command('SET', 'key:0', 'text');
        const failed = await runAll(action('increment'), 'incr', { keys: 1 });
        assert.deepEqual(errorsOf(failed), { ERR: 1 });
      });

      testIf(has('expire'), 'expire sets the end of what is there and misses what is absent', async () => {
        await load(12);
        const result = await runAll(action('expire', { timeToLiveMs: 300_000 }), 'pexpire');
        assert.deepEqual([totalOf(result, 'expire').hits, totalOf(result, 'expire').misses], [12, 8]);
        const left = Number(await target.command('PTTL', 'key:7'));
        assert.ok(left > 200_000 && left <= 300_000, `${left} ms`);
      });

      testIf(
        has('getRange'),
        'getRange reads a part; an absent key is a miss, as the server counts it',
        async () => {
          await load(12, { bytes: 100 });
          const before = await hitsAndMisses(target);
          const range = { offsetBytes: 10, lengthBytes: 25 };
          const result = await runAll(action('getRange', { range }), 'getrange');
          const counted = await hitsAndMisses(target);
          const { hits, misses } = totalOf(result, 'getRange');
          assert.deepEqual([hits, misses], [12, 8]);
          assert.deepEqual([counted.hits - before.hits, counted.misses - before.misses], [12, 8]);
          const received = result.frames
            .flatMap((frame) => frame.rows)
            .reduce((sum, row) => sum + row.bytesReceived, 0);
          assert.equal(received, 12 * '$25\r\n\r\n'.length + 12 * 25 + 8 * '$0\r\n\r\n'.length);
        },
      );

      testIf(has('getRange'), 'getRange checks what it reads, as far as a part can be checked', async () => {
        for (const content of [{ kind: 'printable' }, { kind: 'random' }] as const) {
          const part = (offsetBytes: number, lengthBytes: number) =>
            runAll(action('getRange', { range: { offsetBytes, lengthBytes } }), 'getrange', {
              ...{ keys: 12, checkValues: true, content },
            });
          await load(12, { bytes: [30, 100], content });
          for (const [offset, length] of [
            [0, 200],
            [0, 12],
            [5, 10],
            [8, 4],
            [25, 200],
            [29, 1],
          ] as const)
            assert.deepEqual(errorsOf(await part(offset, length)), {}, `${offset} + ${length}`);
          // Nobody who reads a beginning knows the length, on which the first 8 bytes depend.
          await target.command('SETRANGE', 'key:5', '3', '!');
          assert.deepEqual(errorsOf(await part(0, 12)), {});
          assert.deepEqual(errorsOf(await part(0, 200)), { VALUE_MISMATCH: 1 });
          await target.command('SETRANGE', 'key:7', '20', '!');
          assert.deepEqual(errorsOf(await part(8, 12)), {});
          assert.deepEqual(errorsOf(await part(8, 13)), { VALUE_MISMATCH: 1 });
          assert.deepEqual(errorsOf(await part(20, 200)), { VALUE_MISMATCH: 1 });
          assert.deepEqual(errorsOf(await part(0, 200)), { VALUE_MISMATCH: 2 });
        }
      });

      testIf(has('putRange'), 'putRange overwrites a part with what belongs there', async () => {
        await load(12, { bytes: 100 });
        const before = await target.command('GET', 'key:5');
        const range = { offsetBytes: 40, lengthBytes: 30 };
        await target.command('SETRANGE', 'key:5', '45', 'wrong');
        const result = await runAll(action('putRange', { range }), 'setrange', { keys: 12 });
        assert.equal(totalOf(result, 'putRange').ok, 12);
        assert.equal(await target.command('GET', 'key:5'), before);
        const read = await runAll(action('get'), 'get', { keys: 12, checkValues: true, bytes: 100 });
        assert.deepEqual(errorsOf(read), {});
      });
    });
