import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Event, type Plan, plainAction, type Stage } from '@pacecar/protocol';
import { renderCsv } from '../csv/csv.js';
import { renderHtml } from '../html/html.js';
import { changed, measureStage, sampleBundle, samplePlan } from '../sample-run.test.data.js';
import type { BundleSource } from '../source.js';
import { renderText } from '../text/text.js';
import { summarize } from './summarize.js';

const [main] = measureStage.workloads;
assert.ok(main !== undefined);
const poll: Stage = {
  ...measureStage,
  name: 'poll',
  workloads: [
    {
      ...main,
      name: 'poller',
      mix: [plainAction('get', 1)],
      model: {
        kind: 'open',
        rate: { kind: 'constant', ratePerSec: 2 },
        arrivals: 'constant',
        lateAfterMs: 10,
        dropAfterMs: null,
      },
    },
  ],
  end: { kind: 'stage', stage: 'measure' },
};
const STAGES: Stage[] = [
  poll,
  { ...measureStage, name: 'warm-up', kind: 'warm-up' },
  measureStage,
  { ...measureStage, name: 'after' },
];

const plan = (workers: number, changes: Partial<Plan> = {}) => {
  const base = samplePlan(workers, changes);
  return { ...base, cells: base.cells.map((cell) => ({ ...cell, stages: STAGES })) };
};

/** A run with `poll` beside `warm-up` and `measure`; `pollers` are the frames of each worker in it. */
function bundleOf(of: Plan, pollers: readonly number[][] = [[2, 2, 2]]): BundleSource & { events: Event[] } {
  const frames = { frames: [[{ operation: 'get', ok: [[2_000_000, 100]] as [number, number][] }]] };
  const own = pollers.map((oks) => ({
    frames: oks.map((ok) => [
      { workload: 'poller', operation: 'get', ok: [[9_000_000, ok]] as [number, number][] },
    ]),
  }));
  const all = pollers.map(() => frames);
  const bundle = sampleBundle(of, [
    { stage: 0, workers: own },
    { stage: 1, workers: all },
    { stage: 2, workers: all },
    { stage: 3, workers: all },
  ]);
  return { ...bundle, events: besideEachOther(bundle.events) };
}

const isOf = (event: Event, type: Event['type'], stage: number) =>
  event.type === type && 'stage' in event && event.stage === stage;

/** What stage 0 came to stands after the close of stage 2, and it is told to stop in between, 3.2 s after its start. */
function besideEachOther(events: readonly Event[]): Event[] {
  const ended = events.filter((event) => isOf(event, 'worker-drained', 0) || isOf(event, 'stage-closed', 0));
  const rest = events.filter((event) => !ended.includes(event));
  const go = rest.find((event) => isOf(event, 'stage-go', 0));
  const startAtMs = go?.type === 'stage-go' ? go.startAtMs : 0;
  const at = rest.findIndex((event) => isOf(event, 'stage-closed', 2)) + 1;
  const stop: Event = {
    ...{ type: 'stage-stop', cell: 0, stage: 0, reason: 'stage measure has closed' },
    ...{ atMs: startAtMs + 3_200, wallTime: '' },
  };
  return [...rest.slice(0, at), stop, ...ended, ...rest.slice(at)];
}

const stageOf = (summary: ReturnType<typeof summarize>, name: string) => {
  const found = summary.cells[0]?.stages.find((stage) => stage.name === name);
  assert.ok(found !== undefined, name);
  return found;
};

