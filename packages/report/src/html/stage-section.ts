import type { Load, StageSummary, Summary, UnmeasuredStage } from '../summary/schema.js';
import { neverBegan } from '../summary/stage-summary.js';
import { marksText } from '../text/act-section.js';
import { besideText } from '../text/beside-text.js';
import { nearCacheText } from '../text/near-cache-text.js';
import { redirectText } from '../text/redirect-text.js';
import { loadText, observedText, threadText } from '../text/run-section.js';
import { stopText } from '../text/search-text.js';
import { lawText, pacingText, scheduleText } from '../text/schedule-text.js';
import { formatObjective } from '../text/objective-text.js';
import { unbroken } from '../text/width.js';
import { formatBytes, formatCount, formatDuration, formatMs, plural } from '../units.js';
import { drawnPoints } from './chart-data.js';
import { failureTable, figureTable } from './figure-table.js';
import { type Markup, markup } from './markup.js';
import { searchPart } from './search-part.js';
import { workerTable } from './worker-table.js';

/** A measurement: figures, failures, charts, load, workers, start. `chartId` is null where the page draws none. */
export function stageSection(summary: Summary, stage: StageSummary, chartId: string | null): Markup {
  if (neverBegan(stage)) return neverBeganSection(stage);
  return markup`<section class="stage"><h3>${stage.name} ${stageTags(stage)}</h3>
${searchPart(stage)}${earlyEnd(stage)}${objectives(stage)}${figureTable(stage)}${failureTable(stage)}
${chartId === null ? null : charts(stage, chartId)}
${facts(stage)}
<details${workersOpen(stage)}><summary>${plural(stage.workers.length, 'worker')}</summary>${workerTable(summary, stage)}</details>
</section>`;
}

/** A stage that prepares or checks: folded away unless something failed. */
export function briefSection(summary: Summary, stage: StageSummary): Markup {
  if (neverBegan(stage)) return neverBeganSection(stage);
  const failed = failureTable(stage);
  const open = failed !== null || stage.outcome !== 'complete' || (stage.total.misses ?? 0) > 0;
  return markup`<details class="stage"${open ? OPEN : null}><summary><b>${stage.name}</b> ${stageTags(stage)}</summary>
${figureTable(stage)}${failed}${facts(stage)}${workerTable(summary, stage)}</details>`;
}

function neverBeganSection(stage: StageSummary): Markup {
  return markup`<p class="unmeasured"><b>${stage.name}</b> <span class="tag bad">never began</span> <span class="quiet">${stage.outcome}</span></p>`;
}

export function unmeasuredSection(stage: UnmeasuredStage): Markup {
  const failed =
    stage.failures === 0 ? null : markup` <span class="tag bad">${formatCount(stage.failures)} failed</span>`;
  return markup`<p class="unmeasured"><b>${stage.name}</b> <span class="tag">not measured</span>
<span class="quiet">${stage.kind === stage.name ? '' : `${stage.kind}, `}${formatDuration(stage.elapsedMs)}, ${plural(stage.sent, 'operation')}, ${stage.outcome}${stage.stoppedBy === null ? '' : `, ended early: ${stopText(stage.stoppedBy)}`}</span>${failed}</p>`;
}

const OPEN = markup` open`;

/** A few workers are shown at once; a long table waits until it is asked for. */
function workersOpen(stage: StageSummary): Markup | null {
  return stage.workers.length <= 12 || stage.workers.some((worker) => !worker.complete) ? OPEN : null;
}

function stageTags(stage: StageSummary): Markup {
  const { complete, of } = stage.participants;
  const tone = stage.outcome === 'complete' ? '' : 'bad';
  const background = stage.background ? markup`<span class="tag">in the background</span> ` : null;
  return markup`${background}<span class="quiet">${stage.kind === stage.name ? '' : `${stage.kind}, `}${formatDuration(stage.search === null ? stage.elapsedMs : stage.search.totalMs)}</span>
<span class="tag ${tone}">${stage.outcome}</span> <span class="tag ${complete < of ? 'bad' : ''}">${complete} of ${plural(of, 'worker')}</span>`;
}

