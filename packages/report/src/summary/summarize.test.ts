import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodeFrame } from '@pacecar/protocol';
import fc from 'fast-check';
import { renderJson } from '../json.js';
import {
  changed,
  frameOf,
  measureStage,
  type SampleRow,
  sampleBundle,
  samplePlan,
} from '../sample-run.test.data.js';
import { type Latency, type StageSummary, type Summary, SummarySchema } from './schema.js';
import { summarize } from './summarize.js';

const get = (ok: SampleRow['ok'], more: Partial<SampleRow> = {}): SampleRow => ({
  operation: 'get',
  ...(ok === undefined ? {} : { ok }),
  ...more,
});
const put = (ok: SampleRow['ok'], more: Partial<SampleRow> = {}): SampleRow => ({
  ...get(ok, more),
  operation: 'put',
});

function only(summary: Summary): StageSummary {
  const stage = summary.cells[0]?.stages[0];
  assert.ok(stage);
  return stage;
}

/** Within the 0.1 % of three significant digits. */
function near(actual: number | null, expected: number): void {
  assert.ok(actual !== null && Math.abs(actual - expected) <= expected * 0.001, `${actual}, not ${expected}`);
}

describe('merging over workers', () => {
  const merged = summarize(
    sampleBundle(samplePlan(2), [
      {
        stage: 0,
        workers: [
          { frames: [[get([[1_000_000, 5_000]])]] },
          {
            frames: [
              [
                get([
                  [10_000_000, 4_500],
                  [500_000_000, 500],
                ]),
              ],
            ],
          },
        ],
      },
    ]),
  );
  const { service } = only(merged).total;

  test('percentiles are those of all operations, never averages of percentiles', () => {
    assert.equal(service.count, 10_000);
    near(service.p50Ns, 1_000_000);
    near(service.p90Ns, 10_000_000);
    near(service.p99Ns, 500_000_000);
    assert.equal(service.maxNs, 500_000_000);
  });
  test('the mean is exact', () => assert.equal(service.meanNs, 30_000_000));
  test('each worker keeps its own figures', () => {
    const [a, b] = only(merged).workers;
    near(a?.total.service.p99Ns ?? null, 1_000_000);
    near(b?.total.service.p50Ns ?? null, 10_000_000);
    assert.equal(a?.complete, true);
  });
  test('an operation of the plan that never ran gives null, not NaN or zero', () => {
    const row = only(merged).rows.find(({ operation }) => operation === 'put');
    assert.deepEqual(row?.service, {
      count: 0,
      minNs: null,
      meanNs: null,
      p50Ns: null,
      p90Ns: null,
      p99Ns: null,
      p999Ns: null,
      p9999Ns: null,
      maxNs: null,
      saturated: 0,
    });
    assert.equal(row?.response, null);
    assert.equal(row?.failed, null);
    assert.deepEqual(row?.spectrum, []);
    assert.equal(row?.sent, 0);
    assert.equal(row?.hits, null);
  });
  test('an operation that can miss but never ran has no hit ratio', () => {
    const summary = summarize(
      sampleBundle(samplePlan(1), [{ stage: 0, workers: [{ frames: [[put([[1_000, 5]])]] }] }]),
    );
    const row = only(summary).rows.find(({ operation }) => operation === 'get');
    assert.equal(row?.hits, 0);
    assert.equal(row?.hitRatio, null);
  });
  test('the summary follows its published schema', () => {
    assert.deepEqual(SummarySchema.parse(JSON.parse(renderJson(merged))), merged);
  });
});

describe('rates', () => {
  test('are operations that were ok by true elapsed time, not by planned time', () => {
    const summary = summarize(
      sampleBundle(samplePlan(2), [
        {
          stage: 0,
          workers: [
            { frames: [[get([[1_000, 900]], { errors: { OOM: 100 } })]], elapsedNs: 1_000_000_000 },
            { frames: [[get([[1_000, 1_000]])]], elapsedNs: 2_500_000_000 },
          ],
        },
      ]),
    );
    const stage = only(summary);
    assert.equal(stage.elapsedMs, 2_500);
    assert.equal(stage.total.throughputPerSec, 1_900 / 2.5);
    assert.equal(stage.workers[0]?.total.throughputPerSec, 900);
  });
  test('without elapsed time there is none', () => {
    const bundle = sampleBundle(samplePlan(1), [{ stage: 0, workers: [{ frames: [[]], elapsedNs: 0 }] }]);
    assert.equal(only(summarize(bundle)).total.throughputPerSec, null);
  });
});

