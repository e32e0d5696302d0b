import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Action, plainAction, type Stage, type Workload } from '@pacecar/protocol';
import { type DumpedOperation, dumpOperations } from './operation-dump.js';
import { stage } from './stage-run.test.support.js';

type Changes = Partial<Workload> & { readonly end?: Stage['end'] };

function withWorkload({ end, ...changes }: Changes): Stage {
  const of = stage({ end: end ?? { kind: 'duration', durationMs: 60_000 } });
  return { ...of, workloads: of.workloads.map((workload) => ({ ...workload, ...changes })) };
}

const KEYS = stage({}).workloads[0]?.keys as Workload['keys'];
const total = (count: number) => ({ count, scope: 'total' }) as const;
const perWorker = (count: number) => ({ count, scope: 'worker' }) as const;

function dump(spec: Stage, perConnection: number, workers = 1, seed = 1): DumpedOperation[] {
  const indexes = Array.from({ length: workers }, (_, index) => index);
  return [...dumpOperations({ spec, seed, stage: 0, workers: indexes }, perConnection)];
}

const action = (operation: Action['operation'], changes: Partial<Action> = {}): Action => ({
  ...plainAction(operation, 1),
  ...changes,
});

describe('the operations of a stage, listed without sending any', () => {
  const records: Workload['records'] = {
    fields: 4,
    fieldSize: { kind: 'uniform', minimumBytes: 1, maximumBytes: 100 },
    readAllFields: false,
    writeAllFields: true,
  };
  const rich = {
    connections: perWorker(6),
    mix: [
      action('get', { weight: 3 }),
      action('put', { name: 'big put', weight: 2 }),
      action('getAll', { batch: 4 }),
      action('putAll', { batch: 3 }),
      action('insert'),
      action('readRecord'),
      action('updateRecord'),
      action('insertRecord'),
      action('scanRecords', { batch: 50 }),
      action('command', { commands: ['ZADD board __score__ __member__ __key__ __data__ __counter__'] }),
    ],
    records,
    values: {
      size: {
        kind: 'weighted',
        sizes: [
          { bytes: 1, weight: 1 },
          { bytes: 900, weight: 3 },
        ],
      },
      content: { kind: 'random' },
    },
    keys: { ...KEYS, distribution: { kind: 'zipfian', exponent: 0.99, scrambled: true } },
    model: {
      kind: 'open',
      rate: { kind: 'sine', meanPerSec: 500, amplitudePerSec: 200, periodMs: 1_000, phase: 0 },
      arrivals: 'poisson',
      lateAfterMs: 1,
      dropAfterMs: null,
    },
  } satisfies Changes;

  test('is the same for the same plan and seed, byte for byte, whatever the number of engine threads', () => {
    const texts = [1, 2, 3, 6].map((threads) =>
      JSON.stringify(dump(withWorkload({ ...rich, threads: perWorker(threads) }), 200, 3)),
    );
    assert.equal(new Set(texts).size, 1);
    assert.notEqual(JSON.stringify(dump(withWorkload(rich), 200, 3, 2)), texts[0]);
  });

  test('no two connections share a stream, on one worker or on several', () => {
    const all = dump(withWorkload({ connections: perWorker(5), keys: { ...KEYS, maximum: 10 ** 9 } }), 40, 4);
    const streams = new Map<string, string[]>();
    for (const one of all) {
      const name = `${one.worker} ${one.connection}`;
      streams.set(name, [...(streams.get(name) ?? []), one.keys.join()]);
    }
    assert.equal(streams.size, 20);
    const keys = [...streams.values()].flat();
    // 800 draws of a thousand million: two that are equal by chance are rare.
    assert.ok(new Set(keys).size >= keys.length - 1);
  });

  test('two workers at 2/s together: 0.5 s between operations, worker by worker in turn', () => {
    const spec = withWorkload({
      connections: perWorker(3),
      model: {
        kind: 'open',
        rate: { kind: 'constant', ratePerSec: 2 },
        arrivals: 'constant',
        lateAfterMs: 1,
        dropAfterMs: null,
      },
      end: { kind: 'duration', durationMs: 5_000 },
    });
    const all = dump(spec, 1_000, 2).sort((a, b) => (a.dueNs ?? 0) - (b.dueNs ?? 0));
    assert.deepEqual(
      all.map(({ dueNs }) => dueNs),
      Array.from({ length: 10 }, (_, index) => index * 5e8),
    );
    assert.deepEqual(
      all.map(({ worker }) => worker),
      [0, 1, 0, 1, 0, 1, 0, 1, 0, 1],
    );
  });

  test('mode ratio: each connection does exactly a puts, then b gets', () => {
    const mix = [plainAction('put', 2), plainAction('get', 3)];
    const all = dump(withWorkload({ mix, mixMode: 'ratio', connections: perWorker(2) }), 11, 1);
    const names = all.filter(({ connection }) => connection === 1).map((one) => one.action);
    assert.equal(names.join(' '), 'put put get get get put put get get get put');
  });

  test('keys that are inserted lie past the range, and no two of them are equal', () => {
    const mix = [plainAction('insert', 1), plainAction('get', 1)];
    for (const connections of [perWorker(3), total(7)]) {
      const inserted = dump(withWorkload({ mix, connections }), 100, 3)
        .filter((one) => one.action === 'insert')
        .map((one) => Number(one.keys[0]));
      assert.ok(inserted.length > 300);
      assert.equal(new Set(inserted).size, inserted.length);
      assert.ok(inserted.every((key) => key > KEYS.maximum));
    }
  });

  test('what each kind of operation has: keys, sizes', () => {
    const all = dump(withWorkload(rich), 300);
    const shapes = new Map<string, Set<string>>();
    for (const one of all) {
      const shape = `${one.keys.length} ${one.valueBytes.length}`;
      shapes.set(one.action, (shapes.get(one.action) ?? new Set()).add(shape));
    }
    const expected = {
      get: '1 0',
      'big put': '1 1',
      getAll: '4 0',
      putAll: '3 3',
      insert: '1 1',
      readRecord: '1 0',
      updateRecord: '1 4',
      insertRecord: '1 4',
      scanRecords: '1 0',
      command: '1 1',
    };
    for (const [name, shape] of Object.entries(expected))
      assert.deepEqual([...(shapes.get(name) ?? [])], [shape], name);
    const sizes = new Set(all.filter((one) => one.action === 'big put').flatMap((one) => one.valueBytes));
    assert.deepEqual(
      [...sizes].sort((a, b) => a - b),
      [1, 900],
    );
  });

  test('scrambled hot keys are the same on every worker and in every stage', () => {
    const hottest = (worker: number, seed: number): string | undefined => {
      const counts = new Map<string, number>();
      const keys = { ...KEYS, distribution: rich.keys.distribution };
      for (const one of dumpOperations(
        { spec: withWorkload({ keys }), seed, stage: seed, workers: [worker] },
        5_000,
      ))
        counts.set(one.keys.join(), (counts.get(one.keys.join()) ?? 0) + 1);
      return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
    };
    const [first, ...others] = [hottest(0, 1), hottest(3, 1), hottest(0, 2)];
    assert.notEqual(first, '0');
    assert.deepEqual(others, [first, first]);
  });
});
