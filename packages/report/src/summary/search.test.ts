import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeFrame, encodeFrame, type Event, type Objective, type Stage } from '@pacecar/protocol';
import { renderCsv } from '../csv/csv.js';
import { exitCodeOf } from '../exit-code.js';
import { renderHtml } from '../html/html.js';
import { renderJson } from '../json.js';
import { changed, measureStage, sampleBundle, samplePlan } from '../sample-run.test.data.js';
import { FOUND, PATH, searchBundle, searchStage } from '../sample-search.test.data.js';
import { renderText } from '../text/text.js';
import { SummarySchema } from './schema.js';
import { summarize } from './summarize.js';

const P99: Objective = {
  text: 'get.p99 < 5ms',
  operation: 'get',
  metric: 'p99',
  comparison: '<',
  threshold: 5e6,
};
const OPTIONS = { color: false, perWorker: false };
const textOf = (bundle: Parameters<typeof summarize>[0], columns = 100) =>
  renderText(summarize(bundle), { ...OPTIONS, columns });

describe('a search that found a rate', () => {
  const bundle = searchBundle(PATH, FOUND);
  const summary = summarize(bundle);
  const [stage] = summary.cells[0]?.stages ?? [];

  test('is one stage, with the figures of the probe that confirmed it', () => {
    assert.equal(summary.cells[0]?.stages.length, 1);
    assert.equal(stage?.name, 'peak');
    assert.equal(stage?.index, 0);
    assert.equal(stage?.outcome, 'complete');
    assert.equal(stage?.total.sent, 400);
    assert.equal(stage?.total.response?.p99Ns, 2_500_000);
    assert.equal(stage?.load[0]?.schedule?.duePerSec, 200);
    assert.equal(stage?.search?.result, 5);
    assert.equal(stage?.search?.ratePerSec, 200);
    assert.equal(stage?.search?.ceilingPerSec, 282.84);
    assert.deepEqual(stage?.search?.confirmations, { held: 1, of: 1 });
  });

  test('shows the way it took', () => {
    assert.deepEqual(
      stage?.search?.probes.map(({ number, step, ratePerSec, achievedPerSec, held, faults }) => [
        number,
        step,
        ratePerSec,
        achievedPerSec,
        held,
        faults.join(),
      ]),
      [
        [1, 'first', 100, 100, true, ''],
        [2, 'growth', 200, 200, true, ''],
        [3, 'growth', 400, 400, false, 'objective'],
        [4, 'bisection', 282.84, 226, false, 'rate'],
        [5, 'confirmation', 200, 200, true, ''],
      ],
    );
  });

  test('is VALID: probes that were too much for the target are no fault of the measurement', () => {
    assert.deepEqual(summary.verdict.reasons, []);
    assert.equal(exitCodeOf(summary, { strict: true }), 0);
    assert.equal(summary.run.cells.complete, 1);
    assert.ok(
      summary.verdict.evidence.some(({ text }) => text.startsWith('all 5 probes of searches judged alike')),
    );
    assert.ok(
      summary.verdict.evidence.some(({ text }) => text.includes('sent 2,252 = ok 2,252')),
      'every probe is counted',
    );
  });

  test('is judged by the objectives of the run in that probe', () => {
    const objective = { operation: 'get', metric: 'p99', comparison: '<' } as const;
    const objectives = [{ ...objective, text: 'get.p99 < 2ms', threshold: 2e6 }];
    const missed = summarize(searchBundle(PATH, FOUND, { objectives }));
    assert.deepEqual(
      missed.cells[0]?.stages[0]?.objectives.map(({ actual, met }) => [actual, met]),
      [[2_500_000, false]],
    );
    assert.equal(exitCodeOf(missed, { strict: false }), 1);
  });

  test('the text says the answer first, then the way, at 80 columns as at 100', () => {
    const text = textOf(bundle);
    assert.match(
      text,
      /^VALID {2}200\/s holds get\.p99 < 5ms in 1 of 1 confirmation; 283\/s does not; 2 of 2 workers/,
    );
    const [, section = ''] = text.split('\npeak  ');
    assert.equal(
      section.split('\n').slice(1, 9).join('\n'),
      `  FOUND  200/s holds get.p99 < 5ms in 1 of 1 confirmation; 283/s does not
  probe  step          asked/s  sent/s  get.p99  held  why not
      1  first             100     100   1.00ms  yes
      2  growth            200     200   2.00ms  yes
      3  growth            400     400   60.0ms  no    missed
      4  bisection         283     226   3.00ms  no    sent -20.1 %
      5  confirmation      200     200   2.50ms  yes
  5 probes in 4.24 s; what follows is probe 5`,
    );
    for (const line of textOf(bundle, 80).split('\n')) assert.ok(line.length <= 80, line);
  });

  test('the page has the answer, the way and latency by rate', () => {
    const page = renderHtml(bundle, summary);
    assert.match(page, /<span class="tag good">found<\/span>/);
    assert.equal(page.match(/<circle cx=/g)?.length, 5);
    assert.match(page, /<title>probe 4, 283\/s: p99 3.00 ms, did not hold: sent -20.1 %<\/title>/);
  });

  test('CSV has the answer in every row of the stage, and a table of the probes', () => {
    const [heads = '', first = ''] = renderCsv(summary).split('\r\n');
    const at = heads.split(',').indexOf('search_rate_per_sec');
    assert.deepEqual(first.split(',').slice(at - 1, at + 2), ['found', '200', '282.84']);
    const probes = renderCsv(summary, 'probes').trimEnd().split('\r\n');
    assert.equal(probes.length, 6);
    assert.match(
      probes[4] ?? '',
      /peak,found,4,bisection,282\.84,226,false,rate,,282\.84,226,0,0,0,0\.5,0,3000000,get\.p99 < 5ms,3000000,true$/,
    );
  });

  test('summary.json is what its schema says', () => {
    const read = SummarySchema.parse(JSON.parse(renderJson(summary)));
    assert.deepEqual(read.cells[0]?.stages[0]?.search, stage?.search);
  });
});

