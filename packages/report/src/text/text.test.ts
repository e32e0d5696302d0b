import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { measureStage, type SampleRow, sampleBundle, samplePlan } from '../sample-run.test.data.js';
import { summarize } from '../summary/summarize.js';
import { renderText } from './text.js';
import { displayWidth } from './width.js';

const plain = { columns: 100, color: false, perWorker: false };
const slow: SampleRow = {
  operation: 'get',
  ok: [
    [10_000_000, 4_500],
    [500_000_000, 500],
  ],
};
const merged = summarize(
  sampleBundle(samplePlan(2), [
    {
      stage: 0,
      workers: [{ frames: [[{ operation: 'get', ok: [[1_000_000, 5_000]] }]] }, { frames: [[slow]] }],
    },
  ]),
);
const failing = summarize(
  sampleBundle(samplePlan(1), [
    {
      stage: 0,
      workers: [
        { frames: [[{ operation: 'get', ok: [[1_000, 97]], misses: 2, errors: { OOM: 2 }, timeouts: 1 }]] },
      ],
    },
  ]),
);

test('the whole report at 100 columns', () => {
  assert.equal(
    renderText(merged, plain),
    `VALID  2 of 2 workers, 10,000 operations counted once, none failed

  run      quickstart, 2026-01-31 12:00:00 UTC, 610 ms in all
  workers  2 of 2 joined, on 2 hosts
  target   redis7: Redis 7.0.15, standalone at 127.0.0.1:6379
  driver   resp 0.1.0, class wire: speaks the protocol itself

measure  1.00 s, complete, 2 of 2 workers
  op       sent  failed  hits  ops/s    mean     p50     p90    p99  p99.9  p99.99    max
  get    10,000       0  100%  10.0k  30.0ms  1.00ms  10.0ms  500ms  500ms   500ms  500ms
  put         0       0     -      0       -       -       -      -      -       -      -
  total  10,000       0  100%  10.0k  30.0ms  1.00ms  10.0ms  500ms  500ms   500ms  500ms
  load     closed model, 20 connections = 2 workers x 10, depth 1: at most 20 in flight
  threads  2 threads = 2 workers x 1
  observed 20 connections at first, 0 in flight at most and 0 on average at the ends of 1 interval
  network  391 KiB/s sent, 1.05 MiB/s received
  law      Little's law n/a: it takes 5 whole intervals after the first, and there are 0
  start    first operations 0.200 ms apart (+/- 0.100 ms by the clocks)

checked
  holds  2 of 2 workers from start to end
  holds  every stage of the run ran to its end
  holds  nothing lost in counting: sent 10,000 = ok 10,000 + errors 0 + timeouts 0 + aborted 0
  holds  all 2 frames of statistics stand in the record, each counted once
  holds  operations succeeded in the one whole interval
  holds  0 of 10,000 operations failed: 0 %, budget 0 %
  holds  0 of 10,000 reads missed: 0 %, budget 0 %
  holds  the workers started within 0.200 ms (+/- 0.100 ms), limit 250 ms

notes
  -  Closed model: a new operation starts when one ends, so latencies are service times (sent to
     answered). Response times, which include the wait of operations that would have been due,
     cannot be known: a stall of the target delays the next operations instead of being counted
     against them (no correction for coordinated omission).
  -  Ceiling of clients-1, clients-2 unknown: there is no calibration. To learn whether a generator
     is the limit, run pacecar calibrate on its machine.
`,
  );
});

test('at 80 columns tables are split and no line is longer', () => {
  const text = renderText(merged, { ...plain, columns: 80 });
  for (const line of text.split('\n')) assert.ok(displayWidth(line) <= 80, line);
  assert.match(text, /op +sent +failed +hits +ops\/s\n/);
});

