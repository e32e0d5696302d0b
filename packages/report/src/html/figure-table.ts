import { headLatency } from '../summary/head-latency.js';
import { failures } from '../summary/objectives.js';
import type { Figures, Latency, StageSummary } from '../summary/schema.js';
import { formatCount, formatLatency, formatPercent, formatRate } from '../units.js';
import { type Content, type Markup, markup } from './markup.js';

const LATENCIES = [
  ['mean', 'meanNs'],
  ['p50', 'p50Ns'],
  ['p90', 'p90Ns'],
  ['p99', 'p99Ns'],
  ['p99.9', 'p999Ns'],
  ['p99.99', 'p9999Ns'],
  ['max', 'maxNs'],
] as const;

/** A table that scrolls sideways by itself where the screen is narrow; the first column stays in sight. */
export function scrollingTable(caption: string, heads: readonly Content[], rows: readonly Markup[]): Markup {
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table><thead><tr>${heads.map(
    (head) => (typeof head === 'string' ? markup`<th scope="col">${head}</th>` : head),
  )}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** All figures of a stage, one line an operation. */
export function figureTable(stage: StageSummary): Markup {
  const several = new Set(stage.rows.map((row) => row.workload)).size > 1;
  const open = stage.load.some(({ model }) => model === 'open');
  const rows = stage.rows.flatMap((row) =>
    figureRows(several ? `${row.workload} ${row.operation}` : row.operation, row, null, open),
  );
  if (stage.rows.length > 1) rows.push(...figureRows('total', stage.total, 'total', open));
  return scrollingTable(
    `Figures of ${stage.name}`,
    [
      textHead('operation'),
      'sent',
      'failed',
      'hits',
      'ops/s',
      ...(open ? ['late', 'dropped', textHead('time')] : []),
      ...LATENCIES.map(([name]) => name),
    ],
    rows,
  );
}

export function textHead(text: string): Markup {
  return markup`<th scope="col" class="text">${text}</th>`;
}

/** One line; where there is a schedule, service times stand in a line of their own below the response times. */
function figureRows(name: string, figures: Figures, kind: string | null, open: boolean): Markup[] {
  const { time, latency } = headLatency(figures);
  const schedule = open
    ? markup`<td class="${figures.late > 0 ? 'warn' : null}">${formatCount(figures.late)}</td>${failedCell(figures.dropped)}<td class="text">${time}</td>`
    : null;
  const first = markup`<tr class="${kind}"><th scope="row">${name}</th><td>${formatCount(figures.sent)}</td>${failedCell(
    failures(figures),
  )}${hitsCell(figures)}<td class="strong">${formatRate(figures.throughputPerSec)}</td>${schedule}${latencyCells(latency)}</tr>`;
  if (time === 'service') return [first];
  return [
    first,
    markup`<tr class="${kind}"><th scope="row"></th><td></td><td></td><td></td><td></td><td></td><td></td><td class="text">service</td>${latencyCells(figures.service)}</tr>`,
  ];
}

function latencyCells(latency: Latency): Markup[] {
  return LATENCIES.map(([, key]) => markup`<td>${formatLatency(latency[key])}</td>`);
}

export function failedCell(failed: number): Markup {
  return failed > 0 ? markup`<td class="bad">${formatCount(failed)}</td>` : markup`<td>0</td>`;
}

function hitsCell({ misses, hitRatio }: Figures): Markup {
  return markup`<td class="${misses !== null && misses > 0 ? 'warn' : null}">${formatPercent(hitRatio)}</td>`;
}

/** Failed operations by kind, loud; null when nothing failed. */
export function failureTable(stage: StageSummary): Markup | null {
  const lines = stage.rows.flatMap((row) => {
    const kinds = Object.entries(row.errors);
    if (row.timeouts > 0) kinds.push(['timeout', row.timeouts]);
    if (row.aborted > 0) kinds.push(['aborted, fate unknown', row.aborted]);
    return kinds.map(
      ([kind, count]) => markup`<tr><th scope="row">${row.operation}</th><td class="text">${kind}</td>
<td class="bad">${formatCount(count)}</td><td>${formatPercent(Math.min(1, count / row.sent))}</td>
<td>${formatLatency(row.failed?.p50Ns ?? null)}</td><td>${formatLatency(row.failed?.maxNs ?? null)}</td></tr>`,
    );
  });
  if (lines.length === 0) return null;
  return markup`<div class="alarm"><h4>${formatCount(failures(stage.total))} of ${formatCount(
    stage.total.sent,
  )} operations failed</h4>${scrollingTable(
    `Failed operations of ${stage.name}`,
    [textHead('operation'), textHead('kind'), 'count', 'of sent', 'p50 of all failed', 'max of all failed'],
    lines,
  )}</div>`;
}
