import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodeFrame, type Event, type Plan } from '@pacecar/protocol';
import { exitCodeOf } from '../exit-code.js';
import {
  changed,
  frameOf,
  measureStage,
  type SampleRow,
  type SampleWorker,
  sampleBundle,
  samplePlan,
} from '../sample-run.test.data.js';
import type { Finding, Level, Summary } from '../summary/schema.js';
import { summarize } from '../summary/summarize.js';
import { renderText } from '../text/text.js';
import { headlineOf } from './headline.js';

const goodRow: SampleRow = { operation: 'get', ok: [[1_000_000, 100]] };
const goodWorker: SampleWorker = { frames: [[goodRow], [goodRow]] };

function run(workers: readonly SampleWorker[], changes: Partial<Plan> = {}) {
  return sampleBundle(samplePlan(workers.length, changes), [{ stage: 0, workers }]);
}

function reasons(summary: Summary, rule: string): Finding[] {
  return summary.verdict.reasons.filter((reason) => reason.rule === rule);
}

function assertFires(summary: Summary, rule: string, level: Level, text: RegExp): Finding {
  const [reason] = reasons(summary, rule);
  assert.ok(
    reason,
    `${rule} is silent; there are: ${summary.verdict.reasons.map((each) => each.text).join(' | ')}`,
  );
  assert.equal(reason.level, level);
  assert.match(reason.text, text);
  assert.notEqual(summary.verdict.status, 'VALID');
  return reason;
}

function without(events: readonly Event[], type: Event['type']): Event[] {
  return events.filter((event) => event.type !== type);
}

const exit = (summary: Summary, strict = false) => exitCodeOf(summary, { strict });

describe('a good run', () => {
  const summary = summarize(run([goodWorker, goodWorker]));
  test('is VALID, exits 0 also when strict, and says what was checked', () => {
    assert.equal(summary.verdict.status, 'VALID');
    assert.deepEqual(summary.verdict.reasons, []);
    assert.equal(exit(summary), 0);
    assert.equal(exit(summary, true), 0);
    assert.deepEqual(
      summary.verdict.evidence.map((finding) => finding.rule),
      [
        'workers',
        'run-complete',
        'conservation',
        'statistics',
        'target-silent',
        'error-budget',
        'miss-budget',
        'start-skew',
      ],
    );
  });
  test('says so in its first line', () => {
    assert.deepEqual(headlineOf(summary), {
      status: 'VALID',
      mark: null,
      text: '2 of 2 workers, 400 operations counted once, none failed',
    });
  });
});

describe('lost workers', () => {
  const lost: SampleWorker = { frames: [[goodRow]], lost: 'no heartbeat for 5.0 s' };
  test('under the policy fail the run is INVALID, names the worker and keeps its frames; exit 3', () => {
    const summary = summarize(run([goodWorker, lost, goodWorker]));
    const reason = assertFires(
      summary,
      'workers',
      'INVALID',
      /^worker clients-2 was lost \(no heartbeat for 5\.0 s\), noticed 1\.01 s into measure, its last statistics go to 1\.00 s; 2 of 3 workers were left$/,
    );
    assert.equal(reason.figures['present'], 2);
    assert.equal(reason.figures['lastFrameEndMs'], 1_000);
    assert.equal(summary.cells[0]?.stages[0]?.workers[1]?.total.ok, 100);
    assert.equal(headlineOf(summary).mark, 'failed');
    assert.equal(exit(summary), 3);
  });
  test('under the policy continue it is DEGRADED with 2 of 3 workers; exit 0, or 1 when strict', () => {
    const summary = summarize(run([goodWorker, lost, goodWorker], { onWorkerLoss: 'continue' }));
    assertFires(summary, 'workers', 'DEGRADED', /the run went on with 2 of 3 workers$/);
    assert.equal(summary.verdict.status, 'DEGRADED');
    assert.deepEqual(summary.cells[0]?.stages[0]?.participants, { complete: 2, of: 3 });
    assert.equal(summary.cells[0]?.stages[0]?.outcome, 'partial');
    assert.equal(exit(summary), 0);
    assert.equal(exit(summary, true), 1);
  });
  test('operations in flight at the loss are no broken conservation', () => {
    const cut: SampleWorker = { frames: [[{ ...goodRow, inFlight: 10 }]], lost: 'gone' };
    const summary = summarize(run([goodWorker, cut], { onWorkerLoss: 'continue' }));
    assert.deepEqual(reasons(summary, 'conservation'), []);
  });
});

