import type uPlot from 'uplot';
import type { StageCharts } from '../src/html/chart-data.js';
import { formatLatency, formatRate } from '../src/units.js';
import { secondTicks, shareTicks, tenTicks } from './ticks.js';
import { DASHES, type Theme } from './theme.js';

export type ChartKind = 'rate' | 'latency' | 'percentiles' | 'failures';

export interface ChartSpec {
  readonly options: Omit<uPlot.Options, 'width' | 'height'>;
  readonly data: uPlot.AlignedData;
}

// oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- uPlot declares a const enum, which isolated modules cannot read
const LOGARITHMIC = 3 as uPlot.Scale.Distr;
/** Marks of an axis are round: 80k, not 80.0k. */
const TRAILING_ZEROS = /\.0+(?!\d)/;
const FONT = '12px system-ui, sans-serif';

interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly stroke: string;
  readonly dash: readonly number[];
  readonly width: number;
  readonly fill?: string;
}

/** null when there is nothing to draw. `operation` is the series of the latency chart. */
export function chartSpec(
  kind: ChartKind,
  charts: StageCharts,
  operation: number,
  theme: Theme,
): ChartSpec | null {
  if (kind === 'percentiles') return percentileSpec(charts, theme);
  if (charts.seconds.length === 0) return null;
  if (kind === 'latency') return latencySpec(charts, operation, theme);
  const total = charts.course.length - 1;
  const lines =
    kind === 'failures'
      ? charts.course.slice(total).map(
          (series): Line => ({
            label: 'failed',
            values: series.failuresPerSec,
            stroke: theme.bad,
            dash: [],
            width: 2,
            fill: theme.badTint,
          }),
        )
      : charts.course.map((series, index): Line => {
          const main = index === total && total > 0;
          return {
            label: series.name,
            values: series.ratePerSec,
            stroke: main ? theme.text : colorOf(theme, index),
            dash: main ? [] : dashOf(index),
            width: main ? 2 : 1.75,
          };
        });
  return {
    options: {
      ...FRAME,
      scales: { x: timeScale(charts), y: { range: (_chart, _least, largest) => fromZero(largest) } },
      axes: [timeAxis(theme), valueAxis(theme, (value) => formatRate(value).replace(TRAILING_ZEROS, ''))],
      series: [timeSeries(), ...lines.map((line) => seriesOf(line, formatRate))],
      cursor: cursorOf(charts),
      hooks: markHooks(charts, theme),
    },
    data: aligned(charts.seconds, lines),
  };
}

function latencySpec(charts: StageCharts, operation: number, theme: Theme): ChartSpec | null {
  const course = charts.course[operation];
  if (course === undefined) return null;
  const lines: Line[] = [
    { label: 'p50', values: course.p50Ns, stroke: colorOf(theme, 0), dash: [], width: 2 },
    { label: 'p99', values: course.p99Ns, stroke: colorOf(theme, 1), dash: dashOf(1), width: 2 },
    { label: 'max', values: course.maxNs, stroke: colorOf(theme, 2), dash: dashOf(2), width: 1.75 },
  ];
  return {
    options: {
      ...FRAME,
      scales: {
        x: timeScale(charts),
        y: { distr: LOGARITHMIC, range: (_chart, least, largest) => decades(least, largest) },
      },
      axes: [timeAxis(theme), latencyAxis(theme)],
      series: [timeSeries(), ...lines.map((line) => seriesOf(line, formatLatency))],
      cursor: cursorOf(charts),
      hooks: markHooks(charts, theme),
    },
    data: aligned(
      charts.seconds,
      lines.map((line) => ({ ...line, values: line.values.map(positive) })),
    ),
  };
}

function percentileSpec(charts: StageCharts, theme: Theme): ChartSpec | null {
  const drawn = charts.percentiles.filter(({ points }) => points.length > 0);
  if (drawn.length === 0) return null;
  const xs = [...new Set(drawn.flatMap(({ points }) => points.map(([oneIn]) => oneIn)))].sort(
    (a, b) => a - b,
  );
  const total = charts.percentiles.length - 1;
  const lines = drawn.map(({ name, points }): Line => {
    const index = charts.percentiles.findIndex((each) => each.name === name);
    const main = index === total && total > 0;
    const at = new Map(points);
    return {
      label: name,
      values: xs.map((oneIn) => positive(at.get(oneIn) ?? null)),
      stroke: main ? theme.text : colorOf(theme, index),
      dash: main ? [] : dashOf(index),
      width: 2,
    };
  });
  return {
    options: {
      ...FRAME,
      scales: {
        x: { time: false, distr: LOGARITHMIC, range: [1, Math.max(10, xs.at(-1) ?? 10)] },
        y: { distr: LOGARITHMIC, range: (_chart, least, largest) => decades(least, largest) },
      },
      axes: [
        {
          ...axisOf(theme),
          size: 32,
          splits: (_chart, _axis, least, largest) => tenTicks(least, largest),
          values: (_chart, splits) => splits.map((value) => (value === null ? '' : shareTicks(value))),
        },
        latencyAxis(theme),
      ],
      series: [
        { label: 'at or below', value: (_chart, value) => (value === null ? '' : shareTicks(value)) },
        ...lines.map((line) => ({ ...seriesOf(line, formatLatency), spanGaps: true })),
      ],
      cursor: { points: { size: 7 }, drag: { x: false, y: false } },
    },
    data: aligned(xs, lines),
  };
}

