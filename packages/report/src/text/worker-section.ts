import { headLatency } from '../summary/head-latency.js';
import { failures } from '../summary/objectives.js';
import type { StageSummary, Summary } from '../summary/schema.js';
import { compact, formatCount, formatDuration, formatLatency, formatMs, formatRate } from '../units.js';
import type { Ink } from './ink.js';
import { type CellText, type Column, renderTable } from './table.js';
import { printable } from './width.js';

const COLUMNS: readonly Column[] = [
  { heading: 'worker', align: 'left', group: 0, most: 24 },
  { heading: 'host', align: 'left', group: 1, most: 20 },
  { heading: 'sent', align: 'right', group: 1 },
  { heading: 'failed', align: 'right', group: 1 },
  { heading: 'ops/s', align: 'right', group: 1 },
  { heading: 'time', align: 'right', group: 1 },
  { heading: 'p50', align: 'right', group: 2 },
  { heading: 'p99', align: 'right', group: 2 },
  { heading: 'max', align: 'right', group: 2 },
  { heading: 'started', align: 'right', group: 2 },
  { heading: 'loop', align: 'right', group: 2 },
  { heading: 'CPU', align: 'right', group: 2 },
];

/** One line a worker: what it did, when it began, and how busy its busiest event loop and its process were. */
export function workerLines(summary: Summary, stage: StageSummary, columns: number, ink: Ink): string[] {
  const rows = stage.workers.map((worker): CellText[] => {
    const host = summary.run.workers.find(({ index }) => index === worker.worker)?.host?.hostname ?? '-';
    const first = stage.startSkew.perWorker.find((entry) => entry.worker === worker.worker);
    const failed = failures(worker.total);
    const { generator, total } = worker;
    const { latency } = headLatency(total);
    const startedMs = first?.firstOperationMs ?? null;
    const utilisation = generator?.utilisation ?? null;
    const cpuMs = generator === null ? null : generator.cpuUserMs + generator.cpuSystemMs;
    return [
      {
        text: printable(worker.name) + (worker.complete ? '' : ' (partial)'),
        tone: worker.complete ? 'plain' : 'bad',
      },
      { text: printable(host) },
      { text: formatCount(total.sent) },
      { text: formatCount(failed), tone: failed > 0 ? 'bad' : 'plain' },
      { text: formatRate(total.throughputPerSec) },
      { text: compact(formatDuration(worker.elapsedMs)) },
      { text: compact(formatLatency(latency.p50Ns)) },
      { text: compact(formatLatency(latency.p99Ns)) },
      { text: compact(formatLatency(latency.maxNs)) },
      { text: startedMs === null ? '-' : `+${compact(formatMs(startedMs))}` },
      {
        text: utilisation === null ? '-' : `${Math.round(utilisation * 100)}%`,
      },
      {
        text:
          cpuMs === null || worker.elapsedMs === null || worker.elapsedMs === 0
            ? '-'
            : `${Math.round((cpuMs / worker.elapsedMs) * 100)}%`,
      },
    ];
  });
  return renderTable(COLUMNS, rows, columns, ink);
}