describe('runs that did not go to their end', () => {
  const bundle = run([goodWorker, goodWorker]);
  const ended = (
    outcome: 'failed' | 'interrupted',
    code: 'TARGET_UNREACHABLE' | 'INTERRUPTED' | 'TERMINATED',
  ): Event[] =>
    bundle.events.map((event) =>
      event.type === 'run-ended'
        ? { ...event, outcome, code, reason: 'nothing answers at 127.0.0.1:6379' }
        : event,
    );
  test('failed: INVALID with the reason and its code; exit as the code says', () => {
    const summary = summarize(changed(bundle, { events: ended('failed', 'TARGET_UNREACHABLE') }));
    assertFires(summary, 'run-complete', 'INVALID', /TARGET_UNREACHABLE.*nothing answers/);
    assert.equal(exit(summary), 3);
  });
  for (const [code, expected] of [
    ['INTERRUPTED', 130],
    ['TERMINATED', 143],
  ] as const)
    test(`${code}: marked interrupted, not VALID, exit ${expected}`, () => {
      const summary = summarize(changed(bundle, { events: ended('interrupted', code) }));
      assertFires(summary, 'run-complete', 'DEGRADED', /^interrupted/);
      assert.equal(headlineOf(summary).mark, 'interrupted');
      assert.equal(exit(summary), expected);
    });
  test('a record that ends before its run (the coordinator died): INVALID, marked interrupted, exit 3', () => {
    const summary = summarize(changed(bundle, { events: without(bundle.events, 'run-ended') }));
    assertFires(summary, 'run-complete', 'INVALID', /interrupted.*the record ends before the run did/);
    assert.equal(headlineOf(summary).mark, 'interrupted');
    assert.equal(exit(summary), 3);
  });
  test('a run that calls itself complete without having closed its stages is INVALID', () => {
    const summary = summarize(changed(bundle, { events: without(bundle.events, 'stage-closed') }));
    assertFires(summary, 'run-complete', 'INVALID', /0 of 1 cell closed/);
    assert.equal(exit(summary), 1);
  });
  test('a stage that could not be armed is told as such, without empty tables', () => {
    const events = bundle.events.filter(
      (event) => !['worker-armed', 'stage-go', 'worker-drained'].includes(event.type),
    );
    const summary = summarize(changed(bundle, { events, bytes: [] }));
    assertFires(summary, 'success', 'INVALID', /nothing was measured/);
    const text = renderText(summary, { columns: 100, color: false, perWorker: true });
    assert.match(text, /\nmeasure {2}never began, COMPLETE\n/);
    assert.doesNotMatch(text, /p99|Closed model/);
  });
  test('an empty record is INVALID and throws nothing', () => {
    const summary = summarize(changed(bundle, { events: [], bytes: [] }));
    assertFires(summary, 'success', 'INVALID', /nothing was measured/);
    assert.deepEqual(summary.cells, []);
  });
});

describe('success', () => {
  test('a stage without one success is INVALID and exits 1, never 0', () => {
    const summary = summarize(
      run([{ frames: [[{ operation: 'get', errors: { NOAUTH: 50 } }]] }], { errorBudget: 1 }),
    );
    assertFires(summary, 'success', 'INVALID', /measure: no operation succeeded \(50 sent\)/);
    assert.equal(exit(summary), 1);
  });
  test('nor is a stage that sent nothing a success', () => {
    assertFires(summarize(run([{ frames: [[]] }])), 'success', 'INVALID', /\(0 sent\)/);
  });
});

