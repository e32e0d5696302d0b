import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PacecarError, type Workload } from '@pacecar/protocol';
import fc from 'fast-check';
import { firstInsertedKey, InsertedKeys, insertMemory } from './inserted-keys.js';

function keys(connections: number, workers = 1, worker = 0) {
  const memory = insertMemory(connections);
  return { memory, keys: new InsertedKeys(memory, 1_000, { workers, worker, connections, connection: 0 }) };
}

/** All that may be read now, by reading more than there is. */
function readable(of: InsertedKeys, most = 300): number[] {
  const found = new Set<number>();
  for (let age = 0; age < most; age++) {
    const key = of.ofAge(age);
    if (key >= 0) found.add(key);
  }
  return [...found].sort((a, b) => a - b);
}

describe('inserted keys', () => {
  test('are disjoint over workers and connections, also where workers have different numbers of these', () => {
    const all = [2, 3, 2].flatMap((connections, worker) => {
      const { keys: mine } = keys(connections, 3, worker);
      return Array.from({ length: connections }, (_, connection) =>
        Array.from({ length: 50 }, (_unused, number) => mine.keyOf(connection, number)),
      ).flat();
    });
    assert.equal(new Set(all).size, all.length);
    assert.ok(Math.min(...all) >= 1_000);
  });

  test('are read once they are acknowledged, and not before', () => {
    const { keys: mine } = keys(1);
    const inserts = mine.connection(0);
    const numbers = [inserts.take(), inserts.take(), inserts.take()];
    assert.deepEqual(readable(mine), []);
    inserts.ended(numbers[1] as number, true);
    // Behind one that is still under way, so that what is read has no gaps.
    assert.deepEqual(readable(mine), []);
    inserts.ended(numbers[0] as number, true);
    assert.deepEqual(readable(mine), [1_000, 1_001]);
    inserts.ended(numbers[2] as number, true);
    assert.deepEqual(readable(mine), [1_000, 1_001, 1_002]);
  });

  test('the newest come first', () => {
    const { keys: mine } = keys(2);
    for (const connection of [0, 1]) {
      const inserts = mine.connection(connection);
      for (let count = 0; count < 10; count++) inserts.ended(inserts.take(), true);
    }
    const ages = Array.from({ length: 20 }, (_, age) => mine.ofAge(age));
    assert.deepEqual(
      ages.map((key) => Math.floor((key - 1_000) / 2)),
      ages.map((_, age) => 9 - Math.floor(age / 2)),
    );
    assert.equal(new Set(ages).size, 20);
  });

  test('threads see what other threads wrote', () => {
    const { memory, keys: mine } = keys(2);
    const other = new InsertedKeys(memory, 1_000, { workers: 1, worker: 0, connections: 2, connection: 0 });
    const inserts = other.connection(1);
    inserts.ended(inserts.take(), true);
    assert.deepEqual(readable(mine), [1_001]);
    assert.equal(mine.count, 1);
  });

  test('in whatever order they end: only what was written is ever read', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(20), fc.integer({ min: 0, max: 9 })), { maxLength: 200 }),
        (steps) => {
          const { keys: mine } = keys(1);
          const inserts = mine.connection(0);
          const open: number[] = [];
          const written = new Set<number>();
          for (const [which, dice] of steps) {
            if (open.length === 0 || dice < 5) {
              open.push(inserts.take());
              continue;
            }
            const [number] = open.splice(which % open.length, 1) as [number];
            const isWritten = dice < 9;
            if (isWritten) written.add(1_000 + number);
            inserts.ended(number, isWritten);
            assert.ok(readable(mine).every((key) => written.has(key)));
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test('a few that failed are left out; after many of a connection its later ones are not read any more', () => {
    const { keys: mine } = keys(1);
    const inserts = mine.connection(0);
    for (let number = 0; number < 100; number++) inserts.ended(inserts.take(), number % 5 !== 0);
    const found = readable(mine);
    assert.ok(found.length >= 50);
    assert.ok(found.every((key) => (key - 1_000) % 5 !== 0));
  });

  test('hundreds under way at a time', () => {
    const { keys: mine } = keys(1);
    const inserts = mine.connection(0);
    const numbers = Array.from({ length: 500 }, () => inserts.take());
    for (const number of numbers.toReversed()) inserts.ended(number, true);
    assert.equal(readable(mine, 1_000).length, 500);
  });

  test('an insert that was not made gives its number to the next one', () => {
    const { keys: mine } = keys(1);
    const inserts = mine.connection(0);
    inserts.take();
    inserts.giveBack();
    assert.equal(inserts.take(), 0);
  });

  test('workloads and stages insert apart from each other and from every range, below 2^53', () => {
    const upTo = (...maxima: readonly number[]) =>
      maxima.map((maximum) => ({ keys: { maximum } as Workload['keys'] }));
    const firsts = [0, 1, 2].flatMap((number) =>
      [0, 1, 31].map((workload) => firstInsertedKey(upTo(999, 5_000), number, workload)),
    );
    assert.equal(firsts[0], 5_001);
    firsts.slice(1).forEach((first, index) => assert.ok(first >= (firsts[index] as number) + 10 ** 10));
    assert.ok(Number.isSafeInteger(firstInsertedKey(upTo(10 ** 15), 199, 31)));
    assert.throws(() => firstInsertedKey(upTo(2 ** 53 - 100), 0, 0), PacecarError);
  });
});