describe('a search', () => {
  test('that found nothing fails the run and says so', () => {
    const first = { step: 'first', ratePerSec: 100, latencyMs: 60 } as const;
    const bundle = searchBundle([first], {
      outcome: 'none',
      ratePerSec: null,
      ceilingPerSec: 100,
      result: 0,
    });
    const summary = summarize(bundle);
    assert.equal(summary.verdict.status, 'VALID');
    assert.equal(exitCodeOf(summary, { strict: false }), 1);
    const text = textOf(bundle);
    assert.match(text, /1 search WITHOUT A RATE THAT HOLDS/);
    assert.match(text, /NONE {2}not even 100\/s holds get\.p99 < 5ms$/m);
  });

  test('does not blame an objective that was met', () => {
    const short = { step: 'first', ratePerSec: 100, latencyMs: 1, sent: 0.8 } as const;
    const end = { outcome: 'none', ratePerSec: null, ceilingPerSec: 100, result: 0 } as const;
    const text = textOf(searchBundle([short], end));
    assert.match(text, /NONE {2}not even 100\/s holds, though it met get\.p99 < 5ms: sent -20 %$/m);
  });

  test('that was not settled fails the run', () => {
    const end = { outcome: 'unsettled', ratePerSec: 200, ceilingPerSec: null, result: 1 } as const;
    const bundle = searchBundle(PATH.slice(0, 2), end);
    assert.equal(exitCodeOf(summarize(bundle), { strict: false }), 1);
    assert.match(
      textOf(bundle),
      /UNSETTLED {2}2 probes were used up: 200\/s had held get\.p99 < 5ms, and was not confirmed/,
    );
  });

  test('of which the upper end holds says at least', () => {
    const probes = [PATH[0], { step: 'growth', ratePerSec: 800, latencyMs: 1 }] as typeof PATH;
    const bundle = searchBundle([...probes, { step: 'confirmation', ratePerSec: 800, latencyMs: 1 }], {
      outcome: 'at-least',
      ratePerSec: 800,
      ceilingPerSec: null,
      result: 2,
    });
    assert.equal(exitCodeOf(summarize(bundle), { strict: true }), 0);
    assert.match(textOf(bundle), /AT LEAST {2}800\/s, the upper end of the range, holds get\.p99 < 5ms/);
  });

  test('that was interrupted shows the way so far', () => {
    const whole = searchBundle(PATH.slice(0, 3), null);
    const events = whole.events.flatMap((event): Event[] => {
      if (event.type === 'run-ended')
        return [{ ...event, outcome: 'interrupted', code: 'INTERRUPTED', reason: 'interrupted by SIGINT' }];
      if (event.type === 'stage-closed' && event.stage === 2) return [{ ...event, outcome: 'interrupted' }];
      return event.type === 'search-judged' && event.stage === 2 ? [] : [event];
    });
    const bundle = changed(whole, { events });
    const [stage] = summarize(bundle).cells[0]?.stages ?? [];
    assert.equal(stage?.outcome, 'interrupted');
    assert.equal(stage?.search?.outcome, null);
    assert.equal(stage?.search?.ratePerSec, 200);
    assert.equal(stage?.search?.result, 2);
    assert.deepEqual(
      stage?.search?.probes.map(({ held }) => held),
      [true, true, null],
    );
    const text = textOf(bundle);
    assert.match(text, /CUT SHORT {2}the run ended after 3 probes: 200\/s had held get\.p99 < 5ms/);
    assert.match(text, /3 {2}growth +400 +400 +60\.0ms {2}- +not judged/);
  });

  test('a probe in which a worker was lost is shown, and counts for nothing', () => {
    const whole = searchBundle(PATH, FOUND);
    const events = whole.events.map(
      (event): Event =>
        event.type === 'search-judged' && event.stage === 3 ? { ...event, judgement: null } : event,
    );
    const [stage] = summarize(changed(whole, { events })).cells[0]?.stages ?? [];
    assert.equal(stage?.search?.probes[3]?.held, null);
  });
});

