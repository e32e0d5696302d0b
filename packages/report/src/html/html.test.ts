import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Plan } from '@pacecar/protocol';
import fc from 'fast-check';
import { measureStage, type SampleRow, sampleBundle, samplePlan } from '../sample-run.test.data.js';
import { summarize } from '../summary/summarize.js';
import { drawnPoints, pageData } from './chart-data.js';
import { renderHtml } from './html.js';
import { jsonForScript, markup, preformatted } from './markup.js';

const row: SampleRow = { operation: 'get', ok: [[1_000_000, 100]] };
const HOSTILE = `</script><img src=x onerror=alert(1)>"'&\u2028`;

function page(changes: Partial<Plan> = {}, rows: readonly SampleRow[] = [row]): string {
  const bundle = sampleBundle(samplePlan(2, changes), [
    { stage: 0, workers: [{ frames: [rows, rows] }, { frames: [rows, rows] }] },
  ]);
  return renderHtml({ ...bundle, scenarioText: `name: ${HOSTILE}\n` }, summarize(bundle));
}

/** What of a page a pattern finds; a failure shows that, not the whole page. */
const found = (text: string, pattern: RegExp): string | null => pattern.exec(text)?.[0] ?? null;
const withoutScript = (text: string): string => text.replace(/<script>[\s\S]*?<\/script>/, '');