describe('timeline', () => {
  const bundle = sampleBundle(samplePlan(2), [
    {
      stage: 0,
      workers: [
        { frames: [[get([[1_000, 10]])], [get([[2_000, 20]]), put([[9_000, 1]])]] },
        { frames: [[get([[4_000, 30]])], [get([[8_000, 40]], { timeouts: 2 })]] },
      ],
    },
  ]);
  const { timeline } = only(summarize(bundle));

  test('merges the workers by interval, for each operation and in total', () => {
    assert.deepEqual(
      timeline.total.map(({ interval, sent, ok, failures, p50Ns, maxNs }) => ({
        interval,
        sent,
        ok,
        failures,
        p50Ns,
        maxNs,
      })),
      [
        { interval: 0, sent: 40, ok: 40, failures: 0, p50Ns: 4_000, maxNs: 4_000 },
        { interval: 1, sent: 63, ok: 61, failures: 2, p50Ns: 8_003, maxNs: 9_000 },
      ],
    );
    const puts = timeline.rows.find(({ operation }) => operation === 'put');
    assert.deepEqual(
      puts?.points.map(({ ok, p50Ns }) => [ok, p50Ns]),
      [
        [0, null],
        [1, 9_000],
      ],
    );
  });
  test('adds up to the totals of the stage', () => {
    const { total } = only(summarize(bundle));
    assert.equal(
      timeline.total.reduce((sum, point) => sum + point.ok, 0),
      total.ok,
    );
  });
  test('a stage with more intervals than a summary holds merges neighbours exactly', () => {
    const bytes = [0, 9_000, 20_000].map((interval, sequence) =>
      encodeFrame(
        frameOf({ worker: 0, stage: 0, sequence }, [get([[1_000 * (sequence + 1), 5]])], {
          interval,
          startNs: interval * 1e9,
          endNs: (interval + 1) * 1e9,
        }),
      ),
    );
    const folded = only(summarize(changed(bundle, { bytes }))).timeline;
    assert.equal(folded.intervalsPerPoint, 4);
    assert.equal(folded.intervalMs, 4_000);
    assert.deepEqual(
      folded.total.map(({ interval, ok, maxNs }) => [interval, ok, maxNs]),
      [
        [0, 5, 1_000],
        [9_000, 5, 2_000],
        [20_000, 5, 3_000],
      ],
    );
  });
});

describe('start skew', () => {
  test('is the spread of the first operations with the clock error of the two extreme workers', () => {
    const summary = summarize(
      sampleBundle(samplePlan(3), [
        {
          stage: 0,
          workers: [
            { frames: [[get([[1_000, 1]])]], firstOperationNs: 5_000_000, clockErrorMs: 1 },
            { frames: [[get([[1_000, 1]])]], firstOperationNs: 1_000_000, clockErrorMs: 0.25 },
            { frames: [[get([[1_000, 1]])]], firstOperationNs: 9_000_000, clockErrorMs: 0.5 },
          ],
        },
      ]),
    );
    const { spreadMs, errorBoundMs, perWorker } = only(summary).startSkew;
    assert.equal(spreadMs, 8);
    assert.equal(errorBoundMs, 0.75);
    assert.deepEqual(perWorker[0], { worker: 0, firstOperationMs: 5, clockErrorMs: 1 });
  });
  test('of a stage that never began is unknown', () => {
    const bundle = sampleBundle(samplePlan(1), [{ stage: 0, workers: [{ frames: [[]] }] }]);
    assert.equal(only(summarize(changed(bundle, { bytes: [] }))).startSkew.spreadMs, null);
  });
});

describe('what does not count', () => {
  const plan = samplePlan(1, {
    cells: [
      {
        index: 0,
        configuration: 'redis7',
        repetition: 0,
        coordinates: {},
        stages: [{ ...measureStage, name: 'warm-up', kind: 'warm-up' }, measureStage],
      },
    ],
  });
  const bundle = sampleBundle(plan, [
    { stage: 0, workers: [{ frames: [[get([[50_000_000, 700]], { errors: { LOADING: 3 } })]] }] },
    { stage: 1, workers: [{ frames: [[get([[1_000, 5]])]] }] },
  ]);

  test('a warm-up enters no result, is listed as not measured, and its failures are told', () => {
    const summary = summarize(bundle);
    assert.deepEqual(
      summary.cells[0]?.stages.map((stage) => stage.name),
      ['measure'],
    );
    const [warmUp] = summary.cells[0]?.unmeasured ?? [];
    assert.equal(warmUp?.name, 'warm-up');
    assert.equal(warmUp?.sent, 703);
    assert.equal(warmUp?.failures, 3);
    assert.match(summary.notes.join('\n'), /warm-up \(not measured\): 3 operations of 703 operations failed/);
  });
  test('nor do frames of a warm-up that stand in the record', () => {
    const bytes = [
      ...bundle.frames(),
      encodeFrame(frameOf({ worker: 0, stage: 0, sequence: 0 }, [get([[9, 9]])])),
    ];
    const summary = summarize(changed(bundle, { bytes }));
    assert.equal(only(summary).total.ok, 5);
    assert.equal(summary.verdict.status, 'VALID');
  });
});

