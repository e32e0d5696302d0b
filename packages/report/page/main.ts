import uPlot from 'uplot';
import type { PageData, StageCharts } from '../src/html/chart-data.js';
import { type ChartKind, chartSpec } from './charts.js';
import { DARK, readTheme } from './theme.js';

/** Draws the charts when they come into sight, at the width that they have, in the reader's colours. */
interface Drawn {
  readonly figure: HTMLElement;
  readonly plot: HTMLElement;
  readonly charts: StageCharts;
  readonly kind: ChartKind;
  /** Which series the latency chart shows. */
  operation: number;
  chart: uPlot | null;
}

const HEIGHT = 240;
const drawn = new Map<Element, Drawn>();

function draw(entry: Drawn): void {
  entry.chart?.destroy();
  entry.chart = null;
  const spec = chartSpec(entry.kind, entry.charts, entry.operation, readTheme());
  if (spec === null) {
    entry.plot.textContent = 'No operation succeeded: nothing to draw.';
    return;
  }
  entry.plot.textContent = '';
  const width = Math.max(200, entry.plot.clientWidth);
  const cursor =
    entry.kind === 'percentiles'
      ? spec.options.cursor
      : { ...spec.options.cursor, sync: { key: entry.figure.dataset['stage'] ?? '' } };
  entry.chart = new uPlot(
    { ...spec.options, ...(cursor === undefined ? {} : { cursor }), width, height: HEIGHT },
    spec.data,
    entry.plot,
  );
}

/** Latency of one operation at a time: a row of buttons, the total first chosen. */
function addChoice(entry: Drawn): void {
  if (entry.kind !== 'latency' || entry.charts.course.length < 2) return;
  const group = document.createElement('div');
  group.className = 'choice';
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', 'Operation');
  entry.charts.course.forEach(({ name }, index) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = name;
    button.setAttribute('aria-pressed', String(index === entry.operation));
    button.addEventListener('click', () => {
      entry.operation = index;
      for (const other of group.children) other.setAttribute('aria-pressed', String(other === button));
      draw(entry);
    });
    group.append(button);
  });
  entry.figure.querySelector('figcaption')?.append(group);
}

function start(): void {
  const holder = document.getElementById('data');
  if (holder === null) return;
  const data = JSON.parse(holder.textContent ?? '{}') as PageData;
  const resized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const entry = drawn.get(target);
      if (entry?.chart && entry.chart.width !== entry.plot.clientWidth)
        entry.chart.setSize({ width: Math.max(200, entry.plot.clientWidth), height: HEIGHT });
    }
  });
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const entry = drawn.get(target);
        if (!isIntersecting || entry === undefined) continue;
        seen.unobserve(target);
        draw(entry);
        resized.observe(target);
      }
    },
    { rootMargin: '600px' },
  );
  for (const figure of document.querySelectorAll<HTMLElement>('figure.chart')) {
    const charts = data[figure.dataset['stage'] ?? ''];
    const plot = figure.querySelector<HTMLElement>('.plot');
    if (charts === undefined || plot === null) continue;
    plot.textContent = '';
    const kind = figure.dataset['chart'] as ChartKind;
    const entry: Drawn = { figure, plot, charts, kind, operation: charts.course.length - 1, chart: null };
    drawn.set(plot, entry);
    addChoice(entry);
    seen.observe(plot);
  }
  DARK.addEventListener('change', () => {
    for (const entry of drawn.values()) if (entry.chart !== null) draw(entry);
  });
  // Paper has no scrolling: what was not in sight yet is drawn before it is printed.
  addEventListener('beforeprint', () => {
    for (const entry of drawn.values()) if (entry.chart === null) draw(entry);
  });
}

start();