describe('a background stage', () => {
  const summary = summarize(bundleOf(plan(1)));
  const background = stageOf(summary, 'poll');

  test('has results of its own, and says beside which stages it ran', () => {
    assert.equal(background.background, true);
    assert.deepEqual(background.beside, ['warm-up', 'measure']);
    assert.equal(background.outcome, 'complete');
    assert.equal(background.total.ok, 6);
    assert.equal(background.total.service.maxNs, 9_000_000);
    assert.equal(background.timeline.total.length, 3);
    const measured = stageOf(summary, 'measure');
    assert.deepEqual([measured.background, measured.beside], [false, ['poll']]);
    assert.equal(measured.total.ok, 100);
    assert.equal(measured.total.service.maxNs, 2_000_000);
    assert.deepEqual(stageOf(summary, 'after').beside, []);
  });

  test('its schedule goes to the word to stop, known to the end of its drain', () => {
    const bundle = bundleOf(plan(1), [[2, 2, 2, 1]]);
    const { schedule } = stageOf(summarize(bundle), 'poll').load[0] ?? {};
    // 2/s for 3.2 s, in which constant arrivals are at 0, 0.5 ... 3.0 s.
    assert.equal(schedule?.due, 6.4);
    assert.equal(schedule.sent, 7);
    assert.equal(schedule.windowMs, 3_200);
    assert.ok((schedule.tolerance ?? 0) >= 0.8 / 4, 'the drain may have taken 0.8 s');
    assert.equal(schedule.judged, true);
  });

  test('without the word to stop, as after a crash, it goes to the end of what there is', () => {
    const bundle = bundleOf(plan(1));
    const events = bundle.events.filter(({ type }) => type !== 'stage-stop');
    const { schedule } = stageOf(summarize(changed(bundle, { events })), 'poll').load[0] ?? {};
    assert.equal(schedule?.windowMs, 3_000);
  });

  test('beside which only those count that began', () => {
    const bundle = bundleOf(plan(1));
    const cut = bundle.events.findIndex((event) => isOf(event, 'stage-arming', 2));
    const events = bundle.events.slice(0, cut);
    assert.deepEqual(stageOf(summarize(changed(bundle, { events })), 'poll').beside, ['warm-up']);
  });

  test('shares the process of its worker with the stages beside it, which is said', () => {
    assert.match(summary.notes.join('\n'), /Stages beside each other on one worker share its process/);
    const alone = summarize(sampleBundle(samplePlan(1), [{ stage: 0, workers: [{ frames: [] }] }]));
    assert.doesNotMatch(alone.notes.join('\n'), /beside each other/);
  });

  test('is judged by objectives that name its workload, and by no other', () => {
    const objective = (operation: string, text: string) => ({
      ...{ text, operation, metric: 'p99', comparison: '<' },
      threshold: 1_000_000,
    });
    const of = plan(1, {
      objectives: [
        objective('get', 'get'),
        objective('total', 'total'),
        objective('poller.get', 'own'),
      ] as never,
    });
    const judged = summarize(bundleOf(of));
    assert.deepEqual(
      stageOf(judged, 'poll').objectives.map(({ text, met }) => `${text} ${met}`),
      ['own false'],
    );
    assert.deepEqual(
      stageOf(judged, 'measure').objectives.map(({ text }) => text),
      ['get', 'total'],
    );
  });

  test('a worker that is lost beside it was lost in the stage of the foreground, if it takes part there', () => {
    const bundle = bundleOf(plan(1));
    const at = bundle.events.findIndex((event) => isOf(event, 'stage-go', 2)) + 1;
    const lost: Event = {
      ...{ type: 'worker-lost', worker: 0, name: 'clients-1', reason: 'silent' },
      ...{ atMs: bundle.events[at - 1]?.atMs ?? 0, wallTime: '' },
    };
    const during = (events: Event[]) =>
      summarize(changed(bundle, { events })).verdict.reasons.find(({ rule }) => rule === 'workers')?.text ??
      '';
    const events = [...bundle.events.slice(0, at), lost, ...bundle.events.slice(at)];
    assert.match(during(events), /, noticed .* into measure/);
    const others = events.map((event) =>
      isOf(event, 'stage-arming', 2) && event.type === 'stage-arming' ? { ...event, workers: [1] } : event,
    );
    assert.match(during(others), /into poll/);
  });
});

describe('the report', () => {
  const bundle = bundleOf(plan(1));
  const summary = summarize(bundle);

  test('in text', () => {
    const text = renderText(summary, { columns: 100, color: false, perWorker: false });
    assert.match(text, /\npoll {2}measure, in the background, 3\.00 s, complete/);
    assert.match(text, /\n {2}beside {3}warm-up, measure\n/);
    assert.match(text, /\nmeasure {2}[^\n]*\n(.*\n)*? {2}beside {3}poll \(background\)\n/);
  });

  test('as CSV', () => {
    const [head = '', ...rows] = renderCsv(summary).split('\r\n');
    const column = (name: string) => head.split(',').indexOf(name);
    const places = rows
      .filter((row) => row.includes(',total,'))
      .map((row) => row.split(','))
      .map((row) => [row[column('stage')], row[column('background')], row[column('beside')]]);
    assert.deepEqual(places, [
      ['poll', 'true', 'warm-up;measure'],
      ['measure', 'false', 'poll'],
      ['after', 'false', ''],
    ]);
  });

  test('as HTML, with the figures of the only foreground measurement first', () => {
    const page = renderHtml(bundle, summary);
    assert.match(page, /<h3>poll <span class="tag">in the background<\/span>/);
    assert.match(page, /<dt>beside<\/dt><dd>warm-up, measure<\/dd>/);
    const only = summarize(
      changed(bundle, {
        events: bundle.events.filter((event) => !('stage' in event && event.stage === 3)),
        bytes: [],
      }),
    );
    assert.match(renderHtml(bundle, only), /class="tiles"/);
  });
});
