import { isWithoutRate } from '../exit-code.js';
import { coordinateNames, hasRepetitions } from '../summary/cell-label.js';
import { failures } from '../summary/objectives.js';
import type { CellSummary, Level, StageSummary, Summary } from '../summary/schema.js';
import {
  formatCount,
  formatDuration,
  formatLatency,
  formatPercent,
  formatRate,
  formatWallTime,
  plural,
} from '../units.js';
import { headlineOf } from '../verdict/headline.js';
import { unbroken } from '../text/width.js';
import { failedCell, scrollingTable, textHead } from './figure-table.js';
import { type Markup, markup } from './markup.js';

/** Shape and word say it; colour only repeats it. */
const SIGN: Readonly<Record<Level, string>> = { VALID: '\u2713', DEGRADED: '\u25b2', INVALID: '\u2717' };
const CELLS_COMPARED = 1_000;

export function masthead(summary: Summary): Markup {
  const { run } = summary;
  const headline = headlineOf(summary);
  const mark = headline.mark === null ? null : markup` <span class="mark">${headline.mark}</span>`;
  const more = summary.verdict.reasons.slice(1);
  return markup`<header><p class="brand">Pacecar report</p><h1>${run.name}</h1>
<p class="quiet">${formatWallTime(run.startedAt)}, ${formatDuration(run.durationMs)} in all, ${plural(run.participants.joined, 'worker')}${run.cells.of > 1 ? `, ${run.cells.complete} of ${plural(run.cells.of, 'cell')} complete` : ''}</p></header>
<div class="verdict ${headline.status.toLowerCase()}" role="status"><p class="word"><span class="sign" aria-hidden="true">${SIGN[headline.status]}</span>${headline.status}${mark}</p>
<div><p>${unbroken(headline.text)}</p>${
    more.length === 0
      ? null
      : markup`<ul>${more.map((reason) => markup`<li><b>${reason.level}</b> ${unbroken(reason.text)}</li>`)}</ul>`
  }</div></div>`;
}

/** The figures that are asked for first, of the only measurement. */
export function tiles(stage: StageSummary): Markup {
  const { total } = stage;
  const failed = failures(total);
  const tile = (label: string, figure: string, more: string | null = null) =>
    markup`<div class="tile ${more === null ? '' : 'bad'}"><dt>${label}</dt><dd>${unbroken(figure)}${more === null ? null : markup` <small>${unbroken(more)}</small>`}</dd></div>`;
  return markup`<dl class="tiles">${tile('throughput, ops/s', formatRate(total.throughputPerSec))}
${tile('p50', formatLatency(total.service.p50Ns))}${tile('p99', formatLatency(total.service.p99Ns))}
${tile('max', formatLatency(total.service.maxNs))}${tile('operations', formatCount(total.sent))}
${tile('failed', formatCount(failed), failed === 0 ? null : formatPercent(Math.min(1, failed / total.sent)))}</dl>`;
}

/** All measure stages of all cells side by side, totals only. */
export function comparison(summary: Summary, idOf: (cell: CellSummary) => string | null): Markup {
  const coordinates = coordinateNames(summary);
  const repetitions = hasRepetitions(summary);
  const measured = summary.cells.flatMap((cell) =>
    cell.stages.filter(({ kind }) => kind === 'measure').map((stage) => ({ cell, stage })),
  );
  const fastest = Math.max(0, ...measured.map(({ stage }) => stage.total.throughputPerSec ?? 0));
  const severalStages = new Set(measured.map(({ stage }) => stage.name)).size > 1;
  const rows = measured.slice(0, CELLS_COMPARED).map(({ cell, stage }) => {
    const { total } = stage;
    const id = idOf(cell);
    const number = `#${cell.index + 1}`;
    const none = stage.search !== null && isWithoutRate(stage.search);
    // Figures of a rate that does not hold are no result beside those of rates that do.
    const rate = none ? null : total.throughputPerSec;
    const latency = (latencyNs: number | null) => formatLatency(none ? null : latencyNs);
    return markup`<tr><th scope="row">${id === null ? number : markup`<a href="#${id}">${number}</a>`}</th><td class="text">${cell.configuration}</td>
${coordinates.map((name) => markup`<td class="text">${String(cell.coordinates[name] ?? '-')}</td>`)}${repetitions ? markup`<td>${cell.repetition + 1}</td>` : null}
${severalStages ? markup`<td class="text">${stage.name}</td>` : null}<td class="strong">${none ? 'none' : formatRate(rate)}</td>
<td class="text">${share(fastest === 0 ? 0 : (rate ?? 0) / fastest)}</td>${failedCell(failures(total))}
<td>${latency(total.service.p50Ns)}</td><td>${latency(total.service.p99Ns)}</td><td>${latency(total.service.p999Ns)}</td><td>${latency(total.service.maxNs)}</td></tr>`;
  });
  const hidden = measured.length - rows.length;
  return markup`${scrollingTable(
    'All cells',
    [
      textHead('cell'),
      textHead('configuration'),
      ...coordinates.map(textHead),
      ...(repetitions ? ['repetition'] : []),
      ...(severalStages ? [textHead('stage')] : []),
      'ops/s',
      textHead('of the fastest'),
      'failed',
      'p50',
      'p99',
      'p99.9',
      'max',
    ],
    rows,
  )}${hidden > 0 ? markup`<p class="note">${formatCount(hidden)} more: <code>pacecar report BUNDLE --format csv</code></p>` : null}`;
}

function share(ratio: number): Markup {
  return markup`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" width="110" height="8" aria-hidden="true"><rect class="track" width="100" height="8" rx="2"/><rect class="fill" width="${Math.round(ratio * 1_000) / 10}" height="8" rx="2"/></svg>`;
}
