import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { renderHtml, summarize } from '@pacecar/report';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findProgram, needs } from '../services/installed.js';
import { pageBundle } from './page-bundle.js';

const HOSTILE = `</script><img src=x onerror=alert(1)>"'&\u2028`;

/** report.html in a real browser, opened from disk. */
describe('report.html in a browser', needs('chromium'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'pacecar-page-'));
  let browser: Browser;

  before(async () => {
    browser = await chromium.launch({
      executablePath: findProgram('chromium') ?? '',
      // Chromium's sandbox does not start for root, as in most containers; the page is our own file.
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    });
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens the report and collects whatever should not happen. */
  async function open(
    name: string,
    options: BrowserContextOptions,
  ): Promise<{ page: Page; faults: string[]; close: () => Promise<void> }> {
    const source = pageBundle(name);
    const file = join(folder, 'report.html');
    writeFileSync(file, renderHtml(source, summarize(source)));
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const faults: string[] = [];
    const url = pathToFileURL(file).href;
    page.on('request', (request) => {
      if (request.url() !== url) faults.push(`request ${request.url().slice(0, 100)}`);
    });
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        faults.push(`console ${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => faults.push(`error ${error.message}`));
    page.on('dialog', (dialog) => {
      faults.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(url);
    return { page, faults, close: () => context.close() };
  }

  /** Scrolls every chart into sight and says how many colours each has; blank is 0. */
  async function coloursOfCharts(page: Page): Promise<number[]> {
    const figures = await page.locator('figure.chart').all();
    const colours: number[] = [];
    for (const figure of figures) {
      await figure.scrollIntoViewIfNeeded();
      const canvas = figure.locator('canvas');
      await canvas.waitFor();
      colours.push(
        await canvas.evaluate((element) => {
          const drawing = element as unknown as {
            width: number;
            height: number;
            getContext(kind: '2d'): { getImageData(...at: number[]): { data: Uint8ClampedArray } };
          };
          const { data } = drawing.getContext('2d').getImageData(0, 0, drawing.width, drawing.height);
          const seen = new Set<string>();
          for (let at = 0; at < data.length; at += 4)
            if (data[at + 3] === 255) seen.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
          return seen.size;
        }),
      );
    }
    return colours;
  }

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [360, 1280])
      test(`${colorScheme}, ${width} pixels wide: charts are drawn, nothing is fetched, nothing sticks out`, async () => {
        const { page, faults, close } = await open('quickstart', {
          colorScheme,
          viewport: { width, height: 800 },
        });
        const colours = await coloursOfCharts(page);
        assert.equal(colours.length, 4, 'throughput, latency, percentiles, failures');
        for (const count of colours) assert.ok(count >= 3, `a chart of ${count} colours`);
        const inner = await page.evaluate('document.documentElement.scrollWidth');
        assert.equal(inner, width, 'the page scrolls only downwards');
        assert.deepEqual(faults, []);
        await close();
      });

  test('light and dark look different, also in the charts', async () => {
    const backgrounds = new Set<unknown>();
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, close } = await open('quickstart', { colorScheme });
      backgrounds.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      await close();
    }
    assert.equal(backgrounds.size, 2);
  });

  test('a click shows the latency of one operation', async () => {
    const { page, faults, close } = await open('quickstart', {});
    const chart = page.locator('figure[data-chart="latency"]');
    await chart.scrollIntoViewIfNeeded();
    const put = chart.getByRole('button', { name: 'put' });
    assert.equal(await put.getAttribute('aria-pressed'), 'false');
    await put.click();
    assert.equal(await put.getAttribute('aria-pressed'), 'true');
    assert.equal(await chart.locator('canvas').count(), 1);
    assert.deepEqual(faults, []);
    await close();
  });

  test('without JavaScript every figure is there to read', async () => {
    const { page, faults, close } = await open('quickstart', { javaScriptEnabled: false });
    const text = await page.locator('main').innerText();
    for (const expected of [
      'VALID',
      '480 of',
      'quickstart 2',
      'OOM',
      'Redis 7.0.15',
      'class wire',
      'start skew',
    ])
      assert.ok(text.includes(expected), `${expected} is missing`);
    assert.ok((await page.locator('table').count()) >= 3);
    assert.match(text, /Drawn with JavaScript; the tables hold the figures/);
    assert.deepEqual(faults, []);
    await close();
  });

  test('hostile names are shown as they are and run nothing', async () => {
    const { page, faults, close } = await open(HOSTILE, {});
    const shown = HOSTILE.replace('\u2028', '\\u2028');
    assert.equal(await page.locator('h1').textContent(), shown);
    assert.equal(await page.locator('img').count(), 0);
    await coloursOfCharts(page);
    assert.deepEqual(faults, []);
    await close();
  });
});
