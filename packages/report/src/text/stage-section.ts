import { headLatency } from '../summary/head-latency.js';
import { failures } from '../summary/objectives.js';
import { neverBegan } from '../summary/stage-summary.js';
import type { Figures, Latency, StageSummary, Timeline, UnmeasuredStage } from '../summary/schema.js';
import {
  compact,
  formatBytes,
  formatCount,
  formatDuration,
  formatLatency,
  formatMs,
  formatPercent,
  formatRate,
  plural,
} from '../units.js';
import { marksText } from './act-section.js';
import { besideText } from './beside-text.js';
import type { Ink } from './ink.js';
import { nearCacheText } from './near-cache-text.js';
import { redirectText } from './redirect-text.js';
import { loadText, observedText, threadText } from './run-section.js';
import { lawText, pacingText, scheduleText } from './schedule-text.js';
import { searchLines } from './search-section.js';
import { stopText } from './search-text.js';
import { sparkline } from './sparkline.js';
import { type CellText, type Column, renderTable } from './table.js';
import { objectiveLines } from './verdict-section.js';
import { printable, wrap } from './width.js';

const COUNTS: readonly Column[] = [
  { heading: 'op', align: 'left', group: 0, most: 24 },
  { heading: 'sent', align: 'right', group: 1 },
  { heading: 'failed', align: 'right', group: 1 },
  { heading: 'hits', align: 'right', group: 1 },
  { heading: 'ops/s', align: 'right', group: 1 },
];
/** Only of an open model. */
const SCHEDULE: readonly Column[] = [
  { heading: 'late', align: 'right', group: 1 },
  { heading: 'dropped', align: 'right', group: 1 },
];
const TIME: readonly Column[] = [{ heading: 'time', align: 'left', group: 2 }];
const LATENCIES: readonly Column[] = [
  { heading: 'mean', align: 'right', group: 2 },
  { heading: 'p50', align: 'right', group: 2 },
  { heading: 'p90', align: 'right', group: 2 },
  { heading: 'p99', align: 'right', group: 2 },
  { heading: 'p99.9', align: 'right', group: 2 },
  { heading: 'p99.99', align: 'right', group: 2 },
  { heading: 'max', align: 'right', group: 2 },
];

/** Everything of one stage: table of operations, errors, load, start skew, course over time, objectives. */
export function stageLines(stage: StageSummary, columns: number, ink: Ink): string[] {
  if (neverBegan(stage)) return [neverBeganLine(stage, ink)];
  const lines = [`${ink('bold', printable(stage.name))}  ${stageFacts(stage, ink)}`];
  if (stage.search !== null) lines.push(...searchLines(stage.search, columns, ink));
  lines.push(...stopLines(stage, columns, ink));
  const several = new Set(stage.rows.map((row) => row.workload)).size > 1;
  const open = stage.load.some(({ model }) => model === 'open');
  const rows = stage.rows.flatMap((row) =>
    rowCells(several ? `${row.workload} ${row.operation}` : row.operation, row, open),
  );
  if (stage.rows.length > 1) rows.push(...rowCells('total', stage.total, open));
  const heads = open ? [...COUNTS, ...SCHEDULE, ...TIME, ...LATENCIES] : [...COUNTS, ...LATENCIES];
  lines.push(...renderTable(heads, rows, columns, ink));
  for (const row of stage.rows)
    lines.push(
      ...errorLines(several ? `${row.workload} ${row.operation}` : row.operation, row, columns, ink),
    );
  lines.push(...factLines(stage, columns, ink));
  lines.push(...objectiveLines(stage.objectives, ink));
  return lines;
}

/** One line an operation, for the stages that only prepare or check. */
export function briefLines(stage: StageSummary, columns: number, ink: Ink): string[] {
  if (neverBegan(stage)) return [neverBeganLine(stage, ink)];
  const lines = [`${ink('bold', printable(stage.name))}  ${stageFacts(stage, ink)}`];
  for (const row of stage.rows) {
    const reads = row.hitRatio === null ? '' : `, hits ${formatPercent(row.hitRatio)}`;
    const { latency } = headLatency(row);
    const text = `${row.operation} ${formatCount(row.sent)}${reads}, ${formatRate(row.throughputPerSec)} ops/s, p50 ${formatLatency(latency.p50Ns)}, p99 ${formatLatency(latency.p99Ns)}, max ${formatLatency(latency.maxNs)}`;
    lines.push(...wrap(printable(text), columns - 2).map((line) => `  ${line}`));
    lines.push(...errorLines(row.operation, row, columns, ink));
  }
  const beside = besideText(stage);
  if (beside !== null)
    lines.push(...wrap(printable(`beside ${beside}`), columns - 2).map((line) => `  ${ink('dim', line)}`));
  return lines;
}

