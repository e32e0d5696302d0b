import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Frame, type FrameRow, NO_COUNTERS } from '../frame.js';
import type { Search, Stage } from '../plan.js';
import { Recorder } from '../recorder.js';
import { COORDINATOR_EXAMPLES } from '../reference/examples.js';
import { ProbeTally } from './probe-tally.js';

const { spec } = COORDINATOR_EXAMPLES.arm;
const [workload] = spec.workloads as [(typeof spec.workloads)[number]];
const SEARCH: Search = {
  workload: 'main',
  objectives: [{ text: 'get.p99 < 5ms', operation: 'get', metric: 'p99', comparison: '<', threshold: 5e6 }],
  minimumPerSec: 100,
  maximumPerSec: 100_000,
  settleMs: 1_500,
  growth: 2,
  precision: 0.02,
  confirmations: { needed: 2, of: 3 },
  mostProbes: 40,
};

/** 1000/s for 4 s, on two workers with 50 connections each: intervals 2 and 3 are judged. */
function stageAt(ratePerSec: number, arrivals: 'constant' | 'poisson' = 'constant'): Stage {
  const model = {
    kind: 'open',
    rate: { kind: 'constant', ratePerSec },
    arrivals,
    lateAfterMs: 10,
    dropAfterMs: null,
  } as const;
  const poller = { ...workload, name: 'poller', model: { ...model, rate: { ...model.rate, ratePerSec: 1 } } };
  return {
    ...spec,
    end: { kind: 'duration', durationMs: 4_000 },
    workloads: [{ ...workload, model }, poller],
  };
}

function times(latencyNs: number, count: number): Uint8Array {
  const recorder = new Recorder();
  if (count > 0) recorder.record(latencyNs, count);
  return recorder.encode();
}

function row(count: number, latencyNs: number, changes: Partial<FrameRow> = {}): FrameRow {
  const histogram = times(latencyNs, count);
  return {
    ...NO_COUNTERS,
    workload: 'main',
    operation: 'get',
    sent: count,
    ok: count,
    hits: count,
    inFlight: 0,
    service: times(1_000, count),
    response: histogram,
    failed: times(0, 0),
    ...changes,
  };
}

function frame(worker: number, interval: number, rows: readonly FrameRow[], utilisation = 0.2): Frame {
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
    rows,
    threads: [
      { utilisation: 0.1, delayNs: 0 },
      { utilisation, delayNs: 0 },
    ],
    cpuUserUs: 0,
    cpuSystemUs: 0,
    residentBytes: 0,
  };
}

/** Two workers at 500/s each, in 4 intervals and a drain; changes for a worker's interval. */
function judge(
  change: (worker: number, interval: number) => readonly FrameRow[] | null = () => null,
  { utilisation = 0.2, stage = stageAt(1_000), search = SEARCH } = {},
) {
  const tally = new ProbeTally({ stage, search, intervalMs: 1_000, errorBudget: 0.001, workers: 2 });
  for (const worker of [1, 0])
    for (const interval of [0, 1, 2, 3, 4]) {
      const usual = interval === 4 ? [] : [row(500, 1e6)];
      tally.add(frame(worker, interval, change(worker, interval) ?? usual, utilisation));
    }
  return tally.judge();
}