describe('nothing is let pass in a probe', () => {
  const bundle = searchBundle(PATH, FOUND);

  test('a frame that is missing: INVALID', () => {
    const frames = [...bundle.frames()].filter((bytes) => {
      const { stage, worker, interval } = decodeFrame(bytes);
      return stage !== 2 || worker !== 1 || interval !== 1;
    });
    const { verdict } = summarize(changed(bundle, { bytes: frames }));
    assert.equal(verdict.status, 'INVALID');
    assert.ok(
      verdict.reasons.some(({ text }) => /^peak, probe 3: 1 of 2 frames of worker .* are lost/.test(text)),
    );
  });

  test('counts that do not add up: INVALID, though the probe does not stand for the search', () => {
    const frames = [...bundle.frames()].map((bytes) => {
      const frame = decodeFrame(bytes);
      if (frame.stage !== 2 || frame.worker !== 0 || frame.interval !== 0) return bytes;
      return encodeFrame({ ...frame, rows: frame.rows.map((row) => ({ ...row, sent: row.sent + 1 })) });
    });
    const { verdict } = summarize(changed(bundle, { bytes: frames }));
    assert.equal(verdict.status, 'INVALID');
    assert.ok(
      verdict.reasons.some(({ rule, text }) => rule === 'conservation' && text.startsWith('peak, probe 3')),
    );
  });

  test('a decision that does not follow from the frames: INVALID', () => {
    const events = bundle.events.map(
      (event): Event =>
        event.type === 'search-judged' && event.stage === 3 && event.judgement !== null
          ? { ...event, judgement: { ...event.judgement, held: true, faults: [] } }
          : event,
    );
    const { verdict } = summarize(changed(bundle, { events }));
    assert.equal(verdict.status, 'INVALID');
    assert.match(
      verdict.reasons[0]?.text ?? '',
      /^peak, probe 4: it was judged otherwise than its frames say/,
    );
  });
});

describe('a stage that an objective ended', () => {
  const rule = { any: [{ ...P99, text: 'get.p99 > 5ms', comparison: '>' }], holdMs: 0 } as const;
  const stage: Stage = {
    ...measureStage,
    workloads: searchStage.workloads,
    end: { kind: 'duration', durationMs: 60_000 },
    stopWhen: { ...rule, fewestOperations: 100, fromMs: 0 },
  };
  const bundleOf = (kind: 'measure' | 'warm-up') => {
    const measured = { ...stage, kind, name: kind };
    const after = { ...measureStage, name: 'after' };
    const stages = kind === 'measure' ? [measured] : [measured, after];
    const cells = [{ index: 0, configuration: 'redis7', repetition: 0, coordinates: {}, stages }];
    const row = { operation: 'get', ok: [[6e6, 50]], response: [[6e6, 50]] } as const;
    const samples = stages.map((_, index) => ({
      stage: index,
      workers: [{ frames: [[row], [row], [row]] }],
    }));
    const whole = sampleBundle(samplePlan(1, { cells, missBudget: 1 }), samples);
    const events = whole.events.flatMap((event): Event[] => {
      if (event.type !== 'worker-drained' || event.stage !== 0) return [event];
      const { cell, atMs, wallTime } = event;
      const at = { cell, stage: 0, atMs: atMs + 2_200, wallTime };
      const figures = { objective: rule.any[0], actual: 6e6, firstInterval: 0, lastInterval: 1 };
      return [
        { type: 'stage-stopping', ...at, ...figures },
        { type: 'stage-stop', ...at, reason: 'its objective has come true' },
        event,
      ];
    });
    return changed(whole, { events });
  };

  test('says which, when, and with which figure, and ran to its end', () => {
    const bundle = bundleOf('measure');
    const summary = summarize(bundle);
    const [measured] = summary.cells[0]?.stages ?? [];
    assert.equal(measured?.outcome, 'complete');
    assert.deepEqual(
      [measured?.stoppedBy?.text, measured?.stoppedBy?.actual, measured?.stoppedBy?.lastInterval],
      ['get.p99 > 5ms', 6_000_000, 1],
    );
    assert.match(textOf(bundle), /ended early {2}get\.p99 > 5ms came true after 2\.\d\d s: it was 6\.00 ms/);
    assert.match(renderHtml(bundle, summary), /ended early<\/span> get\.p99 &gt; 5ms came true/);
    assert.equal(exitCodeOf(summary, { strict: true }), 0);
  });

  test('is held against its schedule by nothing that came after', () => {
    const schedule = summarize(bundleOf('measure')).cells[0]?.stages[0]?.load[0]?.schedule;
    assert.equal(schedule?.judged, false);
    assert.ok((schedule?.windowMs ?? 0) < 3_000);
  });

  test('a warm-up says so as well', () => {
    assert.match(
      textOf(bundleOf('warm-up')),
      /^warm-up {2}not measured: .*, ended early: get\.p99 > 5ms came true/m,
    );
  });
});