function neverBeganLine(stage: StageSummary, ink: Ink): string {
  return `${ink('bold', printable(stage.name))}  ${kindOf(stage)}${stage.background ? 'in the background, ' : ''}never began, ${ink('bad', stage.outcome.toUpperCase())}`;
}

export function unmeasuredLine(stage: UnmeasuredStage, ink: Ink): string {
  const failed = stage.failures === 0 ? '' : `, ${ink('bad', `${formatCount(stage.failures)} FAILED`)}`;
  const early = stage.stoppedBy === null ? '' : `, ended early: ${printable(stopText(stage.stoppedBy))}`;
  return `${ink('bold', printable(stage.name))}  ${kindOf(stage)}not measured: ${formatDuration(stage.elapsedMs)}, ${plural(stage.sent, 'operation')}${failed}, ${stage.outcome}${early}`;
}

/** Why the stage ended before its end; nothing where it did not. */
function stopLines({ stoppedBy }: StageSummary, columns: number, ink: Ink): string[] {
  if (stoppedBy === null) return [];
  const lead = 'ended early';
  const [first = '', ...rest] = wrap(printable(stopText(stoppedBy)), Math.max(20, columns - lead.length - 4));
  return [`  ${ink('warn', lead)}  ${first}`, ...rest.map((line) => ' '.repeat(lead.length + 4) + line)];
}

function stageFacts(stage: StageSummary, ink: Ink): string {
  const { complete, of } = stage.participants;
  const outcome = stage.outcome === 'complete' ? 'complete' : ink('bad', stage.outcome.toUpperCase());
  const workers = `${complete} of ${plural(of, 'worker')}`;
  const lengthMs = stage.search === null ? stage.elapsedMs : stage.search.totalMs;
  const search = stage.search === null ? '' : 'search, ';
  const background = stage.background ? 'in the background, ' : '';
  return `${kindOf(stage)}${background}${search}${formatDuration(lengthMs)}, ${outcome}, ${complete < of ? ink('bad', workers) : workers}`;
}

/** Not said twice: most stages are named by their kind. */
function kindOf({ name, kind }: { readonly name: string; readonly kind: string }): string {
  return name === kind ? '' : `${kind}, `;
}

/** One line; in a stage with a schedule, service times stand in a line of their own below the response times. */
function rowCells(name: string, figures: Figures, open: boolean): CellText[][] {
  const failed = failures(figures);
  const counts: CellText[] = [
    { text: printable(name) },
    { text: formatCount(figures.sent) },
    failed > 0 ? { text: formatCount(failed), tone: 'bad' } : { text: '0' },
    figures.misses !== null && figures.misses > 0
      ? { text: compact(formatPercent(figures.hitRatio)), tone: 'warn' }
      : { text: compact(formatPercent(figures.hitRatio)) },
    { text: formatRate(figures.throughputPerSec) },
  ];
  if (!open) return [[...counts, ...latencyCells(figures.service)]];
  counts.push(
    { text: formatCount(figures.late), tone: figures.late > 0 ? 'warn' : 'plain' },
    { text: formatCount(figures.dropped), tone: figures.dropped > 0 ? 'bad' : 'plain' },
  );
  const { time, latency } = headLatency(figures);
  const first = [...counts, { text: time }, ...latencyCells(latency)];
  if (time === 'service') return [first];
  const blank = counts.map(() => ({ text: '' }));
  return [first, [...blank, { text: 'service' }, ...latencyCells(figures.service)]];
}

function latencyCells(latency: Latency): CellText[] {
  return [
    latency.meanNs,
    latency.p50Ns,
    latency.p90Ns,
    latency.p99Ns,
    latency.p999Ns,
    latency.p9999Ns,
    latency.maxNs,
  ].map((latencyNs) => ({ text: compact(formatLatency(latencyNs)) }));
}