describe('a probe is judged', () => {
  test('by the whole intervals after it has settled, over all workers', () => {
    const judgement = judge();
    assert.equal(judgement.held, true);
    assert.equal(judgement.windowMs, 2_000);
    assert.equal(judgement.due, 2_000);
    assert.equal(judgement.sent, 2_000);
    assert.deepEqual(
      judgement.objectives.map(({ met }) => met),
      [true],
    );
    assert.equal(judgement.utilisation, 0.2);
    assert.equal(judgement.limit, null);
  });

  test('not by what was slow before it had settled', () => {
    assert.equal(judge((_, interval) => (interval < 2 ? [row(500, 50e6)] : null)).held, true);
  });

  test('by response times, not by service times', () => {
    const { faults, p99Ns } = judge((worker, interval) =>
      worker === 0 && interval === 3 ? [row(500, 50e6)] : null,
    );
    assert.deepEqual(faults, ['objective']);
    assert.ok((p99Ns ?? 0) >= 50e6);
  });

  test('also by what was due in time and was answered in the drain', () => {
    const { faults } = judge((_, interval) => (interval === 4 ? [row(50, 900e6)] : null));
    assert.deepEqual(faults, ['objective']);
  });

  test('by what was sent: 1 % less than asked is let pass, more is not', () => {
    const sending = (count: number) => judge((_, interval) => (interval === 3 ? [row(count, 1e6)] : null));
    assert.equal(sending(491).held, true);
    assert.deepEqual(sending(480).faults, ['rate']);
  });

  test('with room for chance where arrivals are random', () => {
    const stage = stageAt(1_000, 'poisson');
    const sending = (count: number) =>
      judge((_, interval) => (interval === 3 ? [row(count, 1e6)] : null), { stage });
    assert.equal(sending(420).held, true);
    assert.deepEqual(sending(390).faults, ['rate']);
  });

  test('by drops: in mid-probe none, at its end as few as the rate may be off', () => {
    const dropping = (at: number, dropped: number) =>
      judge((worker, interval) => (worker === 0 && interval === at ? [row(500, 1e6, { dropped })] : null))
        .faults;
    assert.deepEqual(dropping(3, 1), ['dropped']);
    assert.deepEqual(dropping(1, 1), []);
    const atEnd = (dropped: number) =>
      judge((worker, interval) => (worker === 0 && interval === 4 ? [row(0, 0, { dropped })] : null)).faults;
    assert.deepEqual(atEnd(20), []);
    assert.deepEqual(atEnd(21), ['dropped']);
  });

  test('by lateness: up to 1 % of what was sent', () => {
    const late = (count: number) =>
      judge((worker, interval) => (worker === 0 && interval === 2 ? [row(500, 1e6, { late: count })] : null))
        .faults;
    assert.deepEqual(late(20), []);
    assert.deepEqual(late(21), ['late']);
  });

  test('by failures, against the budget', () => {
    const failing = row(500, 1e6, { errors: { OOM: 3 }, sent: 503 });
    const { faults, failed } = judge((worker, interval) =>
      worker === 0 && interval === 2 ? [failing] : null,
    );
    assert.equal(failed, 3);
    assert.deepEqual(faults, ['errors']);
  });

  test('by nothing at all: that holds no objective', () => {
    assert.deepEqual(judge(() => []).faults, ['nothing', 'objective', 'rate']);
  });

  test('by the searched workload, whatever one beside it does', () => {
    const poller = row(1, 1e6, { workload: 'poller', dropped: 5, late: 5 });
    assert.equal(judge((_, interval) => (interval < 4 ? [row(500, 1e6), poller] : null)).held, true);
  });

  test('by a throughput of what was answered in the window', () => {
    const objective = {
      text: 'total.throughput >= 1000/s',
      operation: 'total',
      metric: 'throughput',
    } as const;
    const search = { ...SEARCH, objectives: [{ ...objective, comparison: '>=', threshold: 1_000 } as const] };
    assert.equal(judge(undefined, { search }).objectives[0]?.actual, 1_000);
    const drained = judge((_, interval) => (interval === 4 ? [row(50, 1e6)] : null), { search });
    assert.equal(drained.objectives[0]?.actual, 1_000);
  });
});

describe('what held the rate down', () => {
  const short = (_: number, interval: number) => (interval === 3 ? [row(300, 1e6, { inFlight: 50 })] : null);
  const full = (_: number, interval: number) => (interval < 4 ? [row(300, 1e6, { inFlight: 50 })] : null);

  test('what may be in flight, when all of it was', () => {
    assert.equal(judge(full).limit, 'in-flight');
    assert.equal(judge(full).inFlight, 1);
  });

  test('the generator, when a thread of it had no time left, though its connections were full as well', () => {
    assert.equal(judge(full, { utilisation: 0.97 }).limit, 'generator');
  });

  test('the generator, when what was late had room in time and was not sent', () => {
    const late = (own: number, ofLate: number) => {
      const changes = { late: ofLate, pacing: times(20e6, own), inFlight: 50 };
      return judge((_, interval) => (interval < 4 ? [row(500, 1e6, changes)] : null));
    };
    assert.equal(late(20, 30).limit, 'pacing');
    assert.equal(late(20, 41).limit, 'in-flight');
    const early = { late: 20, pacing: times(1e6, 500) };
    const { faults, limit } = judge((_, interval) => (interval < 4 ? [row(500, 1e6, early)] : null));
    assert.deepEqual(faults, ['late']);
    assert.equal(limit, null);
  });

  test('nothing that is known, otherwise', () => {
    assert.equal(judge(short).limit, null);
  });
});