describe('conservation', () => {
  const bundle = run([goodWorker]);
  const altered = (row: Record<string, number>) => {
    const frame = frameOf({ worker: 0, stage: 0, sequence: 1 }, [goodRow]);
    const [only] = frame.rows;
    assert.ok(only);
    const bytes = [bundle.bytes[0] as Uint8Array, encodeFrame({ ...frame, rows: [{ ...only, ...row }] })];
    return summarize(changed(bundle, { bytes }));
  };
  test('sent is not ok + errors + timeouts + aborted', () => {
    assertFires(altered({ sent: 103 }), 'conservation', 'INVALID', /sent 203 is not ok 200 \+ errors 0/);
  });
  test('ok is not hits + misses', () => {
    assertFires(altered({ hits: 99 }), 'conservation', 'INVALID', /ok 200 is not hits 199 \+ misses 0/);
  });
  test('fewer latencies than operations', () => {
    assertFires(
      altered({ sent: 101, ok: 101, hits: 101 }),
      'conservation',
      'INVALID',
      /201 operations were ok, but 200 latencies/,
    );
  });
  test('the worker counted more than its frames hold', () => {
    const events = bundle.events.map((event) =>
      event.type === 'worker-drained'
        ? { ...event, totals: event.totals.map((totals) => ({ ...totals, sent: 207, ok: 207, hits: 207 })) }
        : event,
    );
    assertFires(
      summarize(changed(bundle, { events })),
      'conservation',
      'INVALID',
      /the worker counted sent 207, its frames hold 200/,
    );
  });
  test('the worker counted an operation that no frame has', () => {
    const events = bundle.events.map((event) =>
      event.type === 'worker-drained'
        ? {
            ...event,
            totals: [...event.totals, ...event.totals.map((totals) => ({ ...totals, operation: 'put' }))],
          }
        : event,
    );
    assertFires(
      summarize(changed(bundle, { events })),
      'conservation',
      'INVALID',
      /put: the worker counted sent 200/,
    );
  });
  test('what the coordinator found while the run went, also in a warm-up', () => {
    const found: Event = {
      type: 'conservation-broken',
      atMs: 1,
      wallTime: '2026-01-31T12:00:01.000Z',
      cell: 0,
      stage: 0,
      worker: 0,
      reason: 'sent 10 is not 9',
    };
    const last = bundle.events.length - 1;
    const events = [...bundle.events.slice(0, last), found, ...bundle.events.slice(last)];
    assertFires(summarize(changed(bundle, { events })), 'conservation', 'INVALID', /sent 10 is not 9/);
  });
});

describe('statistics', () => {
  const bundle = run([goodWorker, { frames: [[goodRow], [goodRow], [goodRow]] }]);
  test('a frame that is missing in the middle', () => {
    const bytes = bundle.bytes.filter((_, index) => index !== 3);
    assertFires(
      summarize(changed(bundle, { bytes })),
      'statistics',
      'INVALID',
      /measure: 1 of 3 frames of worker clients-2 are lost/,
    );
  });
  test('the last frame is missing', () => {
    const summary = summarize(changed(bundle, { bytes: bundle.bytes.slice(0, -1) }));
    const reason = assertFires(summary, 'statistics', 'INVALID', /1 of 3 frames of worker clients-2/);
    assert.deepEqual(reason.figures, { worker: 1, missing: 1, of: 3 });
    assert.equal(exit(summary), 1);
  });
  test('every frame of a worker is missing', () => {
    const summary = summarize(changed(bundle, { bytes: bundle.bytes.slice(0, 2) }));
    assertFires(summary, 'statistics', 'INVALID', /3 of 3 frames of worker clients-2/);
    assert.equal(summary.cells[0]?.stages[0]?.workers[1]?.complete, false);
  });
  test('a worker that never said which frame was its last', () => {
    const events = bundle.events.filter((event) => event.type !== 'worker-drained' || event.worker !== 1);
    assertFires(
      summarize(changed(bundle, { events })),
      'statistics',
      'INVALID',
      /clients-2 never reported the end of the stage/,
    );
  });
  test('frames of a stage without any event', () => {
    const events = bundle.events.filter((event) => !('stage' in event));
    assertFires(summarize(changed(bundle, { events })), 'statistics', 'INVALID', /events are missing/);
  });
});

