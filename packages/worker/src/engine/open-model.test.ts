import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Distribution, type OpenModel, type Stage, type Workload } from '@pacecar/protocol';
import fc from 'fast-check';
import type { IntervalPart, RowPart } from './ledger.js';
import { MS, runStage, stage } from './stage-run.test.support.js';

const inTotal = (count: number) => ({ kind: 'operations', operations: { count, scope: 'total' } }) as const;

function openStage(
  ratePerSec: number,
  changes: Parameters<typeof stage>[0] & Partial<Pick<OpenModel, 'arrivals' | 'lateAfterMs' | 'dropAfterMs'>>,
): Stage {
  const { arrivals = 'constant', lateAfterMs = 1, dropAfterMs = null } = changes;
  const of = stage(changes);
  const rate = { kind: 'constant', ratePerSec } as const;
  const model: OpenModel = { kind: 'open', rate, arrivals, lateAfterMs, dropAfterMs };
  return { ...of, workloads: of.workloads.map((workload) => ({ ...workload, model })) };
}

function total(parts: readonly IntervalPart[], name: 'sent' | 'ok' | 'late' | 'dropped' | 'aborted'): number {
  return parts.flatMap((part) => part.rows).reduce((sum, row) => sum + row[name], 0);
}

function merged(parts: readonly IntervalPart[], which: 'service' | 'response' | 'pacing'): Distribution {
  const sum = new Distribution();
  for (const row of parts.flatMap((part): readonly RowPart[] => part.rows)) sum.addEncoded(row[which]);
  return sum;
}

const ms = (of: Distribution, ratio: number): number => (of.quantileNs(ratio) as number) / MS;

function near(actual: number, expected: number, toleranceMs: number, what: string): void {
  assert.ok(Math.abs(actual - expected) <= toleranceMs, `${what}: ${actual} ms instead of ${expected} ms`);
}

/** Answers in 1 ms, but stands still for a second from `stallMs` on. */
function stalling(stallMs: () => number): (atMs: number) => number {
  return (atMs) => {
    const leftMs = stallMs() + 1_000 - atMs;
    return leftMs > 0 && leftMs <= 1_000 ? leftMs : 1;
  };
}