function earlyEnd({ stoppedBy }: StageSummary): Markup | null {
  if (stoppedBy === null) return null;
  return markup`<p class="note"><span class="tag">ended early</span> ${unbroken(stopText(stoppedBy))}</p>`;
}

function objectives(stage: StageSummary): Markup | null {
  if (stage.objectives.length === 0) return null;
  return markup`<ul class="objectives">${stage.objectives.map(
    (objective) =>
      markup`<li><span class="tag ${objective.met ? 'good' : 'bad'}">${objective.met ? '\u2713 met' : '\u2717 missed'}</span> <code>${objective.text}</code> <span class="quiet">it was ${formatObjective(objective)}</span></li>`,
  )}</ul>`;
}

function charts(stage: StageSummary, id: string): Markup {
  if (drawnPoints(stage.timeline).length === 0)
    return markup`<p class="note">The stage was shorter than an interval: there is no course over time to draw.</p>`;
  const { intervalMs, intervalsPerPoint } = stage.timeline;
  const merged = intervalsPerPoint > 1 ? `, ${intervalsPerPoint} intervals merged into one` : '';
  const time = timeText(stage);
  const failed = stage.timeline.total.some((point) => point.failures > 0)
    ? chart(id, 'failures', 'Failed operations', 'per second')
    : null;
  return markup`<div class="charts">${chart(id, 'rate', 'Throughput', `ok operations per second, each ${formatDuration(intervalMs)}${merged}`)}
${chart(id, 'latency', 'Latency over time', `${time}, log scale`)}
${chart(id, 'percentiles', 'Latency by percentile', `${time}, both axes logarithmic`)}${failed}</div>`;
}

/** What the charts of a stage show; a mixed stage has each. */
function timeText(stage: StageSummary): string {
  const models = new Set(stage.load.map(({ model }) => model));
  if (models.size > 1) return 'response time of open workloads, service time of closed ones';
  return models.has('open') ? 'response time' : 'service time';
}

function chart(id: string, kind: string, title: string, note: string): Markup {
  return markup`<figure class="chart" data-stage="${id}" data-chart="${kind}"><figcaption><b>${title}</b> <span class="quiet">${note}</span></figcaption>
<div class="plot"><p class="without">Drawn with JavaScript; the tables hold the figures.</p></div></figure>`;
}

function facts(stage: StageSummary): Markup {
  const { total, startSkew } = stage;
  const name = (load: Load, text: string) => (stage.load.length > 1 ? `${load.workload}: ${text}` : text);
  const entries: [string, string][] = [];
  const beside = besideText(stage);
  if (beside !== null) entries.push(['beside', beside]);
  const marks = marksText(stage.marks);
  if (marks !== null) entries.push(['marks', marks]);
  for (const load of stage.load) {
    entries.push(['load', name(load, loadText(load))]);
    entries.push(['engine threads', name(load, threadText(load))]);
    if (load.schedule !== null) entries.push(['schedule', name(load, scheduleText(load.schedule))]);
  }
  const observed = observedText(stage);
  if (observed !== null) entries.push(['observed', observed]);
  const nearCache = nearCacheText(stage);
  if (nearCache !== null) entries.push(['near cache', nearCache]);
  const redirects = redirectText(stage);
  if (redirects !== null) entries.push(['redirects', redirects]);
  const pacing = pacingText(stage);
  if (pacing !== null) entries.push(['pacing', pacing]);
  if (stage.kind === 'measure') entries.push(["Little's law", lawText(stage.littlesLaw)]);
  if (total.bytesReceivedPerSec !== null)
    entries.push([
      'network',
      `${formatBytes(total.bytesSentPerSec)}/s sent, ${formatBytes(total.bytesReceivedPerSec)}/s received`,
    ]);
  if (startSkew.spreadMs !== null)
    entries.push([
      'start skew',
      `first operations ${formatMs(startSkew.spreadMs)} apart, ${startSkew.errorBoundMs === null ? 'clock error unknown' : `+/- ${formatMs(startSkew.errorBoundMs)} by the clocks`}`,
    ]);
  return markup`<dl class="facts">${entries.map(([term, text]) => markup`<div><dt>${term}</dt><dd>${unbroken(text)}</dd></div>`)}</dl>`;
}