describe('damage', () => {
  const bundle = run([goodWorker]);
  const withFrame = (bytes: Uint8Array) => summarize(changed(bundle, { bytes: [...bundle.bytes, bytes] }));
  for (const [what, bytes, text] of [
    ['bytes that are no frame', new Uint8Array([1, 2, 3, 4, 5]), /cannot be read/],
    [
      'a frame of another run',
      encodeFrame(frameOf({ worker: 0, stage: 0, sequence: 9 }, [goodRow], { epoch: 6 })),
      /belongs to another run \(epoch 6, not 7\)/,
    ],
    [
      'a frame of a stage that the plan does not have',
      encodeFrame(frameOf({ worker: 0, stage: 5, sequence: 0 }, [goodRow])),
      /names stage 5 of cell 0/,
    ],
  ] as const)
    test(`${what}: INVALID, and nothing of it counts`, () => {
      const summary = withFrame(bytes);
      assertFires(summary, 'damage', 'INVALID', text);
      assert.equal(summary.cells[0]?.stages[0]?.total.ok, 200);
    });
  test('what the reader of the bundle could not read', () => {
    const summary = summarize(
      changed(bundle, { damage: ['frames/worker-0.pcf: cut inside a frame at byte 77'] }),
    );
    assertFires(summary, 'damage', 'INVALID', /cut inside a frame at byte 77/);
  });
  test('much damage is listed in part and counted', () => {
    const damage = Array.from({ length: 30 }, (_, index) => `line ${index} is not an event`);
    const found = reasons(summarize(changed(bundle, { damage })), 'damage');
    assert.equal(found.length, 6);
    assert.match(found.at(-1)?.text ?? '', /25 more findings/);
  });
});

describe('budgets', () => {
  const failing: SampleWorker = {
    frames: [[{ operation: 'get', ok: [[1_000, 96]], errors: { OOM: 1, WRONGTYPE: 2 }, timeouts: 1 }]],
  };
  test('errors over budget: DEGRADED, said in the first line by kind, exit 1', () => {
    const summary = summarize(run([failing], { errorBudget: 0.03 }));
    assertFires(
      summary,
      'error-budget',
      'DEGRADED',
      /^4 operations of 100 failed in measure \(OOM 1, WRONGTYPE 2, timeouts 1\): 4 %, budget 3 %$/,
    );
    assert.match(headlineOf(summary).text, /4 operations of 100 failed/);
    assert.equal(exit(summary), 1);
  });
  test('errors within budget: VALID, exit 0, and still told', () => {
    const summary = summarize(run([failing], { errorBudget: 0.04 }));
    assert.equal(summary.verdict.status, 'VALID');
    assert.match(headlineOf(summary).text, /4 failed \(OOM 1, WRONGTYPE 2, timeouts 1: 4 %, within budget\)/);
    assert.equal(exit(summary), 0);
  });
  const missing: SampleWorker = { frames: [[{ operation: 'get', ok: [[1_000, 100]], misses: 10 }]] };
  test('misses over budget: DEGRADED and said in the first line; exit 0', () => {
    const summary = summarize(run([missing], { missBudget: 0.05 }));
    assertFires(summary, 'miss-budget', 'DEGRADED', /^10 reads of 100 missed in measure: 10 %, budget 5 %$/);
    assert.match(headlineOf(summary).text, /10 reads of 100 missed/);
    assert.equal(exit(summary), 0);
  });
  test('misses within budget are no reason', () => {
    assert.equal(summarize(run([missing], { missBudget: 0.1 })).verdict.status, 'VALID');
  });
  test('a delete that finds nothing is no missed read', () => {
    const deletes: SampleWorker = { frames: [[{ operation: 'delete', ok: [[1_000, 100]], misses: 100 }]] };
    assert.deepEqual(reasons(summarize(run([deletes])), 'miss-budget'), []);
  });
});

