import { headLatency } from '../summary/head-latency.js';
import { failures } from '../summary/objectives.js';
import type { StageSummary, Summary, WorkerStage } from '../summary/schema.js';
import { formatCount, formatDuration, formatLatency, formatMs, formatRate } from '../units.js';
import { failedCell, scrollingTable, textHead } from './figure-table.js';
import { type Markup, markup } from './markup.js';

/** More workers than this make a page too long; the slowest are the ones to look at. */
const SHOWN = 100;

/** Every worker of a stage: what it did, when it began, how busy it was. */
export function workerTable(summary: Summary, stage: StageSummary): Markup {
  const hosts = new Map(summary.run.workers.map((worker) => [worker.index, worker.host?.hostname ?? '-']));
  const shown = stage.workers.length <= SHOWN ? stage.workers : slowest(stage.workers);
  const fastest = Math.max(0, ...stage.workers.map((worker) => worker.total.throughputPerSec ?? 0));
  const latest = Math.max(0, ...stage.startSkew.perWorker.map((entry) => entry.firstOperationMs ?? 0));
  const starts = new Map(stage.startSkew.perWorker.map((entry) => [entry.worker, entry]));
  const rows = shown.map((worker) => {
    const { total, generator } = worker;
    const { latency } = headLatency(total);
    const start = starts.get(worker.worker) ?? null;
    const cpuMs = generator === null ? null : generator.cpuUserMs + generator.cpuSystemMs;
    const rate = total.throughputPerSec ?? 0;
    return markup`<tr><th scope="row">${worker.name}${worker.complete ? null : markup` <span class="tag bad">partial</span>`}</th>
<td class="text">${hosts.get(worker.worker) ?? '-'}</td><td>${formatCount(total.sent)}</td>${failedCell(failures(total))}
<td class="strong">${bar(fastest === 0 ? 0 : rate / fastest)} ${formatRate(total.throughputPerSec)}</td>
<td>${formatDuration(worker.elapsedMs)}</td><td>${formatLatency(latency.p50Ns)}</td><td>${formatLatency(latency.p99Ns)}</td>
<td>${formatLatency(latency.maxNs)}</td><td>${startMark(start, latest)} ${start === null || start.firstOperationMs === null ? '-' : `+${formatMs(start.firstOperationMs)}`}</td><td>${percent(generator?.utilisation ?? null)}</td><td>${formatLatency(generator?.delayMaxNs ?? null)}</td>
<td>${percent(cpuMs === null || worker.elapsedMs === null || worker.elapsedMs === 0 ? null : cpuMs / worker.elapsedMs)}</td></tr>`;
  });
  const table = scrollingTable(
    `Workers of ${stage.name}`,
    [
      textHead('worker'),
      textHead('host'),
      'sent',
      'failed',
      'ops/s',
      'time',
      'p50',
      'p99',
      'max',
      'start',
      'loop',
      'delay',
      'CPU',
    ],
    rows,
  );
  const legend = markup`<p class="note">loop: how busy the busiest event loop was; delay: its longest; CPU: of one core, the whole process.</p>`;
  if (shown.length === stage.workers.length) return markup`${table}${legend}`;
  return markup`${table}${legend}<p class="note">The ${shown.length} slowest of ${formatCount(stage.workers.length)} workers; <code>pacecar report BUNDLE --format csv --per-worker</code> has all.</p>`;
}

function slowest(workers: readonly WorkerStage[]): WorkerStage[] {
  return [...workers]
    .sort(
      (a, b) =>
        Number(a.complete) - Number(b.complete) ||
        (a.total.throughputPerSec ?? 0) - (b.total.throughputPerSec ?? 0),
    )
    .slice(0, SHOWN);
}

/** Drawn by attributes: the page's policy allows no inline styles. */
function bar(share: number): Markup {
  return markup`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" width="60" height="8" aria-hidden="true"><rect class="track" width="100" height="8" rx="2"/><rect class="fill" width="${tenth(share * 100)}" height="8" rx="2"/></svg>`;
}

/** When a worker began, on the axis of all workers of the stage, with the bound of its clock. */
function startMark(
  start: StageSummary['startSkew']['perWorker'][number] | null,
  latestMs: number,
): Markup | null {
  if (start === null || start.firstOperationMs === null) return null;
  const scale = latestMs === 0 ? 0 : 62 / latestMs;
  const x = 4 + start.firstOperationMs * scale;
  const error = (start.clockErrorMs ?? 0) * scale;
  const left = Math.max(0, x - error);
  const right = Math.min(70, x + error);
  return markup`<svg class="dots" viewBox="0 0 70 10" width="70" height="10" aria-hidden="true"><line class="track" x1="4" x2="66" y1="5" y2="5"/><line class="error" x1="${tenth(left)}" x2="${tenth(right)}" y1="5" y2="5"/><circle class="fill" cx="${tenth(x)}" cy="5" r="3"/></svg>`;
}

function percent(share: number | null): string {
  return share === null ? '-' : `${Math.round(share * 100)} %`;
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
