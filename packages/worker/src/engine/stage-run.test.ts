import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Distribution, type Stage } from '@pacecar/protocol';
import fc from 'fast-check';
import type { IntervalPart } from './ledger.js';
import { MS, runStage, stage } from './stage-run.test.support.js';

type Sums = Record<'sent' | 'ok' | 'timeouts' | 'aborted', number>;

function sums(parts: readonly IntervalPart[]): Sums {
  const total = { sent: 0, ok: 0, timeouts: 0, aborted: 0 };
  for (const row of parts.flatMap((part) => part.rows)) {
    for (const name of ['sent', 'ok', 'timeouts', 'aborted'] as const) total[name] += row[name];
  }
  return total;
}

/** sent so far = ended so far + in flight, for every operation in every interval. */
function checkIdentity(parts: readonly IntervalPart[]): void {
  const before = new Map<string, number>();
  for (const part of parts) {
    for (const row of part.rows) {
      const ended = row.ok + row.timeouts + row.aborted;
      const inFlight = (before.get(row.operation) ?? 0) + row.sent - ended;
      assert.equal(row.inFlight, inFlight, `interval ${part.interval}, ${row.operation}`);
      assert.ok(row.inFlight >= 0);
      before.set(row.operation, inFlight);
    }
  }
  assert.deepEqual(
    parts.map(({ interval }) => interval),
    parts.map((_, index) => index),
  );
}

