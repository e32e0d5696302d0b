import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrationCells } from './cells.js';
import { limitOf } from './limit.js';

test('every driver has a whole grid with one engine thread; more threads come last, up to the cores', () => {
  const cells = calibrationCells(['a', 'b'], 6);
  const single = cells.filter(({ threads }) => threads === 1);
  assert.equal(single.length, 2 * 3 * 3 * 2);
  assert.deepEqual(cells.slice(0, single.length), single);
  assert.deepEqual(
    cells.slice(single.length).map(({ driver, threads, connections }) => [driver, threads, connections]),
    [
      ['a', 2, 100],
      ['b', 2, 100],
      ['a', 4, 200],
      ['b', 4, 200],
    ],
  );
  for (const { driver, operation, depth, valueBytes } of cells.slice(single.length))
    assert.ok(
      single.some(
        (one) =>
          one.driver === driver &&
          one.operation === operation &&
          one.depth === depth &&
          one.valueBytes === valueBytes,
      ),
      'a cell of more threads has one with one thread to be held against',
    );
});

for (const [what, use, limit] of [
  ['a busy engine thread', { generatorCores: 0.97, targetCores: 0.99, threads: 1, cpuCount: 8 }, 'generator'],
  ['a busy target', { generatorCores: 0.6, targetCores: 1.02, threads: 1, cpuCount: 2 }, 'target'],
  ['no core left', { generatorCores: 1.2, targetCores: 0.7, threads: 2, cpuCount: 2 }, 'machine'],
  [
    'more threads than cores',
    { generatorCores: 1.9, targetCores: 0.1, threads: 4, cpuCount: 2 },
    'generator',
  ],
  ['time left on both sides', { generatorCores: 0.4, targetCores: 0.4, threads: 1, cpuCount: 2 }, 'other'],
] as const)
  test(`${what}: limited by ${limit}`, () => assert.equal(limitOf(use), limit));
