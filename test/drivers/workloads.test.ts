import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Keys, type OpenModel, plainAction, type Values, type Workload } from '@pacecar/protocol';
import { startScripted, politeAnswer } from './scripted-server.js';
import { RESP_DRIVERS, SERVERS, type ServerUnderTest } from './server-under-test.js';
import {
  checkIdentities,
  errorsOf,
  latenciesOf,
  type StageResult,
  StageRig,
  type StageWishes,
  totalOf,
} from './stage-rig.js';

const KEYS: Keys = {
  minimum: 0,
  maximum: 499,
  prefix: 'key:',
  suffix: '',
  order: 'numeric',
  width: 0,
  distribution: { kind: 'uniform' },
};
const COMMANDS = { get: 'get', put: 'set', insert: 'set' } as const;

const DISTRIBUTIONS: readonly Keys['distribution'][] = [
  { kind: 'uniform' },
  { kind: 'sequential' },
  { kind: 'partitioned' },
  { kind: 'gaussian', median: 250, deviation: 40 },
  { kind: 'zipfian', exponent: 0.99, scrambled: false },
  { kind: 'zipfian', exponent: 1, scrambled: true },
  { kind: 'latest', exponent: 0.99 },
  { kind: 'hotspot', keysRatio: 0.2, operationsRatio: 0.8 },
  { kind: 'exponential', percentile: 0.95, keysRatio: 0.5 },
];

const VALUES: readonly Values[] = [
  { size: { kind: 'fixed', bytes: 20_000 }, content: { kind: 'random' } },
  { size: { kind: 'uniform', minimumBytes: 0, maximumBytes: 400 }, content: { kind: 'random' } },
  {
    size: {
      kind: 'weighted',
      sizes: [
        { bytes: 10, weight: 9 },
        { bytes: 100_000, weight: 1 },
      ],
    },
    content: { kind: 'compressible', ratio: 4 },
  },
  {
    size: { kind: 'gaussian', minimumBytes: 10, maximumBytes: 2_000, medianBytes: 300, deviationBytes: 500 },
    content: { kind: 'printable' },
  },
];

const open = (ratePerSec: number, changes: Partial<OpenModel> = {}): OpenModel => ({
  kind: 'open',
  rate: { kind: 'constant', ratePerSec },
  arrivals: 'constant',
  lateAfterMs: 5,
  dropAfterMs: null,
  ...changes,
});

