import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type InsertedRounds,
  LIMITS,
  plainAction,
  plainStage,
  plainWorkload,
  type Stage,
  type Workload,
} from '@pacecar/protocol';
import fc from 'fast-check';
import type { ConnectionInserts } from './connection-inserts.js';
import { InsertExchange, insertPlace } from './insert-exchange.js';
import { InsertedKeys } from './inserted-keys.js';
import { portionOf } from './portion.js';

const FIRST = 1_000;

function stageOf(connections: Workload['connections'], isLatest = true): Stage {
  const workload = plainWorkload({
    connections,
    mix: [plainAction('get', 1), plainAction('insert', 1)],
    keys: {
      maximum: FIRST - 1,
      distribution: isLatest ? { kind: 'latest', exponent: 0.99 } : { kind: 'uniform' },
    },
    values: { size: { kind: 'fixed', bytes: 1 }, content: { kind: 'printable' } },
  });
  return plainStage({ workloads: [workload] });
}

/** One worker of several: what it inserts, what its threads may read. */
class Worker {
  readonly exchange: InsertExchange;
  readonly keys: InsertedKeys;
  readonly connections: ConnectionInserts[];
  readonly #stage: Stage;
  readonly #place: NonNullable<ReturnType<typeof insertPlace>>;

  constructor(stage: Stage, of: number, index: number) {
    const lanes = portionOf(stage, { index, of }).threads.flat();
    const place = insertPlace(stage, lanes, 0);
    assert.ok(place !== null);
    this.#stage = stage;
    this.#place = place;
    this.exchange = new InsertExchange(stage, lanes);
    this.keys = this.thread();
    this.connections = lanes.map((_, connection) => this.keys.connection(connection));
  }

