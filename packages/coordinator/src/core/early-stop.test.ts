import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Frame, NO_COUNTERS, type Objective, Recorder, type StopRule } from '@pacecar/protocol';
import { EarlyStop } from './early-stop.js';

const P99: Objective = {
  text: 'get.p99 > 5ms',
  operation: 'get',
  metric: 'p99',
  comparison: '>',
  threshold: 5e6,
};
const SLOW: Objective = {
  text: 'total.throughput < 100/s',
  operation: 'total',
  metric: 'throughput',
  comparison: '<',
  threshold: 100,
};
const RULE: StopRule = { any: [P99], holdMs: 0, fewestOperations: 10, fromMs: 0 };
const LONG = { end: { kind: 'duration', durationMs: 60_000 } } as const;

/** Latency of each interval in ms and count; 100 operations unless said. */
function frame(worker: number, interval: number, latencyMs: number, count = 100): Frame {
  const recorder = new Recorder();
  if (count > 0) recorder.record(latencyMs * 1e6, count);
  const none = new Recorder().encode();
  return {
    epoch: 1,
    worker,
    cell: 0,
    stage: 0,
    sequence: interval,
    interval,
    startNs: interval * 1e9,
    endNs: (interval + 1) * 1e9,
    firstOperationNs: null,
    rows: [
      {
        ...NO_COUNTERS,
        workload: 'main',
        operation: 'get',
        sent: count,
        ok: count,
        hits: count,
        inFlight: 0,
        service: recorder.encode(),
        response: none,
        failed: none,
      },
    ],
    threads: [],
    cpuUserUs: 0,
    cpuSystemUs: 0,
    residentBytes: 0,
  };
}

/** Gives one worker's intervals until the stage ends; the number of the one by which it does, or null. */
function endsAt(rule: StopRule, stage: typeof LONG, intervals: readonly (readonly [number, number?])[]) {
  const stop = new EarlyStop(rule, stage, 1_000);
  for (const [interval, [latencyMs, count]] of intervals.entries()) {
    stop.add(frame(0, interval, latencyMs, count));
    const reason = stop.judge([0]);
    if (reason !== null) return { interval, reason };
  }
  return null;
}

describe('a stage that an objective ends', () => {
  test('ends by the first interval in which it is true', () => {
    const end = endsAt(RULE, LONG, [[1], [2], [9], [9]]);
    assert.equal(end?.interval, 2);
    assert.deepEqual(end?.reason, { objective: P99, actual: 9e6, firstInterval: 2, lastInterval: 2 });
  });

  test('waits until it has been true for long enough without a break', () => {
    const end = endsAt({ ...RULE, holdMs: 3_000 }, LONG, [[9], [9], [1], [9], [9], [9]]);
    assert.equal(end?.interval, 5);
    assert.equal(end?.reason.firstInterval, 3);
  });

  test('judges a slow load by intervals joined together, never by a handful of operations', () => {
    assert.equal(
      endsAt(RULE, LONG, [
        [9, 4],
        [9, 4],
        [9, 4],
      ])?.interval,
      2,
    );
    assert.equal(
      endsAt({ ...RULE, fewestOperations: 1_000 }, LONG, [
        [9, 4],
        [9, 4],
        [9, 4],
      ]),
      null,
    );
  });

  test('a silent interval says nothing of a latency, and all of a throughput', () => {
    assert.equal(endsAt(RULE, LONG, [[1], [1, 0], [1, 0]]), null);
    const end = endsAt({ ...RULE, any: [P99, SLOW] }, LONG, [[1], [1, 0]]);
    assert.equal(end?.reason.objective.text, SLOW.text);
    assert.equal(end?.reason.actual, 0);
  });

  test('leaves out its beginning, where asked to', () => {
    assert.equal(endsAt({ ...RULE, fromMs: 1_500 }, LONG, [[9], [9], [1]]), null);
    assert.equal(endsAt({ ...RULE, fromMs: 1_500 }, LONG, [[1], [1], [9]])?.interval, 2);
  });

  test('is not ended by what its drain looks like', () => {
    const short = { end: { kind: 'duration', durationMs: 2_000 } } as const;
    assert.equal(endsAt({ ...RULE, any: [SLOW] }, short as never, [[1], [1], [1, 3]]), null);
  });
});

describe('over several workers', () => {
  test('an interval counts once all have sent it, merged', () => {
    const stop = new EarlyStop(RULE, LONG, 1_000);
    stop.add(frame(0, 0, 9, 1));
    stop.add(frame(0, 1, 9, 1));
    assert.equal(stop.judge([0, 1]), null);
    stop.add(frame(1, 0, 1, 1_000));
    assert.equal(stop.judge([0, 1]), null, 'p99 over both is 1 ms');
  });

  test('those that are gone or have drained are not waited for', () => {
    const stop = new EarlyStop(RULE, LONG, 1_000);
    stop.add(frame(0, 0, 9));
    assert.equal(stop.judge([0, 1]), null);
    assert.equal(stop.judge([0])?.lastInterval, 0);
  });

  test('with nobody left to stop there is nothing to say', () => {
    const stop = new EarlyStop(RULE, LONG, 1_000);
    stop.add(frame(0, 0, 9));
    assert.equal(stop.judge([]), null);
  });
});