for (const server of SERVERS)
  for (const { name: driver } of RESP_DRIVERS)
    describe(`workloads by ${driver} on ${server.name}`, server.options, () => {
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

      /** Runs a stage without a failure and holds its counts against the server's own. */
      async function run(wishes: Omit<StageWishes, 'port' | 'driver'>): Promise<StageResult> {
        const before = await target.calls();
        const result = await rig.run({ ...wishes, port: target.port, driver });
        assert.equal(result.failure, null);
        checkIdentities(result);
        const afterwards = await target.calls();
        for (const command of new Set(Object.values(COMMANDS))) {
          const sent = result.totals
            .filter(({ operation }) => COMMANDS[operation as keyof typeof COMMANDS] === command)
            .reduce((sum, total) => sum + total.sent, 0);
          assert.equal(sent, (afterwards[command] ?? 0) - (before[command] ?? 0), command);
        }
        assert.deepEqual(errorsOf(result), {});
        return result;
      }

      const load = (workload: Partial<Workload> = {}) =>
        run({ end: { kind: 'keys' }, mix: { put: 1 }, depth: 4, workload: { keys: KEYS, ...workload } });

      for (const distribution of DISTRIBUTIONS)
        test(`${JSON.stringify(distribution)}: no key outside the range, every value at its key`, async () => {
          await target.command('FLUSHALL');
          await load();
          const keys = { ...KEYS, distribution };
          const result = await run({
            ...{ operations: 2_003, connections: 5, threads: 2, depth: 3 },
            mix: { get: 3, put: 1 },
            checkValues: true,
            workload: { keys },
          });
          assert.equal(totalOf(result, 'get').sent + totalOf(result, 'put').sent, 2_003);
          assert.equal(totalOf(result, 'get').misses, 0);
          assert.equal(await target.command('DBSIZE'), 500);
        });

      for (const values of VALUES)
        test(`values ${JSON.stringify(values)} are checked by whoever did not write them`, async () => {
          await target.command('FLUSHALL');
          const keys = { ...KEYS, maximum: 99 };
          await load({ keys, values });
          const result = await run({
            ...{ end: { kind: 'keys' }, depth: 4, checkValues: true },
            workload: { keys, values },
          });
          assert.equal(totalOf(result, 'get').hits, 100);
        });

      test('keys as YCSB writes them, and with a hash tag', async () => {
        await target.command('FLUSHALL');
        await load({ keys: { ...KEYS, maximum: 1, prefix: 'user', order: 'hashed' } });
        assert.equal(await target.command('EXISTS', 'user6284781860667377211', 'user8517097267634966620'), 2);
        await load({ keys: { ...KEYS, maximum: 10, prefix: '{tag', suffix: '}:x' } });
        assert.equal(await target.command('EXISTS', '{tag0}:x', '{tag10}:x'), 2);
      });

      test('mode ratio: exactly two puts for each three gets on every connection', async () => {
        const result = await run({
          operations: 500,
          connections: 4,
          workload: {
            keys: KEYS,
            mix: [plainAction('put', 2), plainAction('get', 3)],
            mixMode: 'ratio',
          },
        });
        assert.deepEqual([totalOf(result, 'put').ok, totalOf(result, 'get').ok], [200, 300]);
      });

      for (const arrivals of ['constant', 'poisson'] as const)
        test(`open model, ${arrivals}: what is due is sent or dropped, over three threads`, async () => {
          const result = await run({
            ...{ durationMs: 1_000, connections: 6, threads: 3, depth: 8 },
            workload: { keys: KEYS, model: open(600, { arrivals }) },
          });
          const { sent, dropped } = totalOf(result, 'get');
          if (arrivals === 'constant') assert.equal(sent + dropped, 600);
          else assert.ok(Math.abs(sent + dropped - 600) < 130, `${sent + dropped} due`);
          assert.ok(result.elapsedMs >= 1_000 || dropped === 0);
        });

      test('open model by count: exactly so many arrivals', async () => {
        const result = await run({
          operations: 301,
          connections: 4,
          threads: 2,
          depth: 16,
          workload: { keys: KEYS, model: open(1_000) },
        });
        assert.equal(totalOf(result, 'get').ok, 301);
        assert.ok(result.elapsedMs >= 300, `${result.elapsedMs} ms`);
      });

      test('a poller beside a reader: each at its own rate, each with its own row', async () => {
        const result = await run({
          ...{ durationMs: 1_000, connections: 4, depth: 16 },
          workload: { keys: KEYS, model: open(2_000) },
          others: [{ name: 'poller', model: open(5), connections: { count: 1, scope: 'worker' } }],
        });
        const due = new Map(
          result.totals.map(({ workload, sent, dropped }) => [workload, sent + dropped] as const),
        );
        assert.deepEqual([due.get('workload'), due.get('poller')], [2_000, 5]);
      });

      test('think time and a ramp', async () => {
        const result = await run({
          ...{ durationMs: 500, connections: 4 },
          workload: {
            keys: KEYS,
            model: { kind: 'closed', thinkTimeMs: 20, start: { kind: 'ramp', durationMs: 400 } },
          },
        });
        // At most every 20 ms from 0, 100, 200 and 300 ms on.
        const { sent } = totalOf(result, 'get');
        assert.ok(sent >= 4 && sent <= 25 + 20 + 15 + 10, `${sent} operations`);
      });

      test('inserts: nobody reads a key before it is there, and no two inserts are the same', async () => {
        await target.command('FLUSHALL');
        await load();
        const keys: Keys = { ...KEYS, distribution: { kind: 'latest', exponent: 0.99 } };
        const result = await run({
          ...{ operations: 6_000, connections: 6, threads: 3, depth: 4, checkValues: true },
          workload: { keys, mix: [plainAction('get', 9), plainAction('insert', 1)] },
        });
        const inserted = totalOf(result, 'insert').ok;
        assert.ok(inserted > 400, `${inserted} inserts`);
        assert.equal(totalOf(result, 'get').misses, 0);
        assert.equal(await target.command('DBSIZE'), 500 + inserted);
      });

      test('renewed connections: no operation lost, no reply at the wrong one', async () => {
        await load();
        const result = await run({
          ...{ operations: 600, connections: 3, depth: 5, checkValues: true },
          workload: {
            keys: KEYS,
            reconnect: { everyOperations: 20, firstBackOffMs: 10, longestBackOffMs: 100 },
          },
        });
        const { ok, aborted, misses } = totalOf(result, 'get');
        assert.deepEqual([ok, aborted, misses], [600, 0, 0]);
      });
    });

describe('a target that stalls', () => {
  test('for a second: everybody who was due in it waited, though one operation alone was under way', async () => {
    let stalledUntil = 0;
    let waiting: (() => void)[] = [];
    let first = true;
    const server = await startScripted((socket, bytes) => {
      const polite = politeAnswer(bytes);
      if (polite !== null) {
        socket.write(polite);
        return;
      }
      const answer = () => {
        for (const _ of bytes.toString('latin1').matchAll(/GET\r\n/g)) socket.write('$-1\r\n');
      };
      if (first) {
        first = false;
        setTimeout(() => {
          stalledUntil = performance.now() + 1_000;
          setTimeout(() => {
            stalledUntil = 0;
            for (const each of waiting) each();
            waiting = [];
          }, 1_000);
        }, 500);
      }
      if (stalledUntil > 0) waiting.push(answer);
      else answer();
    });
    const rig = new StageRig();
    try {
      const result = await rig.run({
        ...{ port: server.port, durationMs: 2_500, connections: 1 },
        workload: { model: open(100) },
      });
      assert.equal(result.failure, null);
      checkIdentities(result);
      assert.equal(totalOf(result, 'get').sent + totalOf(result, 'get').dropped, 250);
      const above = (which: 'service' | 'response', limitMs: number): number => {
        let count = 0;
        for (const bucket of latenciesOf(result, which).buckets())
          if (bucket.lowestNs >= limitMs * 1e6) count += bucket.count;
        return count;
      };
      // A hundred were due in the second; the last ones of them waited little.
      assert.ok(above('response', 200) >= 75, `${above('response', 200)} waited 200 ms`);
      assert.ok(above('service', 200) <= 10, `${above('service', 200)} took 200 ms`);
      assert.ok((latenciesOf(result, 'response').maximumNs as number) >= 900e6);
    } finally {
      await rig.close();
      await server.close();
    }
  });
});
