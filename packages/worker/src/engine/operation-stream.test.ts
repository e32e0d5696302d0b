import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Action, plainAction, plainWorkload, type Values, type Workload } from '@pacecar/protocol';
import { WorkloadStreams } from './operation-stream.js';
import { UNBOUNDED } from './portion.js';

const SIZE_10: Values = { size: { kind: 'fixed', bytes: 10 }, content: { kind: 'printable' } };

function workload(changes: {
  mix?: readonly Action[];
  distribution?: 'uniform' | 'sequential' | 'partitioned';
  keys?: number;
  values?: Values;
}): Workload {
  return plainWorkload({
    connections: { count: 4, scope: 'worker' },
    mix: changes.mix ?? [plainAction('get', 1)],
    keys: {
      ...{ minimum: 100, maximum: 100 + (changes.keys ?? 1_000) - 1 },
      distribution: { kind: changes.distribution ?? 'uniform' },
    },
    values: changes.values ?? SIZE_10,
  });
}

interface Drawn {
  readonly operation: number;
  readonly key: number;
  readonly valueBytes: number;
}

function draw(
  of: Workload,
  count: number,
  identity: { seed?: number; stage?: number; worker?: number; connection?: number } = {},
): Drawn[] {
  const { seed = 1, stage = 0, worker = 0, connection = 0 } = identity;
  const keys = of.keys.distribution.kind === 'partitioned' ? { start: 105, length: 3 } : null;
  const place = { workers: 1, worker: 0, connections: 4, connection };
  const portion = { workload: 0, connection, operations: UNBOUNDED, keys, place, startsAfterNs: 0 };
  const stream = new WorkloadStreams(of, null).stream(portion, { seed, stage, worker });
  return Array.from({ length: count }, () => {
    stream.next();
    return { operation: stream.operation, key: stream.key, valueBytes: stream.valueBytes };
  });
}

const MIX = [plainAction('get', 80), plainAction('put', 15), plainAction('delete', 5)];

describe('the operations of a connection', () => {
  test('are the same for the same seed, stage, worker and connection', () => {
    const of = workload({
      mix: MIX,
      values: {
        size: { kind: 'uniform', minimumBytes: 1, maximumBytes: 1_000 },
        content: { kind: 'printable' },
      },
    });
    assert.deepEqual(draw(of, 1_000), draw(of, 1_000));
  });

  for (const [what, other] of [
    ['seed', { seed: 2 }],
    ['stage', { stage: 1 }],
    ['worker', { worker: 1 }],
    ['connection', { connection: 1 }],
  ] as const)
    test(`are others for another ${what}`, () => {
      const of = workload({ keys: 1_000_000 });
      const mine = draw(of, 100).map(({ key }) => key);
      const others = new Set(draw(of, 100, other).map(({ key }) => key));
      assert.ok(mine.filter((key) => others.has(key)).length <= 2);
    });

  test('have the shares of the mix', () => {
    const drawn = draw(workload({ mix: MIX }), 100_000);
    const shares = MIX.map(
      (_, index) => drawn.filter(({ operation }) => operation === index).length / 100_000,
    );
    // Five standard deviations of a share of 0.8 at this number are 0.0063.
    assert.deepEqual(
      shares.map((share, index) => Math.abs(share - (MIX[index]?.weight ?? 0) / 100) < 0.0064),
      [true, true, true],
      shares.join(' '),
    );
  });

  test('keep their keys when the sizes of values change, and their sizes when the keys do', () => {
    const put = [plainAction('put', 1)];
    const sizes = (maximumBytes: number): Values => ({
      size: { kind: 'uniform', minimumBytes: 1, maximumBytes },
      content: { kind: 'printable' },
    });
    const small = draw(workload({ mix: put, values: sizes(10) }), 100);
    const large = draw(workload({ mix: put, values: sizes(1_000) }), 100);
    const fewKeys = draw(workload({ mix: put, values: sizes(10), keys: 5 }), 100);
    assert.deepEqual(
      small.map(({ key }) => key),
      large.map(({ key }) => key),
    );
    assert.deepEqual(
      small.map(({ valueBytes }) => valueBytes),
      fewKeys.map(({ valueBytes }) => valueBytes),
    );
  });

  test('uniform keys: both ends occur, none outside, each equally likely', () => {
    const drawn = draw(workload({ keys: 10 }), 100_000);
    const counts = new Map<number, number>();
    for (const { key } of drawn) counts.set(key, (counts.get(key) ?? 0) + 1);
    assert.deepEqual(
      [...counts.keys()].sort((a, b) => a - b),
      [100, 101, 102, 103, 104, 105, 106, 107, 108, 109],
    );
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
    // What 9 degrees of freedom exceed once in a million.
    assert.ok(chiSquare < 45, `chi-square ${chiSquare}`);
  });

  test('sequential keys go from the first to the last and round again, reads and writes each at their own pace', () => {
    const mix = [plainAction('get', 1), plainAction('put', 1)];
    const drawn = draw(workload({ mix, distribution: 'sequential', keys: 4 }), 100);
    for (const operation of [0, 1]) {
      const keys = drawn.filter((one) => one.operation === operation).map(({ key }) => key);
      assert.ok(keys.length > 8);
      assert.deepEqual(
        keys,
        keys.map((_, index) => 100 + (index % 4)),
      );
    }
  });

  test('partitioned keys walk the own slice, whatever the operation', () => {
    const drawn = draw(workload({ mix: MIX, distribution: 'partitioned' }), 7);
    assert.deepEqual(
      drawn.map(({ key }) => key),
      [105, 106, 107, 105, 106, 107, 105],
    );
  });

  test('sizes 10..200: both ends occur, none outside, mean 105; operations without a value have none', () => {
    const values: Values = {
      size: { kind: 'uniform', minimumBytes: 10, maximumBytes: 200 },
      content: { kind: 'printable' },
    };
    const drawn = draw(workload({ mix: MIX, values }), 100_000);
    assert.ok(
      drawn.every(({ operation, valueBytes }) => (operation === 1 ? valueBytes >= 10 : valueBytes === 0)),
    );
    const sizes = draw(workload({ mix: [plainAction('put', 1)], values }), 100_000).map(
      (one) => one.valueBytes,
    );
    assert.equal(Math.min(...sizes), 10);
    assert.equal(Math.max(...sizes), 200);
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    // Five standard deviations of the mean: 5 * 55.1 / sqrt(100,000).
    assert.ok(Math.abs(mean - 105) < 0.9, `mean ${mean}`);
  });
});