/** Loud, and nothing when nothing failed. */
function errorLines(name: string, figures: Figures, columns: number, ink: Ink): string[] {
  const failed = failures(figures);
  if (failed === 0) return [];
  const kinds = Object.entries(figures.errors).map(([kind, count]) => `${kind} ${formatCount(count)}`);
  if (figures.timeouts > 0) kinds.push(`timeouts ${formatCount(figures.timeouts)}`);
  if (figures.aborted > 0) kinds.push(`aborted ${formatCount(figures.aborted)}`);
  const slow =
    figures.failed === null
      ? ''
      : `; they took p50 ${formatLatency(figures.failed.p50Ns)}, max ${formatLatency(figures.failed.maxNs)}`;
  const text = `FAILED ${name}: ${formatCount(failed)} of ${formatCount(figures.sent)} (${formatPercent(Math.min(1, failed / figures.sent))}): ${kinds.join(', ')}${slow}`;
  return wrap(printable(text), columns - 4).map(
    (line, index) => `  ${index === 0 ? ink('bad', '! ') : '  '}${ink('bad', line)}`,
  );
}

function factLines(stage: StageSummary, columns: number, ink: Ink): string[] {
  const facts: [string, string][] = [];
  const beside = besideText(stage);
  if (beside !== null) facts.push(['beside', beside]);
  const marks = marksText(stage.marks);
  if (marks !== null) facts.push(['marks', marks]);
  const width = Math.max(20, columns - 11);
  for (const load of stage.load) {
    const name = stage.load.length > 1 ? `${load.workload}: ` : '';
    facts.push(['load', name + loadText(load)]);
    facts.push(['threads', name + threadText(load)]);
    if (load.schedule !== null) facts.push(['schedule', name + scheduleText(load.schedule)]);
  }
  const observed = observedText(stage);
  if (observed !== null) facts.push(['observed', observed]);
  const nearCache = nearCacheText(stage);
  if (nearCache !== null) facts.push(['cache', nearCache]);
  const redirects = redirectText(stage);
  if (redirects !== null) facts.push(['redirects', redirects]);
  const { total } = stage;
  if (total.bytesReceivedPerSec !== null)
    facts.push([
      'network',
      `${formatBytes(total.bytesSentPerSec)}/s sent, ${formatBytes(total.bytesReceivedPerSec)}/s received`,
    ]);
  const pacing = pacingText(stage);
  if (pacing !== null) facts.push(['pacing', pacing]);
  if (stage.kind === 'measure') facts.push(['law', lawText(stage.littlesLaw)]);
  if (stage.startSkew.spreadMs !== null) {
    const { spreadMs, errorBoundMs } = stage.startSkew;
    const bound =
      errorBoundMs === null ? 'clock error unknown' : `+/- ${formatMs(errorBoundMs)} by the clocks`;
    facts.push(['start', `first operations ${formatMs(spreadMs)} apart (${bound})`]);
  }
  const lines = facts.flatMap(([label, text]) => {
    const [first = '', ...rest] = wrap(printable(text), width);
    return [`  ${ink('dim', label.padEnd(8))} ${first}`, ...rest.map((line) => `           ${line}`)];
  });
  return [...lines, ...courseLines(stage.timeline, columns, ink)];
}

/** Throughput and p99 over time. Points much shorter than an interval (the drain) are left out. */
function courseLines(timeline: Timeline, columns: number, ink: Ink): string[] {
  const points = timeline.total.filter((point) => point.endMs - point.startMs >= timeline.intervalMs / 2);
  if (points.length < 3) return [];
  const most = Math.min(60, columns - 40);
  if (most < 10) return [];
  const rates = points.map((point) => point.throughputPerSec);
  const slow = points.map((point) => point.p99Ns);
  const known = rates.filter((rate) => rate !== null);
  const knownSlow = slow.filter((latencyNs) => latencyNs !== null);
  const range = (least: string, largest: string) => (least === largest ? least : `${least} .. ${largest}`);
  const lines: string[] = [];
  if (known.length > 0)
    lines.push(
      `  ${ink('dim', 'ops/s   ')} ${sparkline(rates, most)}  ${range(formatRate(Math.min(...known)), formatRate(Math.max(...known)))}`,
    );
  if (knownSlow.length > 0)
    lines.push(
      `  ${ink('dim', 'p99     ')} ${sparkline(slow, most)}  ${range(formatLatency(Math.min(...knownSlow)), formatLatency(Math.max(...knownSlow)))}`,
    );
  return lines;
}
