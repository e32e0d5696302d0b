import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CLOSED_MODEL, plainAction, type Stage, type Workload } from '@pacecar/protocol';
import { measureStage, type SampleRow, sampleBundle, samplePlan } from '../sample-run.test.data.js';
import type { StageSummary, Summary } from '../summary/schema.js';
import { summarize } from '../summary/summarize.js';
import { renderText } from '../text/text.js';

const [BASE] = measureStage.workloads as readonly [Workload];
const MS = 1_000_000;

type Open = Extract<Workload['model'], { kind: 'open' }>;
const openModel = (ratePerSec: number, changes: Partial<Open> = {}): Open => ({
  kind: 'open',
  rate: { kind: 'constant', ratePerSec },
  arrivals: 'constant',
  lateAfterMs: 10,
  dropAfterMs: null,
  ...changes,
});

function summaryOf(
  model: Workload['model'],
  frames: readonly (readonly SampleRow[])[],
  changes: Partial<Stage> = {},
  workload: Partial<Workload> = {},
  workers = 1,
): Summary {
  const stage: Stage = {
    ...measureStage,
    workloads: [{ ...BASE, mix: [plainAction('get', 1)], model, ...workload }],
    end: { kind: 'duration', durationMs: frames.length * 1_000 },
    ...changes,
  };
  const plan = samplePlan(workers, {
    cells: [{ index: 0, configuration: 'redis7', repetition: 0, coordinates: {}, stages: [stage] }],
  });
  return summarize(
    sampleBundle(plan, [{ stage: 0, workers: Array.from({ length: workers }, () => ({ frames })) }]),
  );
}

/** So many operations a second that took 1 ms, due 2 ms before their answer, sent 10 us late. */
const second = (count: number, more: Partial<SampleRow> = {}): SampleRow[] => [
  {
    operation: 'get',
    ok: [[MS, count]],
    response: [[2 * MS, count]],
    pacing: [[10_000, count]],
    ...more,
  },
];
const seconds = (count: number, of: number, more: Partial<SampleRow> = {}) =>
  Array.from({ length: of }, () => second(count, more));

function measured(summary: Summary): StageSummary {
  const stage = summary.cells[0]?.stages[0];
  assert.ok(stage);
  return stage;
}
const reason = (summary: Summary, rule: string) =>
  summary.verdict.reasons.find((finding) => finding.rule === rule);
const proof = (summary: Summary, rule: string) =>
  summary.verdict.evidence.find((finding) => finding.rule === rule);

describe('the rate that was asked for', () => {
  const SENT: readonly (readonly [perSec: number, status: 'VALID' | 'DEGRADED', why: string])[] = [
    [100, 'VALID', 'all of it'],
    [99, 'VALID', 'one in a hundred is missing'],
    [98, 'DEGRADED', 'two in a hundred are missing'],
    [102, 'DEGRADED', 'two in a hundred too many'],
  ];
  for (const [perSec, status, why] of SENT)
    test(`${perSec}/s of 100/s over 10 s is ${status}: ${why}`, () => {
      const summary = summaryOf(openModel(100), seconds(perSec, 10));
      assert.equal(summary.verdict.status, status);
      const { schedule } = measured(summary).load[0] ?? {};
      assert.equal(schedule?.due, 1_000);
      assert.equal(schedule?.sent, perSec * 10);
      assert.equal(schedule?.sentPerSec, perSec);
      if (status === 'VALID')
        assert.match(proof(summary, 'schedule')?.text ?? '', /of 1,000 due operations were sent/);
      else
        assert.match(
          reason(summary, 'schedule')?.text ?? '',
          perSec === 98
            ? /^measure: 98\.0 operations\/s were sent of 100\/s asked \(-2 %, allowed 1 %\); 0 late, 0 dropped$/
            : /\(\+2 %, allowed 1 %\)/,
        );
    });

  test('late and dropped operations are named with it', () => {
    const summary = summaryOf(openModel(100), seconds(50, 10, { late: 20, dropped: 30 }));
    assert.match(reason(summary, 'schedule')?.text ?? '', /\(-50 %, allowed 1 %\); 200 late, 300 dropped$/);
  });

  test('an operation more or less is no deviation, however few there are', () => {
    assert.equal(summaryOf(openModel(1), [...seconds(1, 9), second(2)]).verdict.status, 'VALID');
    assert.equal(reason(summaryOf(openModel(1), seconds(2, 10)), 'schedule')?.level, 'DEGRADED');
  });

  test('random arrivals may be off by chance, and no more', () => {
    const poisson = openModel(100, { arrivals: 'poisson' });
    assert.equal(reason(summaryOf(poisson, seconds(91, 10)), 'schedule'), undefined);
    assert.equal(reason(summaryOf(poisson, seconds(80, 10)), 'schedule')?.level, 'DEGRADED');
  });

  test('a stage that ends by a count is held against the time in which it sent', () => {
    const end = { kind: 'operations', operations: { count: 500, scope: 'total' } } as const;
    assert.equal(reason(summaryOf(openModel(100), seconds(100, 5), { end }), 'schedule'), undefined);
    assert.equal(reason(summaryOf(openModel(100), seconds(50, 10), { end }), 'schedule')?.level, 'DEGRADED');
  });

  test('over all workers together', () => {
    const summary = summaryOf(openModel(200), seconds(100, 10), {}, {}, 2);
    assert.equal(measured(summary).load[0]?.schedule?.sent, 2_000);
    assert.equal(reason(summary, 'schedule'), undefined);
  });

  test('a closed model asks for none', () => {
    const summary = summaryOf(CLOSED_MODEL, seconds(100, 10, { response: [] }));
    assert.equal(measured(summary).load[0]?.schedule, null);
    assert.equal(proof(summary, 'schedule'), undefined);
  });
});