describe('the open model', () => {
  test('coordinated omission: a stall of a second is seen by every operation that was due in it', () => {
    const ten = { end: { kind: 'duration', durationMs: 10_000 } as const, limitMs: 60_000 };
    let stallMs = 0;
    const { parts } = runStage(
      openStage(100, ten),
      { latencyMs: stalling(() => stallMs) },
      (_world, _all, _run, startMs) => {
        stallMs = startMs + 3_000;
      },
    );
    assert.deepEqual([total(parts, 'sent'), total(parts, 'ok'), total(parts, 'dropped')], [1_000, 1_000, 0]);
    const response = merged(parts, 'response');
    assert.equal(response.count, 1_000);
    for (const [ratio, expected] of [
      [0.5, 1],
      [0.9, 100],
      [0.95, 550],
      [0.99, 910],
      [0.999, 991],
      [1, 1_000],
    ] as const)
      near(ms(response, ratio), expected, 2, `response p${ratio * 100}`);
    near(ms(merged(parts, 'service'), 0.999), 1, 0.01, 'service p99.9');
    // The generator itself was in time: who waits for a free slot waits for the target.
    near(ms(merged(parts, 'pacing'), 1), 0, 0.001, 'pacing');
    assert.ok(total(parts, 'late') >= 100 && total(parts, 'late') <= 115, `${total(parts, 'late')} late`);
  });

  test('in the closed model the same stall hits one operation, and there is no response time', () => {
    let stallMs = 0;
    const { parts } = runStage(
      stage({ end: { kind: 'duration', durationMs: 4_000 } }),
      { latencyMs: stalling(() => stallMs) },
      (_world, _all, _run, startMs) => {
        stallMs = startMs + 2_000;
      },
    );
    assert.equal(merged(parts, 'response').count, 0);
    assert.equal(merged(parts, 'pacing').count, 0);
    assert.equal(total(parts, 'ok'), 3_001);
    near(ms(merged(parts, 'service'), 0.999), 1, 0.01, 'service p99.9');
  });

  test('pipelined: depth 10 on a target of 1 ms for each command gives 1..10 ms, each for itself', () => {
    const free = new Map<number, number>();
    let lane = 0;
    const { parts } = runStage(stage({ end: inTotal(1_000), connections: 100, depth: 10 }), {
      // Ten operations a connection, asked for in a row; each target answers one after the other.
      latencyMs: (atMs) => {
        const mine = Math.floor(lane++ / 10);
        const endMs = Math.max(free.get(mine) ?? 0, atMs) + 1;
        free.set(mine, endMs);
        return endMs - atMs;
      },
    });
    const service = merged(parts, 'service');
    assert.equal(service.count, 1_000);
    assert.equal(service.minimumNs, 1 * MS);
    assert.equal(service.maximumNs, 10 * MS);
    near((service.meanNs as number) / MS, 5.5, 0.001, 'mean');
  });

  test('whatever the numbers: what was due is sent or dropped, exactly', () => {
    fc.assert(
      fc.property(
        fc.record({
          ratePerSec: fc.constantFrom(0.7, 3, 99, 1_000, 4_321),
          connections: fc.integer({ min: 1, max: 7 }),
          depth: fc.integer({ min: 1, max: 5 }),
          latencyMs: fc.integer({ min: 1, max: 70 }),
        }),
        fc.constantFrom(null, 0, 5, 100),
        fc.constantFrom(137, 1_000),
        ({ ratePerSec, connections, depth, latencyMs }, dropAfterMs, durationMs) => {
          const of = openStage(ratePerSec, {
            connections,
            depth,
            dropAfterMs,
            end: { kind: 'duration', durationMs },
          });
          const { parts, elapsedMs } = runStage(of, { latencyMs: () => latencyMs });
          const due = Math.ceil((ratePerSec * durationMs) / 1_000 - 1e-9);
          assert.equal(total(parts, 'sent') + total(parts, 'dropped'), due);
          assert.equal(total(parts, 'ok'), total(parts, 'sent'));
          assert.equal(merged(parts, 'response').count, total(parts, 'sent'));
          assert.equal(merged(parts, 'pacing').count, total(parts, 'sent'));
          assert.ok(elapsedMs <= durationMs + latencyMs + 0.001);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('by count: exactly so many arrivals, at their times', () => {
    const { parts, elapsedMs, failure } = runStage(
      openStage(250, { end: inTotal(101), connections: 3, depth: 4 }),
      { latencyMs: () => 2 },
    );
    assert.equal(failure, null);
    assert.equal(total(parts, 'sent'), 101);
    // The last is due at 100 / 250 s.
    assert.equal(elapsedMs, 402);
    assert.deepEqual(
      parts.map((part) => part.rows.reduce((sum, row) => sum + row.sent, 0)),
      [25, 25, 25, 25, 1],
    );
  });

  test('random arrivals: the rate is right, and nobody begins before its time', () => {
    const { parts } = runStage(
      openStage(2_000, {
        arrivals: 'poisson',
        connections: 4,
        depth: 50,
        end: { kind: 'duration', durationMs: 5_000 },
      }),
      { latencyMs: () => 1 },
    );
    const sent = total(parts, 'sent') + total(parts, 'dropped');
    // Five standard deviations of a Poisson number of 10,000.
    assert.ok(Math.abs(sent - 10_000) < 500, `${sent} arrivals`);
    assert.ok((merged(parts, 'response').minimumNs as number) >= 1 * MS);
  });

  test('a target that never answers: depth operations are out, the rest is dropped, and the end is in time', () => {
    const { parts, elapsedMs } = runStage(
      openStage(1_000, { depth: 3, drainMs: 200, end: { kind: 'duration', durationMs: 1_000 } }),
      { latencyMs: () => null },
    );
    assert.deepEqual([total(parts, 'sent'), total(parts, 'aborted')], [3, 3]);
    assert.equal(total(parts, 'dropped'), 997);
    assert.equal(elapsedMs, 1_200);
  });

  test('a backlog of millions is dropped at the end, all of it and at once', () => {
    const of = openStage(5_000_000, { drainMs: 0, end: { kind: 'duration', durationMs: 1_000 } });
    const { parts } = runStage(of, { latencyMs: () => null });
    assert.equal(total(parts, 'sent') + total(parts, 'dropped'), 5_000_000);
    const rows = parts.flatMap((part) => part.rows);
    const [get, put] = ['get', 'put'].map((name) =>
      rows.filter((row) => row.operation === name).reduce((sum, row) => sum + row.dropped, 0),
    );
    assert.ok(Math.abs((get ?? 0) - (put ?? 0)) < 10_000, `${get} and ${put} of a mix of halves`);
  });

  test('while its connection is away, operations wait for it; nothing is sent twice', () => {
    const { parts } = runStage(
      openStage(100, { depth: 2, end: { kind: 'duration', durationMs: 2_000 } }),
      { latencyMs: () => 15, accepts: (attempt) => attempt === 1 || attempt > 4 },
      (world, all) => world.after(1_002, () => all[0]?.cut()),
    );
    assert.equal(total(parts, 'sent') + total(parts, 'dropped'), 200);
    assert.equal(total(parts, 'ok') + total(parts, 'aborted'), total(parts, 'sent'));
    assert.ok(total(parts, 'aborted') >= 1 && total(parts, 'late') >= 5);
  });
});

describe('the closed model in time', () => {
  const closed = (of: Stage, changes: Partial<Extract<Workload['model'], { kind: 'closed' }>>): Stage => ({
    ...of,
    workloads: of.workloads.map((workload) => ({
      ...workload,
      model: { kind: 'closed', thinkTimeMs: 0, start: { kind: 'together' }, ...changes },
    })),
  });
  const sentIn = (parts: readonly IntervalPart[]) =>
    parts.map((part) => part.rows.reduce((sum, row) => sum + row.sent, 0));

  test('think time: a slot rests between an answer and its next operation', () => {
    const { parts } = runStage(closed(stage({ depth: 2 }), { thinkTimeMs: 15 }), { latencyMs: () => 5 });
    // Two slots, each every 20 ms: at 0, 20 ... 980.
    assert.equal(total(parts, 'sent'), 100);
    assert.equal(merged(parts, 'service').maximumNs, 5 * MS);
  });

  test('a ramp: connection i of n begins i / n of the time later', () => {
    const of = closed(stage({ connections: 4 }), { start: { kind: 'ramp', durationMs: 400 } });
    const { parts } = runStage(of, { latencyMs: () => 10 });
    assert.deepEqual(sentIn(parts).slice(0, 6), [10, 20, 30, 40, 40, 40]);
  });

  test('a staircase: so many connections at first, then so many more each time', () => {
    const start = {
      kind: 'staircase',
      first: { count: 1, scope: 'worker' },
      step: { count: 2, scope: 'worker' },
      everyMs: 300,
    } as const;
    const { parts } = runStage(closed(stage({ connections: 4 }), { start }), { latencyMs: () => 10 });
    assert.deepEqual(sentIn(parts).slice(0, 10), [10, 10, 10, 30, 30, 30, 40, 40, 40, 40]);
  });

  test('two workloads of one stage, each with its own model and its own rows', () => {
    const [reader] = openStage(1_000, { connections: 2, depth: 2 }).workloads;
    const [poller] = openStage(1, {}).workloads;
    assert.ok(reader !== undefined && poller !== undefined);
    const of = { ...stage({ end: { kind: 'duration', durationMs: 3_000 } }) };
    const { parts } = runStage(
      {
        ...of,
        workloads: [
          { ...reader, name: 'reader' },
          { ...poller, name: 'poller' },
        ],
      },
      { latencyMs: () => 1 },
    );
    const sent = [0, 1].map((index) =>
      parts
        .flatMap((part) => part.rows)
        .filter(({ workload }) => workload === index)
        .reduce((sum, row) => sum + row.sent, 0),
    );
    assert.deepEqual(sent, [3_000, 3]);
  });

  test('a connection is renewed after so many operations, with none in flight and none lost', () => {
    const of = stage({ depth: 3, end: inTotal(100) });
    const reconnect = { everyOperations: 7, firstBackOffMs: 10, longestBackOffMs: 1_000 };
    const { parts, channels, failure } = runStage(
      { ...of, workloads: of.workloads.map((workload) => ({ ...workload, reconnect })) },
      { latencyMs: () => 2 },
    );
    assert.equal(failure, null);
    assert.deepEqual([total(parts, 'sent'), total(parts, 'ok'), total(parts, 'aborted')], [100, 100, 0]);
    assert.equal(channels[0]?.opens.length, 15);
  });

  test('back-off between attempts is what the plan says', () => {
    const of = stage({ end: { kind: 'duration', durationMs: 3_000 } });
    const reconnect = { everyOperations: null, firstBackOffMs: 100, longestBackOffMs: 400 };
    const { channels } = runStage(
      { ...of, workloads: of.workloads.map((workload) => ({ ...workload, reconnect })) },
      { latencyMs: () => 1, accepts: (attempt) => attempt === 1 },
      (world, all) => world.after(10, () => all[0]?.cut()),
    );
    const opens = channels[0]?.opens.slice(1) ?? [];
    const gaps = opens.slice(1).map((at, index) => at - (opens[index] as number));
    // An attempt takes 1 ms, and a thread looks every 20 ms.
    const expected = [100, 200, 400, 400, 400, 400, 400, 400];
    assert.equal(gaps.length, expected.length, gaps.join(' '));
    gaps.forEach((gap, index) => near(gap - 11, expected[index] as number, 11, `gap ${index}`));
  });
});