/** Rows of any shape. */
const anyRow = fc.record({
  operation: fc.constantFrom('get', 'put'),
  ok: fc.array(fc.tuple(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 1, max: 1_000_000 })), {
    maxLength: 6,
  }),
  errors: fc.dictionary(fc.constantFrom('OOM', 'WRONGTYPE', 'ERR'), fc.integer({ min: 1, max: 50 })),
  timeouts: fc.nat(5),
  aborted: fc.nat(5),
});
const anyFrames = fc.array(fc.uniqueArray(anyRow, { maxLength: 2, selector: (row) => row.operation }), {
  minLength: 1,
  maxLength: 5,
});
const anyBundle = fc
  .array(anyFrames, { minLength: 1, maxLength: 4 })
  .map((workers) =>
    sampleBundle(samplePlan(workers.length), [{ stage: 0, workers: workers.map((frames) => ({ frames })) }]),
  );

describe('properties', () => {
  test('the order of frames changes nothing', () => {
    fc.assert(
      fc.property(anyBundle, fc.infiniteStream(fc.nat()), (bundle, order) => {
        const shuffled = bundle.bytes
          .map((bytes) => ({ bytes, at: order.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ bytes }) => bytes);
        assert.deepEqual(summarize(changed(bundle, { bytes: shuffled })), summarize(bundle));
      }),
      { numRuns: 60 },
    );
  });
  test('a frame that stands twice counts once', () => {
    fc.assert(
      fc.property(anyBundle, fc.nat(), (bundle, pick) => {
        const twice = bundle.bytes[pick % bundle.bytes.length] as Uint8Array;
        const summary = summarize(changed(bundle, { bytes: [...bundle.bytes, twice] }));
        const once = summarize(bundle);
        assert.deepEqual(summary.cells, once.cells);
        assert.deepEqual(summary.verdict, once.verdict);
        assert.match(summary.notes.join('\n'), /^1 frame came more than once and counted once/);
      }),
      { numRuns: 40 },
    );
  });
  test('minimum <= p50 <= p90 <= ... <= maximum, and nothing is lost', () => {
    fc.assert(
      fc.property(anyBundle, (bundle) => {
        const stage = only(summarize(bundle));
        for (const row of [stage.total, ...stage.rows, ...stage.workers.map((worker) => worker.total)]) {
          assertRising(row.service);
          assert.equal(row.service.count, row.ok);
          assert.equal(row.sent, row.ok + row.errorCount + row.timeouts + row.aborted);
        }
        assert.equal(
          stage.total.ok,
          stage.workers.reduce((sum, worker) => sum + worker.total.ok, 0),
        );
        assert.equal(
          stage.total.sent,
          stage.timeline.total.reduce((sum, point) => sum + point.sent, 0),
        );
      }),
      { numRuns: 100 },
    );
  });
  test('the curve of percentiles rises, from within the data to the exact maximum', () => {
    fc.assert(
      fc.property(anyBundle, (bundle) => {
        const { spectrum, service } = only(summarize(bundle)).total;
        let before = 0;
        for (const { latencyNs } of spectrum) {
          assert.ok(latencyNs >= before);
          before = latencyNs;
        }
        if (service.count > 0) assert.equal(before, service.maxNs);
      }),
      { numRuns: 60 },
    );
  });
});

function assertRising(latency: Latency): void {
  const { minNs, p50Ns, p90Ns, p99Ns, p999Ns, p9999Ns, maxNs, meanNs } = latency;
  const values = [minNs, p50Ns, p90Ns, p99Ns, p999Ns, p9999Ns, maxNs];
  if (latency.count === 0) {
    for (const value of [...values, meanNs]) assert.equal(value, null);
    return;
  }
  for (let i = 1; i < values.length; i++) assert.ok((values[i - 1] ?? 0) <= (values[i] ?? 0), String(values));
  assert.ok((meanNs ?? -1) >= (minNs ?? 0) && (meanNs ?? 0) <= (maxNs ?? 0));
}
