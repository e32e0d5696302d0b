import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Event, Plan, Stage } from '@pacecar/protocol';
import { encodeFrame } from '@pacecar/protocol';
import { timelineCsv } from '../csv/csv.js';
import {
  changed,
  frameOf,
  measureStage,
  type SampleRow,
  type SampleWorker,
  sampleBundle,
  samplePlan,
} from '../sample-run.test.data.js';
import type { Finding, Summary } from '../summary/schema.js';
import { summarize } from '../summary/summarize.js';
import { renderText } from '../text/text.js';
import { headlineOf } from './headline.js';

const good: SampleRow = { operation: 'get', ok: [[1_000_000, 100]], inFlight: 0 };

function stageOf(seconds: number, changes: Partial<Stage> = {}): Stage {
  return { ...measureStage, end: { kind: 'duration', durationMs: seconds * 1_000 }, ...changes };
}

function planOf(workers: number, stages: readonly Stage[], changes: Partial<Plan> = {}): Plan {
  const cells = [{ index: 0, configuration: 'redis7', repetition: 0, coordinates: {}, stages: [...stages] }];
  return samplePlan(workers, { cells, errorBudget: 1, ...changes });
}

/** One measure stage; each worker is a list of intervals. */
function run(workers: readonly SampleWorker['frames'][], changes: Partial<Plan> = {}) {
  const seconds = Math.max(...workers.map((frames) => frames.length));
  return sampleBundle(planOf(workers.length, [stageOf(seconds)], changes), [
    { stage: 0, workers: workers.map((frames) => ({ frames })) },
  ]);
}

function findings(summary: Summary, rule: string): Finding[] {
  return summary.verdict.reasons.filter((reason) => reason.rule === rule);
}

function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}

describe('a target that is silent', () => {
  const dead: SampleRow = { operation: 'get', aborted: 1 };
  test('for whole intervals makes the run DEGRADED, with when and what failed', () => {
    const frames = [[good], [good], [dead], [], [good], [good]];
    const summary = summarize(run([frames, frames]));
    const [finding] = findings(summary, 'target-silent');
    assert.equal(
      finding?.text,
      'target silent: no operation succeeded in 2 of 6 intervals of measure: 2.0 s .. 4.0 s (failed in the stage: aborted 2)',
    );
    assert.equal(finding?.level, 'DEGRADED');
    assert.deepEqual(finding?.figures, {
      silentIntervals: 2,
      intervals: 6,
      silentMs: 2_000,
      aborted: 2,
      timeouts: 0,
    });
    assert.equal(summary.verdict.status, 'DEGRADED');
  });
  test('in a load as in a measurement', () => {
    const stage = stageOf(3, { name: 'load', kind: 'load', end: { kind: 'keys' } });
    const bundle = sampleBundle(planOf(1, [stage]), [
      { stage: 0, workers: [{ frames: [[good], [], [good]] }] },
    ]);
    assert.match(
      findings(summarize(bundle), 'target-silent')[0]?.text ?? '',
      /1 of 3 intervals of load: 1\.0 s/,
    );
  });
  const quiet: readonly [string, SampleWorker['frames'][]][] = [
    ['to one worker of two is not silent', [times(4, [good]), [[good], [], [], [good]]]],
    ['in the drain after the last whole interval is not judged', [times(3, [good])]],
    [
      'where fewer than ten operations were to be expected may be chance',
      [[[{ ...good, ok: [[1_000_000, 3]] }], [], [{ ...good, ok: [[1_000_000, 3]] }]]],
    ],
    ['in a stage of less than an interval is not judged', [[[good]]]],
  ];
  for (const [what, workers] of quiet)
    test(what, () => assert.deepEqual(findings(summarize(run(workers)), 'target-silent'), []));
  test('in the drain: an interval that is not wholly inside the stage', () => {
    const bundle = sampleBundle(planOf(1, [stageOf(2.5)]), [
      { stage: 0, workers: [{ frames: [[good], [good], []], elapsedNs: 2.9e9 }] },
    ]);
    const summary = summarize(bundle);
    assert.equal(summary.verdict.status, 'VALID');
    assert.ok(
      summary.verdict.evidence.some(
        ({ text }) => text === 'operations succeeded in each of 2 whole intervals',
      ),
    );
  });
  test('a pause below half a second shows in the latencies only', () => {
    const plan = planOf(1, [stageOf(1)], { intervalMs: 100 });
    const frames = (silent: number) => [[good], ...times(silent, []), [good], [good]];
    const of = (silent: number) =>
      findings(
        summarize(sampleBundle(plan, [{ stage: 0, workers: [{ frames: frames(silent) }] }])),
        'target-silent',
      );
    assert.equal(of(4).length, 0);
    assert.equal(of(5).length, 1);
  });
});

