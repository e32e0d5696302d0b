import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BytesInvalid, type Event, type Frame, NO_COUNTERS, Recorder } from '@pacecar/protocol';
import { LiveIntervals } from './live-intervals.js';

const AT = { atMs: 0, wallTime: '2026-01-01T00:00:00Z' };
const SECOND_NS = 1e9;

function arming(workers: number[], stage = 0): Event {
  return { ...AT, type: 'stage-arming', cell: 0, stage, workers };
}

function frame(
  worker: number,
  interval: number,
  latencyNs: number,
  ok: number,
  more: Partial<Frame> = {},
): Frame {
  const recorder = new Recorder();
  if (ok > 0) recorder.record(latencyNs, ok);
  return {
    epoch: 1,
    worker,
    cell: 0,
    stage: 0,
    sequence: interval,
    interval,
    startNs: interval * SECOND_NS,
    endNs: (interval + 1) * SECOND_NS,
    firstOperationNs: null,
    rows: [
      {
        ...NO_COUNTERS,
        workload: 'main',
        operation: 'get',
        sent: ok,
        ok,
        inFlight: 0,
        service: recorder.encode(),
        response: new Recorder().encode(),
        failed: new Recorder().encode(),
      },
    ],
    threads: [],
    cpuUserUs: 0,
    cpuSystemUs: 0,
    residentBytes: 0,
    ...more,
  };
}

test('an interval is shown once every worker has delivered it, merged', () => {
  const live = new LiveIntervals(1_000);
  live.event(arming([0, 1]));
  live.frame(frame(0, 0, 1_000, 990));
  assert.equal(live.figures().operationsPerSec, 0, 'worker 1 is awaited');
  assert.equal(live.figures().operations, 990, 'totals count at once');
  live.frame(frame(1, 0, 2_000, 10));
  const figures = live.figures();
  assert.equal(figures.operationsPerSec, 1_000);
  assert.equal(figures.p50Ns, 1_000);
  assert.equal(figures.p99Ns, 1_000);
  live.frame(frame(0, 1, 1_000, 989));
  live.frame(frame(1, 1, 2_000, 11));
  assert.equal(live.figures().p99Ns, 2_000, '11 of 1000 are above the 99th percentile');
});

test('a lost, a drained and a silent worker hold the display up by no more than a few intervals', () => {
  const live = new LiveIntervals(1_000);
  live.event(arming([0, 1, 2]));
  live.event({ ...AT, type: 'worker-lost', worker: 1, name: 'b', reason: 'gone' });
  live.event({
    ...AT,
    type: 'worker-drained',
    cell: 0,
    stage: 0,
    worker: 2,
    lastSequence: -1,
    elapsedNs: 0,
    totals: [],
  });
  live.frame(frame(0, 0, 1_000, 5));
  assert.equal(live.figures().operationsPerSec, 5);
  live.event(arming([0, 1], 1));
  assert.equal(live.figures().operationsPerSec, 0, 'a new stage begins with nothing');
  for (let interval = 0; interval < 5; interval++)
    live.frame(frame(0, interval, 1_000, 7 + interval, { stage: 1 }));
  assert.equal(
    live.figures().operationsPerSec,
    8,
    'worker 1 is 4 intervals behind: interval 1 is shown without it',
  );
});

test('late frames stand in the totals; errors are counted', () => {
  const live = new LiveIntervals(1_000);
  live.event(arming([0]));
  live.frame(frame(0, 5, 1_000, 10));
  assert.equal(live.figures().operationsPerSec, 10);
  const late = frame(0, 4, 1_000, 3);
  const row = late.rows[0];
  assert.ok(row !== undefined);
  live.frame({ ...late, rows: [{ ...row, errors: { WRONGTYPE: 2 }, timeouts: 1, aborted: 1 }] });
  assert.deepEqual(
    { ...live.figures(), p50Ns: 0, p99Ns: 0 },
    { operationsPerSec: 10, p50Ns: 0, p99Ns: 0, operations: 17, errors: 4 },
  );
});

test('a sliver at the end of a stage does not replace what is shown', () => {
  const live = new LiveIntervals(1_000);
  live.event(arming([0]));
  live.frame(frame(0, 0, 1_000, 100));
  live.figures();
  live.frame(frame(0, 1, 1_000, 1, { startNs: SECOND_NS, endNs: SECOND_NS + 1e6 }));
  assert.equal(live.figures().operationsPerSec, 100);
});

test('a damaged histogram throws and counts nothing', () => {
  const live = new LiveIntervals(1_000);
  live.event(arming([0]));
  const good = frame(0, 0, 1_000, 10);
  const row = good.rows[0];
  assert.ok(row !== undefined);
  for (const place of ['service', 'response', 'failed'] as const) {
    const damaged = { ...row, [place]: Uint8Array.of(5, 1) };
    assert.throws(() => live.frame({ ...good, rows: [row, damaged] }), BytesInvalid, place);
  }
  assert.equal(live.figures().operations, 0);
});

test('wild interval numbers do not fill the memory', () => {
  const live = new LiveIntervals(1_000);
  live.event(arming([0, 1]));
  for (let i = 0; i < 200; i++)
    live.frame(frame(0, i * 1_000_003, 1_000, 1, { startNs: 0, endNs: SECOND_NS }));
  assert.equal(live.figures().operations, 200);
});

test('of stages beside each other the one armed last is shown; what the other does counts in the totals only', () => {
  const live = new LiveIntervals(1_000);
  live.event(arming([0, 1], 0));
  live.event(arming([0, 1], 1));
  live.frame(frame(0, 0, 1_000, 5, { stage: 1 }));
  live.frame(frame(1, 0, 1_000, 6, { stage: 1 }));
  live.frame(frame(1, 0, 9_000, 700));
  // The end of the other stage is not the end of the one that is shown: its worker 1 is still awaited.
  live.event({
    ...AT,
    ...{ type: 'worker-drained', cell: 0, stage: 0, worker: 1, lastSequence: 0, elapsedNs: 1, totals: [] },
  });
  live.frame(frame(0, 1, 1_000, 8, { stage: 1 }));
  const figures = live.figures();
  assert.equal(figures.operationsPerSec, 11);
  assert.equal(figures.operations, 719);
});