test('a table of every worker on demand', () => {
  const text = renderText(merged, { ...plain, perWorker: true });
  assert.match(text, /worker +host +sent +failed +ops\/s +time +p50 +p99 +max +started +loop +CPU\n/);
  assert.match(
    text,
    /clients-2 +host-2 +5,000 +0 +5\.00k +1\.00s +10\.0ms +500ms +500ms +\+0\.400ms +50% +50%\n/,
  );
});

describe('errors cannot be overlooked', () => {
  const text = renderText(failing, plain);
  test('the first line says them', () => {
    assert.match(
      text,
      /^DEGRADED {2}3 operations of 100 failed in measure \(OOM 2, timeouts 1\): 3 %, budget 0 %\n/,
    );
  });
  test('misses over budget stand below it', () => {
    assert.match(text, /\n {2}DEGRADED {2}2 reads of 97 missed in measure/);
  });
  test('the table counts them, and a line names their kinds and how long they took', () => {
    assert.match(text, /\n {2}get +100 +3 +97\.9% /);
    assert.match(
      text,
      /! FAILED get: 3 of 100 \(3 %\): OOM 2, timeouts 1; they took p50 2\.00 ms, max 1\.00 s\n/,
    );
  });
  test('in colour they are red', () => {
    assert.ok(renderText(failing, { ...plain, color: true }).includes('\u001b[1;31mFAILED get: 3 of 100'));
  });
});

test('the class of the driver and the limits of the closed model are always said', () => {
  const text = renderText(merged, plain);
  assert.match(text, /driver +resp 0\.1\.0, class wire/);
  assert.match(text, /Closed model: .* cannot be known/s);
});

test('names that hold escapes reach the terminal as text', () => {
  const stages = [{ ...measureStage, name: 'x\u009b2Jy' }];
  const plan = samplePlan(1, {
    name: '<script>',
    cells: [
      { index: 0, configuration: 'redis7', repetition: 0, coordinates: { 'a\u001b[31m': 'b\u0007' }, stages },
    ],
  });
  const text = renderText(summarize(sampleBundle(plan, [{ stage: 0, workers: [{ frames: [[slow]] }] }])), {
    ...plain,
    perWorker: true,
  });
  assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
  assert.ok(text.includes('x\\u009b2Jy'));
});

describe('several cells', () => {
  const cells = ['redis7', 'valkey8'].flatMap((configuration, side) =>
    [100, 1_000].map((size, position) => ({
      index: side * 2 + position,
      configuration,
      repetition: 0,
      coordinates: { size },
      stages: [measureStage],
    })),
  );
  const base = samplePlan(1);
  const plan = {
    ...base,
    cells,
    configurations: cells.map(({ configuration }) => ({
      ...(base.configurations[0] as (typeof base.configurations)[number]),
      name: configuration,
    })),
  };
  const summary = summarize(
    sampleBundle(
      plan,
      cells.map((cell) => ({ cell: cell.index, stage: 0, workers: [{ frames: [[slow]] }] })),
    ),
  );
  test('are compared by their coordinates', () => {
    const text = renderText(summary, plain);
    assert.match(text, /cell +configuration +size +op +ops\/s +failed +p50 +p99 +p99\.9 +max\n/);
    assert.match(text, /#4 +valkey8 +1000 +get +5\.00k +0 +10\.0ms +500ms +500ms +500ms\n/);
    assert.match(text, /4 of 4 cells complete/);
  });
  test('are named apart from their figures where there is no room beside them', () => {
    const text = renderText(summary, { ...plain, columns: 60 });
    assert.match(text, /#4 +valkey8, size=1000\n/);
    assert.match(text, /cell +op +ops\/s +failed/);
  });
});

test('a run in which nothing happened still renders', () => {
  const bundle = sampleBundle(samplePlan(1), []);
  const text = renderText(summarize({ ...bundle, events: [] }), plain);
  assert.match(text, /^INVALID \(interrupted\) /);
  assert.doesNotMatch(text, /NaN|undefined|Infinity|null/);
});
