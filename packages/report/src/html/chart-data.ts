import type { StageSummary, Timeline, TimelinePoint } from '../summary/schema.js';

/** What the page draws. Arrays of one chart are as long as its `seconds`; null is a gap. */
export interface CourseSeries {
  readonly name: string;
  readonly ratePerSec: readonly (number | null)[];
  readonly p50Ns: readonly (number | null)[];
  readonly p99Ns: readonly (number | null)[];
  readonly maxNs: readonly (number | null)[];
  readonly failuresPerSec: readonly (number | null)[];
}

export interface StageCharts {
  readonly seconds: readonly number[];
  /** What was done to services meanwhile. */
  readonly marks: readonly { readonly seconds: number; readonly text: string }[];
  /** The total is the last. */
  readonly course: readonly CourseSeries[];
  readonly percentiles: readonly {
    readonly name: string;
    /** 1 / (1 - ratio), and the latency there. */
    readonly points: readonly (readonly [oneIn: number, latencyNs: number])[];
  }[];
}

/** By the id of a stage in the page. */
export type PageData = Readonly<Record<string, StageCharts>>;

/** All charts of a page together have at most about so many points, which keeps the page below 2 MB. */
const POINTS = 24_000;
const MOST_PER_CHART = 900;
const FEWEST_PER_CHART = 40;

export function pageData(stages: ReadonlyMap<string, StageSummary>): PageData {
  let series = 0;
  for (const stage of stages.values()) series += stage.rows.length + 1;
  const most = Math.min(MOST_PER_CHART, Math.max(FEWEST_PER_CHART, Math.floor(POINTS / Math.max(1, series))));
  const data: Record<string, StageCharts> = {};
  for (const [id, stage] of stages) data[id] = chartsOf(stage, most);
  return data;
}

/** The points that are drawn: one much shorter than an interval is the drain, whose rates say nothing. */
export function drawnPoints(timeline: Timeline): readonly TimelinePoint[] {
  return timeline.total.filter((point) => point.endMs - point.startMs >= timeline.intervalMs / 2);
}

function chartsOf(stage: StageSummary, most: number): StageCharts {
  const { timeline } = stage;
  const drawn = new Set(drawnPoints(timeline).map((point) => point.interval));
  const several = new Set(stage.rows.map((row) => row.workload)).size > 1;
  const named = [
    ...timeline.rows.map((row) => ({
      name: several ? `${row.workload} ${row.operation}` : row.operation,
      points: row.points.filter((point) => drawn.has(point.interval)),
    })),
    { name: 'total', points: timeline.total.filter((point) => drawn.has(point.interval)) },
  ];
  const shown = named.length === 2 ? named.slice(0, 1) : named;
  const slots = slotsOf(shown[0]?.points ?? [], timeline.intervalMs, most);
  return {
    seconds: slots.map((slot) => round(slot.seconds)),
    marks: stage.marks.map(({ atMs, text }) => ({ seconds: round(atMs / 1_000), text })),
    course: shown.map(({ name, points }) => courseOf(name, points, slots)),
    percentiles: percentilesOf(stage, several),
  };
}

/** One place on the time axis: a run of points of which it shows an extreme, or a gap (no points). */
interface Slot {
  readonly seconds: number;
  readonly from: number;
  readonly to: number;
  /** Which of the two extremes of its run. */
  readonly half: 0 | 1;
}

/**
 * Up to `most` points each stand for themselves. Of more, equal runs are shown by two points each, the least and
 * the largest in the order in which they came, so that no peak and no dip is lost.
 */
function slotsOf(points: readonly TimelinePoint[], intervalMs: number, most: number): Slot[] {
  const run = points.length <= most ? 1 : Math.ceil((2 * points.length) / most);
  const slots: Slot[] = [];
  let endMs: number | null = null;
  for (let from = 0; from < points.length; from += run) {
    const to = Math.min(points.length, from + run);
    const first = points[from];
    const last = points[to - 1];
    if (first === undefined || last === undefined) break;
    if (endMs !== null && first.startMs - endMs > intervalMs / 2)
      slots.push({ seconds: (endMs + first.startMs) / 2_000, from: 0, to: 0, half: 0 });
    endMs = last.endMs;
    const length = last.endMs - first.startMs;
    if (to - from === 1) slots.push({ seconds: (first.startMs + last.endMs) / 2_000, from, to, half: 0 });
    else
      for (const half of [0, 1] as const)
        slots.push({
          seconds: (first.startMs + length * (half === 0 ? 0.25 : 0.75)) / 1_000,
          from,
          to,
          half,
        });
  }
  return slots;
}

function courseOf(name: string, points: readonly TimelinePoint[], slots: readonly Slot[]): CourseSeries {
  const pick = (of: (point: TimelinePoint) => number | null) =>
    slots.map((slot) => extreme(points.slice(slot.from, slot.to).map(of), slot.half));
  return {
    name,
    ratePerSec: pick((point) => point.throughputPerSec),
    p50Ns: pick((point) => point.p50Ns),
    p99Ns: pick((point) => point.p99Ns),
    maxNs: pick((point) => point.maxNs),
    failuresPerSec: pick((point) =>
      point.endMs > point.startMs ? (point.failures * 1_000) / (point.endMs - point.startMs) : null,
    ),
  };
}

function extreme(values: readonly (number | null)[], half: 0 | 1): number | null {
  let least = -1;
  let largest = -1;
  values.forEach((value, index) => {
    if (value === null) return;
    if (least < 0 || value < (values[least] ?? 0)) least = index;
    if (largest < 0 || value > (values[largest] ?? 0)) largest = index;
  });
  if (least < 0) return null;
  const index = half === 0 ? Math.min(least, largest) : Math.max(least, largest);
  return round(values[index] ?? 0);
}

function percentilesOf(stage: StageSummary, several: boolean): StageCharts['percentiles'] {
  const rows = stage.rows.map((row) => ({
    name: several ? `${row.workload} ${row.operation}` : row.operation,
    ...row,
  }));
  const all = rows.length === 1 ? rows : [...rows, { name: 'total', ...stage.total }];
  return all.map(({ name, spectrum, ...figures }) => ({
    name,
    // The maximum is one in all of them.
    points: spectrum.map(({ ratio, latencyNs }): [number, number] => [
      ratio === 1 ? figures.service.count : round(1 / (1 - ratio)),
      latencyNs,
    ]),
  }));
}

/** Five digits are more than a chart shows. */
function round(value: number): number {
  return value === 0 ? 0 : Number(value.toPrecision(5));
}