describe("Little's law", () => {
  interface Course {
    /** Answered in a second, 1 ms each unless told otherwise. */
    readonly count: number;
    readonly inFlight: number;
    readonly timeNs?: number;
    readonly seconds?: number;
    readonly model?: Workload['model'];
    readonly aborted?: number;
    readonly workload?: Partial<Workload>;
  }

  /** So many whole seconds at an even pace, and 10 ms in which what was in flight comes back. */
  function course({
    count,
    inFlight,
    timeNs = MS,
    seconds: length = 10,
    model = CLOSED_MODEL,
    ...more
  }: Course) {
    const frames: SampleRow[][] = Array.from({ length }, (_, interval) => [
      {
        operation: 'get',
        ok: [[timeNs, count]],
        inFlight,
        carried: interval === 0 ? 0 : inFlight,
        aborted: more.aborted ?? 0,
      },
    ]);
    frames.push([{ operation: 'get', ok: [[timeNs, inFlight]], carried: inFlight }]);
    const stage: Stage = {
      ...measureStage,
      workloads: [{ ...BASE, mix: [plainAction('get', 1)], model, ...more.workload }],
      end: { kind: 'duration', durationMs: length * 1_000 },
    };
    const plan = samplePlan(1, {
      errorBudget: 1,
      cells: [{ index: 0, configuration: 'redis7', repetition: 0, coordinates: {}, stages: [stage] }],
    });
    return summarize(sampleBundle(plan, [{ stage: 0, workers: [{ frames, lastNs: 10 * MS }] }]));
  }

  const CASES: readonly (readonly [count: number, holds: boolean])[] = [
    [20_000, true],
    [19_000, true],
    [21_000, true],
    [18_900, false],
    [24_000, false],
  ];
  for (const [count, holds] of CASES)
    test(`${count}/s x 1 ms against 20 in flight ${holds ? 'is within' : 'is not within'} 5 %`, () => {
      const summary = course({ count, inFlight: 20 });
      const { littlesLaw } = measured(summary);
      assert.deepEqual([littlesLaw.inFlight, littlesLaw.product], [20, count / 1_000]);
      assert.equal(littlesLaw.unjudged, null);
      assert.equal(reason(summary, 'littles-law') === undefined, holds);
      if (holds)
        assert.match(proof(summary, 'littles-law')?.text ?? '', /^Little's law holds: 20\.0 in flight/);
      else
        assert.match(
          reason(summary, 'littles-law')?.text ?? '',
          /^measure: 20\.0 operations were in flight on average/,
        );
    });

  test('the report shows both figures', () => {
    const text = renderText(course({ count: 20_000, inFlight: 20 }), {
      columns: 130,
      color: false,
      perWorker: false,
    });
    assert.match(
      text,
      /law +20\.0 in flight on average, throughput x mean time 20\.0 \(\+0 %, Little's law\)/,
    );
  });

  test('in an open model a sample may be one operation off, and chance is allowed for', () => {
    const open = (count: number) => course({ count, inFlight: 20, seconds: 200, model: openModel(count) });
    assert.equal(measured(open(19_000)).littlesLaw.unjudged, null);
    assert.equal(reason(open(19_000), 'littles-law'), undefined);
    assert.equal(reason(open(15_000), 'littles-law')?.level, 'DEGRADED');
  });

  const UNJUDGED: readonly (readonly [course: Course, why: RegExp])[] = [
    [{ count: 20_000, inFlight: 20, seconds: 5 }, /5 whole intervals after the first, and there are 4/],
    [{ count: 20, inFlight: 20, timeNs: 1_000 * MS }, /take too long for a stage this short/],
    [{ count: 100, inFlight: 0, model: openModel(100) }, /too much for so few samples/],
    [{ count: 20_000, inFlight: 20, aborted: 500 }, /5,000 operations aborted/],
    [{ count: 20_000, inFlight: 20, model: { ...CLOSED_MODEL, thinkTimeMs: 5 } }, /with think time/],
    [
      { count: 20_000, inFlight: 20, model: { ...CLOSED_MODEL, start: { kind: 'ramp', durationMs: 5_000 } } },
      /begin one after the other/,
    ],
    [
      {
        count: 20_000,
        inFlight: 20,
        workload: { reconnect: { everyOperations: 10, firstBackOffMs: 10, longestBackOffMs: 10 } },
      },
      /opened anew in step/,
    ],
  ];
  for (const [given, why] of UNJUDGED)
    test(`is not judged: ${why.source}`, () => {
      const summary = course(given);
      const { littlesLaw } = measured(summary);
      assert.match(littlesLaw.unjudged ?? '', why);
      assert.equal(littlesLaw.deviation, null);
      assert.equal(reason(summary, 'littles-law'), undefined);
      assert.equal(proof(summary, 'littles-law'), undefined);
      assert.match(
        renderText(summary, { columns: 130, color: false, perWorker: false }),
        /Little's law n\/a: /,
      );
    });
});

describe('a report of an open model', () => {
  const summary = summaryOf(openModel(100), seconds(100, 10, { late: 3, dropped: 0 }));
  const text = renderText(summary, { columns: 130, color: false, perWorker: false });

  test('shows response and service times below each other, late and dropped', () => {
    assert.match(text, /op +sent +failed +hits +ops\/s +late +dropped +time +mean +p50/);
    assert.match(text, /\n {2}get +1,000 +0 +100% +100 +30 +0 +response +2\.00ms +2\.00ms/);
    assert.match(text, /\n {3,}service +1\.00ms +1\.00ms/);
  });

  test('says what was asked and sent, and the error of the generator itself', () => {
    assert.match(text, /schedule +100\/s asked, 100\/s sent \(\+0 %\)/);
    assert.match(text, /pacing +generator's own error p50 10\.0 us, p99 10\.0 us, max 10\.0 us/);
  });

  test('notes where response times are the delay of the generator itself', () => {
    const slow = (pacingMs: number, responseMs: number) =>
      summaryOf(
        openModel(100),
        seconds(100, 10, { response: [[responseMs * MS, 100]], pacing: [[pacingMs * MS, 100]] }),
      ).notes.join('\n');
    assert.match(
      slow(30, 40),
      /^Response times contain delays of the generator itself \(measure\): at p99 it was 30\.0 ms late, of a response time of 40\.0 ms\./m,
    );
    assert.doesNotMatch(slow(30, 90), /delays of the generator/);
    assert.doesNotMatch(slow(2, 3), /delays of the generator/);
    assert.doesNotMatch(text, /delays of the generator/);
  });

  test('has no note on the closed model', () => assert.doesNotMatch(text, /Closed model/));

  test('judges objectives by response times', () => {
    const plan = samplePlan(1, {
      objectives: [
        { text: 'get.p50 < 1.5ms', operation: 'get', metric: 'p50', comparison: '<', threshold: 1.5 * MS },
      ],
      cells: [
        {
          index: 0,
          configuration: 'redis7',
          repetition: 0,
          coordinates: {},
          stages: [
            {
              ...measureStage,
              workloads: [{ ...BASE, mix: [plainAction('get', 1)], model: openModel(100) }],
            },
          ],
        },
      ],
    });
    const judged = summarize(sampleBundle(plan, [{ stage: 0, workers: [{ frames: seconds(100, 2) }] }]));
    assert.equal(measured(judged).objectives[0]?.met, false);
    assert.equal(measured(judged).objectives[0]?.actual, 2 * MS);
  });

  test('draws the course and the spectrum of response times', () => {
    const stage = measured(summary);
    assert.equal(stage.timeline.total[0]?.p50Ns, 2 * MS);
    assert.equal(stage.rows[0]?.spectrum.at(-1)?.latencyNs, 2 * MS);
  });

  test('in a narrow terminal no line is empty', () => {
    const narrow = renderText(summary, { columns: 60, color: false, perWorker: false });
    assert.doesNotMatch(narrow, /\n +\n/);
    for (const line of narrow.split('\n')) assert.ok(line.length <= 60, line);
  });
});

describe('intervals without an answer', () => {
  const rule = (summary: Summary, name: string) => reason(summary, name)?.level;
  const pause = (model: Workload['model'], of: readonly number[]) =>
    summaryOf(
      model,
      of.map((count) => (count === 0 ? [{ operation: 'get' }] : second(count))),
    );
  const steps = openModel(1, {
    rate: {
      kind: 'steps',
      steps: [
        { ratePerSec: 100, durationMs: 3_000 },
        { ratePerSec: 0, durationMs: 3_000 },
      ],
    },
  });

  test('are no silence of the target where the schedule rests', () =>
    assert.equal(rule(pause(steps, [100, 100, 100, 0, 0, 0]), 'target-silent'), undefined));
  test('are one where operations were due', () =>
    assert.equal(rule(pause(steps, [100, 0, 100, 0, 0, 0]), 'target-silent'), 'DEGRADED'));
  test('are none where connections think in step, and one where they do not', () => {
    const thinking = { ...CLOSED_MODEL, thinkTimeMs: 2_000 };
    assert.equal(rule(pause(thinking, [100, 0, 100, 0, 100]), 'target-silent'), undefined);
    assert.equal(rule(pause(CLOSED_MODEL, [100, 0, 100, 0, 100]), 'target-silent'), 'DEGRADED');
  });
});

describe('open and closed workloads beside each other', () => {
  const stage: Stage = {
    ...measureStage,
    workloads: [
      { ...BASE, name: 'reader', mix: [plainAction('get', 1)] },
      { ...BASE, name: 'poller', mix: [{ ...plainAction('get', 1), name: 'poll' }], model: openModel(1) },
    ],
    end: { kind: 'duration', durationMs: 5_000 },
  };
  const plan = samplePlan(1, {
    cells: [{ index: 0, configuration: 'redis7', repetition: 0, coordinates: {}, stages: [stage] }],
  });
  const rows: SampleRow[] = [
    { workload: 'reader', operation: 'get', ok: [[MS, 500]] },
    { workload: 'poller', operation: 'poll', ok: [[MS, 1]], response: [[2 * MS, 1]], pacing: [[5_000, 1]] },
  ];
  const summary = summarize(
    sampleBundle(plan, [{ stage: 0, workers: [{ frames: Array.from({ length: 5 }, () => rows) }] }]),
  );
  const text = renderText(summary, { columns: 130, color: false, perWorker: false });

  test('each has its times, and the total has service times, which all have', () => {
    assert.match(text, /reader get +2,500 .* service +1\.00ms/);
    assert.match(text, /poller poll +5 .* response +2\.00ms/);
    assert.match(text, /total +2,505 .* service +1\.00ms/);
  });

  test('the note on the closed model names the one that it is about', () =>
    assert.ok(summary.notes.some((note) => note.startsWith('Closed model (reader of measure): '))));

  test('the schedule of the open one alone is judged', () => {
    assert.equal(measured(summary).load[0]?.schedule, null);
    assert.equal(measured(summary).load[1]?.schedule?.due, 5);
    assert.equal(reason(summary, 'schedule'), undefined);
  });
});