describe('a stage on one thread', () => {
  test('by time: sends until its end, drains, and books each operation in the interval it ended in', () => {
    const { parts, elapsedMs, failure } = runStage(stage({ depth: 2 }), { latencyMs: () => 30 });
    assert.equal(failure, null);
    checkIdentity(parts);
    // Sent at 0, 30 ... 990 ms, two each time; the last came back at 1020 ms.
    assert.deepEqual(sums(parts), { sent: 68, ok: 68, timeouts: 0, aborted: 0 });
    assert.equal(elapsedMs, 1_020);
    const ok = parts.map((part) => part.rows.reduce((sum, row) => sum + row.ok, 0));
    // Answers at 30, 60, 90 | 120, 150, 180 | 210, 240, 270 | 300, 330, 360, 390 | ... | 1020.
    assert.deepEqual(ok, [6, 6, 6, 8, 6, 6, 8, 6, 6, 8, 2]);
    assert.equal(parts[10]?.endNs, 1_020 * MS);
    assert.equal(parts[0]?.firstOperationNs, 0);
    assert.ok(parts.slice(1).every((part) => part.firstOperationNs === null));
  });

  test('every latency is recorded: count, least and most', () => {
    let number = 0;
    const { parts } = runStage(stage({}), { latencyMs: () => (number++ % 2 === 0 ? 7 : 12) });
    const service = new Distribution();
    for (const row of parts.flatMap((part) => part.rows)) service.addEncoded(row.service);
    assert.equal(service.count, sums(parts).ok);
    assert.equal(service.minimumNs, 7 * MS);
    assert.equal(service.maximumNs, 12 * MS);
  });

  test('by count: exactly so many are sent, whatever depth, connections and latencies', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 40 }),
        (count, depth, connections, latencyMs) => {
          const end: Stage['end'] = { kind: 'operations', operations: { count, scope: 'total' } };
          const { parts, failure } = runStage(stage({ end, depth, connections }), {
            latencyMs: (atMs) => latencyMs + (Math.round(atMs) % 3),
          });
          assert.equal(failure, null);
          checkIdentity(parts);
          assert.deepEqual(sums(parts), { sent: count, ok: count, timeouts: 0, aborted: 0 });
        },
      ),
      { numRuns: 50 },
    );
  });

  test('a target that never answers: the stage ends with its time and drain limit, the rest is aborted', () => {
    const { parts, elapsedMs, failure } = runStage(stage({ depth: 3, drainMs: 200 }), {
      latencyMs: () => null,
    });
    assert.equal(failure, null);
    checkIdentity(parts);
    assert.deepEqual(sums(parts), { sent: 3, ok: 0, timeouts: 0, aborted: 3 });
    assert.equal(elapsedMs, 1_200);
    assert.equal(parts.length, 13);
  });

  test('operations past their timeout are timeouts, and their connection is opened anew', () => {
    const { parts, channels, elapsedMs } = runStage(
      stage({ depth: 2, operationTimeoutMs: 300, drainMs: 0 }),
      {
        latencyMs: () => null,
      },
    );
    checkIdentity(parts);
    const total = sums(parts);
    // At about 300, 600 and 900 ms; what was sent after that has no time left.
    assert.deepEqual(total, { sent: 8, ok: 0, timeouts: 6, aborted: 2 });
    assert.equal(channels[0]?.opens.length, 4);
    assert.equal(elapsedMs, 1_000);
    const failed = new Distribution();
    for (const row of parts.flatMap((part) => part.rows)) failed.addEncoded(row.failed);
    assert.equal(failed.count, 6);
    assert.ok((failed.minimumNs as number) >= 300 * MS && (failed.maximumNs as number) <= 340 * MS);
  });

  test('younger operations on a connection that is given up are aborted, not timed out', () => {
    // Of two in flight the first is never answered; the second was sent 200 ms later.
    let number = 0;
    const { parts } = runStage(
      stage({ depth: 2, operationTimeoutMs: 400, end: { kind: 'duration', durationMs: 450 } }),
      {
        latencyMs: () => [null, 200, null, 10][Math.min(number++, 3)] as number | null,
      },
    );
    checkIdentity(parts);
    const { timeouts, aborted } = sums(parts);
    assert.equal(timeouts, 1);
    assert.equal(aborted, 1);
  });

  test('a connection that is cut: what was in flight is aborted, and it goes on after a reconnect', () => {
    const { parts, channels } = runStage(stage({ depth: 4 }), { latencyMs: () => 10 }, (world, all) => {
      world.after(500, () => all[0]?.cut());
    });
    checkIdentity(parts);
    const total = sums(parts);
    assert.equal(total.aborted, 4);
    assert.equal(total.sent, total.ok + total.aborted);
    assert.equal(channels[0]?.opens.length, 2);
    const lastIntervals = parts.slice(6, 9).map((part) => part.rows.reduce((sum, row) => sum + row.ok, 0));
    assert.deepEqual(lastIntervals, [40, 40, 40]);
  });

  test('a target that is away: one attempt at a time, each twice as late, up to a second; by count nothing is lost', () => {
    const end: Stage['end'] = { kind: 'operations', operations: { count: 1_000, scope: 'total' } };
    let awayUntilMs = 0;
    const { parts, channels, failure } = runStage(
      stage({ end }),
      { latencyMs: () => 1, accepts: (_attempt, atMs) => atMs >= awayUntilMs },
      (world, all, _run, startMs) => {
        awayUntilMs = startMs + 5_000;
        world.after(100, () => all[0]?.cut());
      },
    );
    assert.equal(failure, null);
    checkIdentity(parts);
    const total = sums(parts);
    assert.equal(total.sent, 1_000);
    assert.equal(total.ok + total.aborted, 1_000);
    const opens = channels[0]?.opens.slice(1) ?? [];
    const gaps = opens.slice(1).map((at, index) => at - (opens[index] as number));
    assert.ok(
      gaps.every((gap, index) => index === 0 || gap >= (gaps[index - 1] as number) - 40),
      gaps.join(' '),
    );
    assert.ok(Math.max(...gaps) <= 1_050 && gaps.length < 15, gaps.join(' '));
  });

  test('by count with a dead target: given up at the limit, with a failure that says how much was left', () => {
    const end: Stage['end'] = { kind: 'operations', operations: { count: 1_000, scope: 'total' } };
    const { parts, failure, elapsedMs } = runStage(
      stage({ end, limitMs: 2_000, drainMs: 100 }),
      { latencyMs: () => 10, accepts: (attempt) => attempt === 1 },
      (world, all) => world.after(500, () => all[0]?.cut()),
    );
    checkIdentity(parts);
    assert.equal(failure?.code, 'DEADLINE_PASSED');
    assert.match(failure?.message ?? '', /2000 ms with 95\d operations still to send/);
    assert.ok(elapsedMs >= 2_000 && elapsedMs <= 2_100);
  });

  test('stop: nothing more is sent, what is in flight comes back', () => {
    const { parts, elapsedMs } = runStage(
      stage({ depth: 2 }),
      { latencyMs: () => 30 },
      (world, _all, run) => {
        world.after(100, () => run.stop());
      },
    );
    checkIdentity(parts);
    assert.deepEqual(sums(parts), { sent: 8, ok: 8, timeouts: 0, aborted: 0 });
    assert.equal(elapsedMs, 120);
  });

  test('stop with a target that hangs: over after the drain limit', () => {
    const { parts, elapsedMs } = runStage(
      stage({ depth: 2, drainMs: 300 }),
      { latencyMs: () => null },
      (world, _all, run) => world.after(100, () => run.stop()),
    );
    assert.deepEqual(sums(parts), { sent: 2, ok: 0, timeouts: 0, aborted: 2 });
    assert.equal(elapsedMs, 400);
  });

  test('a refused connection fails the arming with what the driver said', () => {
    const { failure, parts } = runStage(stage({ connections: 3 }), { accepts: () => false });
    assert.equal(failure?.code, 'TARGET_UNREACHABLE');
    assert.deepEqual(parts, []);
  });

  test('a thousand connections are not opened in one burst', () => {
    const opening = { now: 0, most: 0 };
    const { failure } = runStage(stage({ connections: 1_000, end: { kind: 'duration', durationMs: 10 } }), {
      latencyMs: () => 1,
      accepts: (_attempt, atMs) => {
        // Each attempt takes 1 ms: those that began in the last millisecond are under way.
        if (atMs !== opening.now) Object.assign(opening, { now: atMs, count: 0 });
        const count = ((opening as { count?: number }).count ?? 0) + 1;
        Object.assign(opening, { count, most: Math.max(opening.most, count) });
        return true;
      },
    });
    assert.equal(failure, null);
    assert.ok(opening.most <= 64, `${opening.most} at once`);
  });

  test('connections without a key have nothing to do, and the stage still lasts its time', () => {
    const of = stage({ connections: 3 });
    const [workload] = of.workloads;
    assert.ok(workload !== undefined);
    const keys = { ...workload.keys, maximum: 0, distribution: { kind: 'partitioned' as const } };
    const { parts, elapsedMs } = runStage(
      { ...of, workloads: [{ ...workload, keys }] },
      { latencyMs: () => 10 },
    );
    assert.deepEqual(sums(parts), { sent: 100, ok: 100, timeouts: 0, aborted: 0 });
    assert.equal(elapsedMs, 1_000);
  });
});