describe('start skew', () => {
  const apart = (ms: number): SampleWorker[] => [
    { ...goodWorker, firstOperationNs: 1_000_000, clockErrorMs: 0.1 },
    { ...goodWorker, firstOperationNs: 1_000_000 + ms * 1e6, clockErrorMs: 0.2 },
  ];
  test('above the limit: DEGRADED with the bound of the clocks', () => {
    const summary = summarize(run(apart(300)));
    assertFires(summary, 'start-skew', 'DEGRADED', /started 300 ms apart \(\+\/- 0\.300 ms\), limit 250 ms/);
  });
  test('at the limit: VALID', () => assert.equal(summarize(run(apart(250))).verdict.status, 'VALID'));
  test('of a load stage is reported, not judged', () => {
    const cells = [
      {
        index: 0,
        configuration: 'redis7',
        repetition: 0,
        coordinates: {},
        stages: [{ ...measureStage, name: 'load', kind: 'load' as const }],
      },
    ];
    const summary = summarize(run(apart(300), { cells }));
    assert.equal(summary.cells[0]?.stages[0]?.startSkew.spreadMs, 300);
    assert.deepEqual(reasons(summary, 'start-skew'), []);
  });
});

describe('objectives', () => {
  const objective = (
    text: string,
    operation: string,
    metric: 'p99' | 'throughput' | 'errors',
    comparison: '<' | '>',
    threshold: number,
  ) => ({
    text,
    operation,
    metric,
    comparison,
    threshold,
  });
  const objectives = [
    objective('get.p99 < 5ms', 'get', 'p99', '<', 5_000_000),
    objective('total.throughput > 1000/s', 'total', 'throughput', '>', 1_000),
    objective('put.p99 < 5ms', 'put', 'p99', '<', 5_000_000),
    objective('delete.errors < 1%', 'delete', 'errors', '<', 0.01),
  ];
  const summary = summarize(run([goodWorker], { objectives }));
  const results = summary.cells[0]?.stages[0]?.objectives ?? [];
  test('are met or missed with the figure', () => {
    assert.deepEqual(
      results.map(({ text, actual, met }) => ({ text, actual, met })),
      [
        { text: 'get.p99 < 5ms', actual: 1_000_000, met: true },
        { text: 'total.throughput > 1000/s', actual: 100, met: false },
        { text: 'put.p99 < 5ms', actual: null, met: false },
      ],
    );
  });
  test('without data are missed; those of an operation that a stage does not have are not asked of it', () => {
    assert.equal(results.find(({ operation }) => operation === 'put')?.met, false);
    assert.equal(
      results.some(({ operation }) => operation === 'delete'),
      false,
    );
  });
  test('a missed one leaves the measurement VALID and exits 1', () => {
    assert.equal(summary.verdict.status, 'VALID');
    assert.equal(exit(summary), 1);
  });
});

describe('several findings', () => {
  test('the worst stands first, whatever the order of the rules', () => {
    const summary = summarize(
      run(
        [
          { frames: [[goodRow]], lost: 'gone' },
          { frames: [[{ ...goodRow, misses: 50 }], [{ ...goodRow, misses: 50 }]] },
        ],
        { onWorkerLoss: 'continue' },
      ),
    );
    assert.deepEqual(
      summary.verdict.reasons.map(({ rule }) => rule),
      ['workers', 'miss-budget'],
    );
    const damaged = summarize(changed(run([{ frames: [[{ ...goodRow, misses: 50 }]] }]), { damage: ['x'] }));
    assert.deepEqual(
      damaged.verdict.reasons.map(({ level }) => level),
      ['INVALID', 'DEGRADED'],
    );
  });
});