  /** As one more thread of it sees them. */
  thread(): InsertedKeys {
    const [, memory] = this.exchange.memory[0] as (typeof this.exchange.memory)[number];
    return new InsertedKeys(this.#stage.workloads[0] as Workload, memory, FIRST, this.#place);
  }

  /** All keys that may be read now, by age. */
  readable(): number[] {
    const keys = this.thread();
    return Array.from({ length: keys.count }, (_, age) => keys.ofAge(age)).filter((key) => key >= 0);
  }

  get slices(): readonly InsertedRounds[] {
    return this.exchange.report()[0]?.slices ?? [];
  }
}

function crew(connections: Workload['connections'], of = 1): Worker[] {
  const stage = stageOf(connections);
  const taking = connections.scope === 'worker' ? of : Math.min(of, connections.count);
  return Array.from({ length: taking }, (_, index) => new Worker(stage, of, index));
}

/** What every worker has told by now reaches every worker. */
function tellAll(workers: readonly Worker[]): void {
  const told = workers.map(({ slices }, worker) => ({ workload: 0, worker, slices }));
  for (const { exchange } of workers) exchange.learn(told);
}

function insert(inserts: ConnectionInserts, isWritten = true): number {
  const number = inserts.take();
  inserts.ended(number, isWritten);
  return inserts.keyOf(number);
}

const ascending = (keys: Iterable<number>) => [...keys].sort((a, b) => a - b);

describe('inserted keys', () => {
  test('are disjoint over all workers and connections, also where workers have different numbers of these', () => {
    const amount = fc.record({
      count: fc.integer({ min: 1, max: 12 }),
      scope: fc.constantFrom<'worker' | 'total'>('worker', 'total'),
    });
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 5 }), (connections, of) => {
        const all = crew(connections, of).flatMap((worker) =>
          worker.connections.flatMap((one) => Array.from({ length: 20 }, () => insert(one))),
        );
        assert.equal(new Set(all).size, all.length);
        assert.ok(Math.min(...all) >= FIRST);
      }),
    );
  });

  test('are read once they are acknowledged, and not before', () => {
    const [worker] = crew({ count: 1, scope: 'worker' }) as [Worker];
    const [inserts] = worker.connections as [ConnectionInserts];
    const numbers = [inserts.take(), inserts.take(), inserts.take()] as const;
    assert.deepEqual(worker.readable(), []);
    inserts.ended(numbers[1], true);
    // Behind one that is still under way, so that what is read has no gaps.
    assert.deepEqual(worker.readable(), []);
    inserts.ended(numbers[0], true);
    assert.deepEqual(worker.readable(), [1_001, 1_000]);
    inserts.ended(numbers[2], true);
    assert.deepEqual(worker.readable(), [1_002, 1_001, 1_000]);
  });

  test('the newest come first, whoever inserted them', () => {
    const workers = crew({ count: 2, scope: 'worker' }, 2);
    for (const worker of workers)
      for (const inserts of worker.connections) for (let round = 0; round < 10; round++) insert(inserts);
    tellAll(workers);
    for (const worker of workers) {
      const ages = worker.readable();
      assert.deepEqual(
        ages.map((key) => Math.floor((key - FIRST) / 4)),
        ages.map((_, age) => 9 - Math.floor(age / 4)),
      );
      assert.equal(new Set(ages).size, 40);
    }
  });

  test('a thread sees what is new at once, and how much there is soon', () => {
    const [worker] = crew({ count: 2, scope: 'worker' }) as [Worker];
    const reader = worker.thread();
    assert.equal(reader.count, 0);
    const inserts = worker.connections[1] as ConnectionInserts;
    insert(inserts);
    const counts = Array.from({ length: 9 }, () => reader.count);
    assert.equal(counts.at(-1), 1);
    assert.equal(reader.ofAge(0), 1_001);
    for (let round = 1; round < 50; round++) assert.equal(insert(inserts), reader.ofAge(0));
  });

  test('in whatever order inserts end and news come: only what was acknowledged is read, and all of it', () => {
    const steps = fc.array(
      fc.record({ worker: fc.nat(2), connection: fc.nat(4), which: fc.nat(30), dice: fc.nat(19) }),
      { maxLength: 400 },
    );
    const amount = fc.record({
      count: fc.integer({ min: 3, max: 5 }),
      scope: fc.constantFrom<'worker' | 'total'>('worker', 'total'),
    });
    fc.assert(
      fc.property(amount, steps, (connections, script) => {
        const workers = crew(connections, 3);
        const written = new Set<number>();
        const failures = new Map<ConnectionInserts, number>();
        const open = new Map<ConnectionInserts, number[]>();
        const end = (inserts: ConnectionInserts, number: number, isWritten: boolean) => {
          if (isWritten) written.add(inserts.keyOf(number));
          else failures.set(inserts, (failures.get(inserts) ?? 0) + 1);
          inserts.ended(number, isWritten);
        };
        const told: { worker: number; slices: readonly InsertedRounds[] }[] = [];
        for (const step of script) {
          const worker = workers[step.worker] as Worker;
          const inserts = worker.connections[
            step.connection % worker.connections.length
          ] as ConnectionInserts;
          const waiting = open.get(inserts) ?? [];
          open.set(inserts, waiting);
          if (step.dice < 8) waiting.push(inserts.take());
          else if (step.dice < 16 && waiting.length > 0)
            end(inserts, waiting.splice(step.which % waiting.length, 1)[0] as number, step.dice < 15);
          else if (step.dice < 18) told.push({ worker: step.worker, slices: worker.slices });
          else {
            // Any news, also old ones and the worker's own.
            const news = told[told.length - 1 - step.which];
            if (news !== undefined) worker.exchange.learn([{ workload: 0, ...news }]);
            for (const key of worker.readable()) assert.ok(written.has(key));
          }
        }
        for (const [inserts, waiting] of open) for (const number of waiting) end(inserts, number, true);
        tellAll(workers);
        const isAllRemembered = Math.max(0, ...failures.values()) <= LIMITS.failedInserts;
        for (const worker of workers) {
          const readable = new Set(worker.readable());
          for (const key of readable) assert.ok(written.has(key));
          if (isAllRemembered) assert.deepEqual(ascending(readable), ascending(written));
        }
      }),
      { numRuns: 150 },
    );
  });

  test('of many connections others read up to the pace of the slowest of each slice', () => {
    const workers = crew({ count: 100, scope: 'worker' }, 2) as [Worker, Worker];
    const [writer, reader] = workers;
    const keys = new Set<number>();
    // The first four slices have four connections each, the others three: 49 to 51 stand together.
    writer.connections.forEach((inserts, connection) => {
      for (let round = 0; round < (connection === 50 ? 3 : 10); round++) {
        const key = insert(inserts);
        const isHeldUp = connection >= 49 && connection <= 51 && round >= 3;
        if (!isHeldUp) keys.add(key);
      }
    });
    tellAll(workers);
    assert.deepEqual(ascending(reader.readable()), ascending(keys));
  });

  test('after hundreds of failures the newest are read, here and elsewhere', () => {
    const workers = crew({ count: 1, scope: 'worker' }, 2) as [Worker, Worker];
    const [inserts] = workers[0].connections as [ConnectionInserts];
    const written: number[] = [];
    for (let round = 0; round < 2_000; round++) {
      const key = insert(inserts, round % 5 !== 0);
      if (round % 5 !== 0) written.push(key);
    }
    tellAll(workers);
    for (const worker of workers) {
      const readable = new Set(worker.readable());
      assert.deepEqual([...readable], written.toReversed().slice(0, readable.size));
      assert.ok(readable.size >= 4 * LIMITS.failedInserts);
    }
  });

  test('hundreds under way at a time', () => {
    const [worker] = crew({ count: 1, scope: 'worker' }) as [Worker];
    const [inserts] = worker.connections as [ConnectionInserts];
    const numbers = Array.from({ length: 500 }, () => inserts.take());
    for (const number of numbers.toReversed()) inserts.ended(number, true);
    assert.equal(worker.readable().length, 500);
  });

  test('an insert that was not made gives its number to the next one', () => {
    const [worker] = crew({ count: 1, scope: 'worker' }) as [Worker];
    const [inserts] = worker.connections as [ConnectionInserts];
    inserts.take();
    inserts.giveBack();
    assert.equal(inserts.take(), 0);
  });

  test('workers that are alone, or draw by another distribution, tell nothing', () => {
    assert.deepEqual((crew({ count: 3, scope: 'worker' })[0] as Worker).exchange.report(), []);
    assert.deepEqual((crew({ count: 1, scope: 'total' }, 3)[0] as Worker).exchange.report(), []);
    const stage = stageOf({ count: 3, scope: 'worker' }, false);
    assert.deepEqual(new Worker(stage, 3, 1).exchange.report(), []);
  });
});