describe('markup', () => {
  test('escapes what is put into it, and nothing twice', () => {
    assert.equal(
      markup`<p title="${`a"b`}">${'<b>'}${markup`<i>${'&'}</i>`}${null}${[1, 'x']}</p>`.html,
      '<p title="a&quot;b">&lt;b&gt;<i>&amp;</i>1x</p>',
    );
  });
  test('shows characters that would turn or hide writing', () => {
    assert.equal(markup`${'a\u202eb\u0007'}`.html, 'a\\u202eb\\u0007');
  });
  test('keeps the lines of a preformatted text', () => {
    assert.equal(preformatted('a: 1\n\t<b>\r\n').html, 'a: 1\n\t&lt;b&gt;\n');
  });
  test('JSON in a script element holds no tag, and is still that JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { html } = jsonForScript({ [text]: `</script>${text}<!--` });
        assert.doesNotMatch(html, /[<>\u2028\u2029]/);
        assert.deepEqual(JSON.parse(html), { [text]: `</script>${text}<!--` });
      }),
    );
  });
});

describe('report.html', () => {
  const html = page({
    name: HOSTILE,
    cells: [
      {
        index: 0,
        configuration: 'redis7',
        repetition: 0,
        coordinates: { [HOSTILE]: HOSTILE },
        stages: [{ ...measureStage, name: HOSTILE }],
      },
    ],
  });
  test('shows hostile names as text wherever they stand', () => {
    assert.equal(html.split('<script').length, 3, 'the data and the script of the page, no other');
    assert.equal(html.split('</script').length, 3);
    assert.equal(found(html, /<img/), null);
    assert.ok(html.includes('&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;'));
  });
  test('asks for nothing from anywhere: no source, no link, no import', () => {
    const outside = withoutScript(page());
    assert.equal(found(outside, /<[^>]*\ssrc=|@import|url\(|<link(?! rel="icon" href="data:,">)/), null);
    assert.equal(found(outside, /href="(?!#|data:)/), null);
  });
  test('its policy names the hashes of exactly its script and its style', () => {
    const hash = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`;
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    const script = /<script>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? '';
    const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
    assert.ok(policy.startsWith("default-src 'none';"));
    assert.ok(policy.includes(`script-src '${hash(script)}'`));
    assert.ok(policy.includes(`style-src '${hash(style)}'`));
  });
  test('nothing in it would need an inline style or handler', () => {
    const body = withoutScript(page());
    assert.equal(found(body, /\sstyle="|\son\w+="/), null);
  });
  test('never shows the password of a plan, even if one is there', () => {
    const plan = samplePlan(2);
    const [configuration] = plan.configurations;
    assert.ok(configuration);
    const secret = { ...configuration, target: { ...configuration.target, password: 'hunter2' } };
    const shown = page({ configurations: [secret] });
    assert.equal(found(shown, /hunter2/), null);
    assert.ok(shown.includes('&quot;password&quot;: &quot;***&quot;'));
  });
  test('errors are loud and by kind', () => {
    const shown = page({}, [{ operation: 'get', ok: [[1_000, 90]], errors: { OOM: 7 }, timeouts: 3 }]);
    assert.ok(found(shown, /class="alarm"><h4>40 of 400 operations failed/));
    assert.ok(found(shown, /<td class="text">OOM<\/td>\s*<td class="bad">28<\/td>/));
    assert.ok(found(shown, /class="verdict degraded"/));
  });
  test('the command line says how to run it again', () => {
    const bundle = sampleBundle(samplePlan(1), [{ stage: 0, workers: [{ frames: [[row]] }] }]);
    const commandLine = ['pacecar', 'run', "it's.yaml", '--set', 'a=<b>'];
    const shown = renderHtml({ ...bundle, commandLine }, summarize(bundle));
    assert.ok(shown.includes(`pacecar run &#39;it&#39;\\&#39;&#39;s.yaml&#39; --set &#39;a=&lt;b&gt;&#39;`));
  });
  test('stays below 2 MB for a thousand cells and for long stages', () => {
    const cells = Array.from({ length: 1_000 }, (_, index) => ({
      index,
      configuration: 'redis7',
      repetition: 0,
      coordinates: { size: index },
      stages: [measureStage],
    }));
    const many = sampleBundle(
      samplePlan(1, { cells }),
      cells.map((cell) => ({ cell: cell.index, stage: 0, workers: [{ frames: [[row]] }] })),
    );
    const shown = renderHtml(many, summarize(many));
    assert.ok(shown.length < 2e6, `${shown.length} bytes`);
    assert.ok(shown.includes('The first 24 of 1000 cells are shown in full'));
  });
  test('a run in which nothing happened still has a page', () => {
    const bundle = sampleBundle(samplePlan(1), []);
    const shown = renderHtml(bundle, summarize({ ...bundle, events: [] }));
    assert.ok(found(shown, /class="verdict invalid"/));
    assert.equal(found(withoutScript(shown), /NaN|undefined|Infinity/), null);
  });
});

describe('what charts draw', () => {
  const stageOf = (rates: readonly number[]) => {
    const bundle = sampleBundle(samplePlan(1), [
      {
        stage: 0,
        workers: [
          { frames: rates.map((rate) => [{ operation: 'get', ok: [[1_000 * rate + 1, rate]] as const }]) },
        ],
      },
    ]);
    const stage = summarize(bundle).cells[0]?.stages[0];
    assert.ok(stage);
    return stage;
  };
  test('a short stage is drawn point by point', () => {
    const charts = pageData(new Map([['a', stageOf([5, 7, 6])]]))['a'];
    assert.deepEqual(charts?.seconds, [0.5, 1.5, 2.5]);
    assert.deepEqual(charts?.course.find(({ name }) => name === 'total')?.ratePerSec, [5, 7, 6]);
  });
  test('a long one keeps its extremes: no peak and no dip is lost', () => {
    fc.assert(
      fc.property(fc.integer({ min: 901, max: 1_900 }), fc.nat(), fc.nat(), (length, dip, peak) => {
        const rates = Array.from({ length }, () => 50);
        rates[dip % length] = 1;
        rates[peak % length] = 99;
        const charts = pageData(new Map([['a', stageOf(rates)]]))['a'];
        const drawn = charts?.course.find(({ name }) => name === 'total');
        assert.ok((charts?.seconds.length ?? 0) <= 902);
        assert.equal(Math.min(...(drawn?.ratePerSec ?? []).map((rate) => rate ?? 50)), Math.min(...rates));
        assert.equal(Math.max(...(drawn?.ratePerSec ?? []).map((rate) => rate ?? 50)), 99);
        assert.equal(Math.max(...(drawn?.maxNs ?? []).map((latencyNs) => latencyNs ?? 0)), 99_001);
      }),
      { numRuns: 4 },
    );
  });
  test('an interval without any frame is a gap, and the short drain at the end is left out', () => {
    const stage = stageOf([5, 6, 7]);
    const point = stage.timeline.total[0];
    assert.ok(point);
    const shifted = {
      ...stage,
      timeline: {
        ...stage.timeline,
        total: [
          point,
          { ...point, interval: 4, startMs: 4_000, endMs: 5_000 },
          { ...point, interval: 5, startMs: 5_000, endMs: 5_040 },
        ],
        rows: [],
      },
    };
    assert.equal(drawnPoints(shifted.timeline).length, 2);
    const charts = pageData(new Map([['a', { ...shifted, rows: [] }]]))['a'];
    assert.deepEqual(charts?.seconds, [0.5, 2.5, 4.5]);
    assert.deepEqual(charts?.course.at(-1)?.ratePerSec, [5, null, 5]);
  });
});