/** A line and its text wherever something was done to a service. */
function markHooks({ marks }: StageCharts, theme: Theme): uPlot.Hooks.Arrays {
  if (marks.length === 0) return {};
  const drawMarks = (chart: uPlot): void => {
    const { ctx, bbox } = chart;
    const scale = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = theme.bad;
    ctx.fillStyle = theme.bad;
    ctx.lineWidth = scale;
    ctx.setLineDash([4 * scale, 3 * scale]);
    ctx.font = `${11 * scale}px system-ui, sans-serif`;
    ctx.textBaseline = 'top';
    for (const [index, { seconds, text }] of marks.entries()) {
      const x = Math.round(chart.valToPos(seconds, 'x', true));
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      // Texts of marks that are close to each other stand below each other, and turn back at the right end.
      const left = x + ctx.measureText(text).width + 4 * scale > bbox.left + bbox.width;
      ctx.textAlign = left ? 'right' : 'left';
      ctx.fillText(text, x + (left ? -3 : 3) * scale, bbox.top + (2 + 13 * (index % 4)) * scale);
    }
    ctx.restore();
  };
  return { draw: [drawMarks] };
}

const FRAME: Pick<uPlot.Options, 'legend' | 'padding'> = {
  legend: {
    live: true,
    markers: {
      width: 0,
      fill: (chart, index) => {
        const stroke = chart.series[index]?.stroke;
        const color = typeof stroke === 'function' ? stroke(chart, index) : stroke;
        return typeof color === 'string' ? color : '';
      },
    },
  },
  padding: [10, 14, 0, 0],
};

function axisOf(theme: Theme): uPlot.Axis {
  return {
    stroke: theme.quiet,
    font: FONT,
    grid: { stroke: theme.grid, width: 1 },
    ticks: { stroke: theme.grid, width: 1, size: 4 },
    gap: 4,
  };
}

/** From the stage's start to its end; points stand in the middle of their interval. */
function timeScale(charts: StageCharts): uPlot.Scale {
  const first = charts.seconds[0] ?? 0;
  const last = charts.seconds.at(-1) ?? 0;
  return {
    time: false,
    range: (_chart, least, largest) => [
      least === null || least <= first ? 0 : least,
      largest === null || largest >= last ? last + first : largest,
    ],
  };
}

function timeAxis(theme: Theme): uPlot.Axis {
  return {
    ...axisOf(theme),
    size: 32,
    values: (_chart, splits) => splits.map((value) => (value === null ? '' : secondTicks(value))),
  };
}

function valueAxis(theme: Theme, format: (value: number) => string): uPlot.Axis {
  return {
    ...axisOf(theme),
    size: 58,
    values: (_chart, splits) => splits.map((value) => (value === null ? '' : format(value))),
  };
}

function latencyAxis(theme: Theme): uPlot.Axis {
  return {
    ...valueAxis(theme, (value) => formatLatency(value).replace(TRAILING_ZEROS, '')),
    splits: (_chart, _axis, least, largest) => tenTicks(least, largest),
    // By default only powers of ten would be named.
    filter: (_chart, splits) => splits,
  };
}

function timeSeries(): uPlot.Series {
  return { label: 'time', value: (_chart, value) => (value === null ? '' : secondTicks(value)) };
}

function seriesOf(line: Line, format: (value: number | null) => string): uPlot.Series {
  return {
    label: line.label,
    stroke: line.stroke,
    dash: [...line.dash],
    ...(line.fill === undefined ? {} : { fill: line.fill }),
    width: line.width,
    points: { show: (_chart, _index, from, to) => to - from < 3 },
    value: (_chart, value) => (value === null ? '' : format(value)),
  };
}

/** Charts of one stage share their cursor; dragging zooms in, a double click zooms out. */
function cursorOf(charts: StageCharts): uPlot.Cursor {
  return {
    points: { size: 7 },
    drag: { x: charts.seconds.length > 3, y: false },
  };
}

function aligned(xs: readonly number[], lines: readonly Line[]): uPlot.AlignedData {
  return [[...xs], ...lines.map((line) => [...line.values])];
}

function fromZero(largest: number | null): uPlot.Range.MinMax {
  return [0, largest === null || largest <= 0 ? 1 : largest * 1.08];
}

/** From the half decade below to the one above, so that a logarithmic axis has at least two marks. */
function decades(least: number | null, largest: number | null): uPlot.Range.MinMax {
  if (least === null || largest === null || least <= 0) return [1, 10];
  const low = 10 ** Math.floor(Math.log10(least));
  const high = 10 ** Math.ceil(Math.log10(largest * 1.01));
  return [least >= low * 4 ? low * 3 : low, largest <= high / 4 ? high / 3 : high];
}

/** A logarithmic axis has no zero. */
function positive(value: number | null): number | null {
  return value === null ? null : Math.max(1, value);
}

function colorOf(theme: Theme, index: number): string {
  return theme.series[index % theme.series.length] ?? theme.text;
}

function dashOf(index: number): readonly number[] {
  return DASHES[index % DASHES.length] ?? [];
}