describe('a target that is not the same throughout', () => {
  const stages = [
    stageOf(1, { name: 'load', kind: 'load' }),
    stageOf(1),
    stageOf(1, { name: 'verify', kind: 'verify' }),
  ];
  const bundle = sampleBundle(
    planOf(2, stages),
    stages.map((_, stage) => ({ stage, workers: times(2, { frames: [[good]] }) })),
  );
  const answered = (
    answer: (
      stage: number,
      worker: number,
    ) => { settings?: Record<string, string>; address?: string; version?: string },
  ): Event[] =>
    bundle.events.map((event) =>
      event.type === 'worker-armed' && event.target !== null
        ? { ...event, target: { ...event.target, ...answer(event.stage, event.worker) } }
        : event,
    );
  const judge = (answer: Parameters<typeof answered>[0]) =>
    findings(summarize(changed(bundle, { events: answered(answer) })), 'target-identity').map(
      ({ text }) => text,
    );
  test('restarted between two stages', () => {
    assert.deepEqual(
      judge((stage) => ({ address: 'db:6379', settings: { run_id: stage < 2 ? 'a' : 'b' } })),
      [
        'the target at db:6379 was restarted or replaced during the run (run_id changed between measure and verify)',
      ],
    );
  });
  test('another version', () => {
    assert.match(
      judge((stage) => ({ address: 'db:6379', version: stage === 0 ? '7.0' : '7.2' }))[0] ?? '',
      /version changed between load and measure/,
    );
  });
  test('several servers behind one address', () => {
    const texts = judge((_, worker) => ({ address: 'db:6379', settings: { run_id: `of ${worker}` } }));
    assert.equal(texts.length, 1);
    assert.match(texts[0] ?? '', /workers reached different servers at db:6379.*\(run_id in load\)/);
  });
  test('loopback is another server on every host; a setting that is not said is no change', () => {
    assert.deepEqual(
      judge((_, worker) => ({ settings: { run_id: `of ${worker}` } })),
      [],
    );
    assert.deepEqual(
      judge((stage) => ({ settings: stage === 1 ? {} : { run_id: 'a' } })),
      [],
    );
    assert.equal(judge((stage, worker) => ({ settings: { run_id: `${worker} ${stage}` } })).length, 2);
  });
});

describe('a worker that stood still', () => {
  test('while others went on: DEGRADED, with how long and when', () => {
    const summary = summarize(run([times(6, [good]), [[good], [], [], [good], [good], [good]]]));
    const [finding] = findings(summary, 'worker-standstill');
    assert.equal(
      finding?.text,
      'worker clients-2 stood still for 2.00 s of measure (no operation in 2 intervals in which others had some: 1.0 s .. 3.0 s)',
    );
    assert.equal(finding?.level, 'DEGRADED');
  });
  test('as its event loop says', () => {
    const bundle = run([times(3, [good]), times(3, [good])]);
    const late = encodeFrame(
      frameOf({ worker: 1, stage: 0, sequence: 2 }, [good], {
        threads: [{ utilisation: 1, delayNs: 1.7e9 }],
      }),
    );
    const summary = summarize(changed(bundle, { bytes: [...bundle.bytes.slice(0, -1), late] }));
    assert.match(
      findings(summary, 'worker-standstill')[0]?.text ?? '',
      /^worker clients-2 stood still for 1\.70 s of measure \(an event loop of it was held up\)$/,
    );
  });
  test('with all others is the target’s silence, and one that ended before the others did its part', () => {
    assert.deepEqual(findings(summarize(run(times(2, [[good], [], [good]]))), 'worker-standstill'), []);
    assert.deepEqual(findings(summarize(run([times(4, [good]), times(2, [good])])), 'worker-standstill'), []);
  });
});

describe('what is said of the load', () => {
  test('is a limit, what was seen, and only of workers that took part', () => {
    const busy = (inFlight: number): SampleRow => ({ ...good, inFlight });
    const bundle = sampleBundle(planOf(3, [stageOf(2)], { onWorkerLoss: 'continue' }), [
      { stage: 0, workers: times(3, { frames: [[busy(7)], [busy(1)], []] }) },
    ]);
    const events = bundle.events.map((event) =>
      event.type === 'stage-go' ? { ...event, workers: event.workers.slice(0, 2) } : event,
    );
    const bytes = bundle.bytes.slice(0, 6);
    const summary = summarize(changed(bundle, { events, bytes }));
    const stage = summary.cells[0]?.stages[0];
    assert.equal(stage?.load[0]?.workers, 2);
    assert.equal(stage?.load[0]?.inFlightLimit.total, 20);
    assert.equal(stage?.connectionsOpened, 20);
    assert.deepEqual(stage?.inFlight, { limit: 20, samples: 2, sampledMaximum: 14, sampledMean: 8 });
    const text = renderText(summary, { columns: 110, color: false, perWorker: false });
    assert.match(text, /20 connections = 2 workers x 10, depth 1: at most 20 in flight\n/);
    assert.match(
      text,
      /observed 20 connections at first, 14 in flight at most and 8 on average at the ends of 2 intervals/,
    );
  });
  test('the timeline holds in flight at the end of each interval', () => {
    const csv = timelineCsv(summarize(run([[[{ ...good, inFlight: 3 }], [{ ...good, inFlight: 5 }]]])));
    const [head = '', ...lines] = csv.trim().split('\r\n');
    const column = head.split(',').indexOf('in_flight');
    const total = lines.filter((line) => line.includes(',total,')).map((line) => line.split(',')[column]);
    assert.deepEqual(total, ['3', '5']);
  });
});

describe('what is not known is not said', () => {
  const bundle = sampleBundle(planOf(2, [stageOf(1, { name: 'load', kind: 'load' }), stageOf(1)]), [
    { stage: 0, workers: times(2, { frames: [[good]] }) },
    { stage: 1, workers: times(2, { frames: [[good]] }) },
  ]);
  const interrupted: Event = {
    type: 'run-ended',
    atMs: 5_000,
    wallTime: '2026-01-31T12:00:05.000Z',
    outcome: 'interrupted',
    code: 'INTERRUPTED',
    reason: 'SIGINT',
  };
  const cutBefore = (type: Event['type'], ...more: Event[]) => {
    const at = bundle.events.findIndex(
      (event) => event.type === type && 'stage' in event && event.stage === 1,
    );
    return changed(bundle, {
      events: [...bundle.events.slice(0, at), ...more],
      bytes: bundle.bytes.slice(0, 2),
    });
  };
  for (const type of ['stage-arming', 'worker-armed', 'worker-drained'] as const)
    test(`interrupted before ${type} of measure: it had not begun`, () => {
      const summary = summarize(cutBefore(type, interrupted));
      const headline = headlineOf(summary);
      assert.equal(headline.mark, 'interrupted');
      assert.equal(headline.text, 'nothing was measured: measure had not begun');
    });
  test('workers of a run that was not complete are vouched for until it ended', () => {
    const evidence = (summary: Summary) =>
      summary.verdict.evidence.find(({ rule }) => rule === 'workers')?.text ?? '';
    assert.equal(
      evidence(summarize(cutBefore('stage-arming'))),
      '2 of 2 workers joined, and none of them was found lost until the record ends',
    );
    assert.match(
      evidence(summarize(cutBefore('stage-arming', interrupted))),
      /until the run was interrupted$/,
    );
  });
  test('one worker alone has no start spread, nor have several of which one started', () => {
    for (const workers of [1, 2]) {
      const made = run(times(workers, [[good]]));
      const summary = summarize(changed(made, { bytes: made.bytes.slice(0, 1) }));
      const skew = summary.cells[0]?.stages[0]?.startSkew;
      assert.equal(skew?.spreadMs, null);
      assert.equal(skew?.errorBoundMs, null);
      assert.doesNotMatch(
        renderText(summary, { columns: 100, color: false, perWorker: false }),
        /apart|started within/,
      );
    }
  });
});
