import { cellLabel } from '../summary/cell-label.js';
import type { Load, StageSummary, Summary } from '../summary/schema.js';
import { formatCount, formatDuration, formatWallTime, plural } from '../units.js';
import type { Ink } from './ink.js';
import { printable, wrap } from './width.js';

/** What ran: name, time, workers, targets as they answered, drivers with their class. */
export function runLines(summary: Summary, columns: number, ink: Ink): string[] {
  const { run } = summary;
  const entries: [string, string][] = [];
  const hosts = new Set(
    run.workers.flatMap((worker) => (worker.host === null ? [] : [worker.host.hostname])),
  );
  const cells =
    run.cells.of === 1 ? '' : `, ${run.cells.complete} of ${plural(run.cells.of, 'cell')} complete`;
  const when = run.startedAt === null ? '' : `, ${formatWallTime(run.startedAt)}`;
  entries.push(['run', `${run.name}${when}, ${formatDuration(run.durationMs)} in all${cells}`]);
  const lost = run.participants.lost > 0 ? `, ${run.participants.lost} LOST` : '';
  entries.push([
    'workers',
    `${run.participants.joined} of ${run.participants.of} joined${lost}, on ${plural(hosts.size, 'host')}`,
  ]);
  for (const target of run.targets) {
    const seen =
      target.workers.length < run.participants.joined
        ? ` (seen by ${plural(target.workers.length, 'worker')})`
        : '';
    const mode = target.mode === '' ? '' : `, ${target.mode}`;
    entries.push([
      'target',
      `${target.configuration}: ${target.product} ${target.version}${mode} at ${target.address}${seen}`,
    ]);
  }
  for (const driver of run.drivers) {
    const version = driver.versions.length === 0 ? '' : ` ${driver.versions.join(' and ')}`;
    entries.push(['driver', `${driver.name}${version}, ${DRIVER_CLASS[driver.class ?? 'unknown']}`]);
  }
  return entries.flatMap(([label, text]) => {
    const [first = '', ...rest] = wrap(printable(text), Math.max(20, columns - 11));
    return [`  ${ink('dim', label.padEnd(8))} ${first}`, ...rest.map((line) => `           ${line}`)];
  });
}

/** Said in every report: the two classes must not be compared with one another. */
export const DRIVER_CLASS = {
  client: 'class client: the library that applications use',
  wire: 'class wire: speaks the protocol itself',
  unknown: 'class unknown: no worker declared it',
} as const;

/** `30 connections = 3 workers x 10, depth 16: at most 480 in flight`. */
export function loadText(load: Load): string {
  const model = `${load.model} model`;
  const connections = spread(load.connections, load.workers, 'connection');
  return `${model}, ${connections}, depth ${formatCount(load.depth)}: at most ${formatCount(load.inFlightLimit.total)} in flight`;
}

/** What was seen of the load; null when nothing was. */
export function observedText({ connectionsOpened, inFlight }: StageSummary): string | null {
  const parts: string[] = [];
  if (connectionsOpened !== null) parts.push(`${plural(connectionsOpened, 'connection')} at first`);
  if (inFlight.sampledMaximum !== null && inFlight.sampledMean !== null)
    parts.push(
      `${formatCount(inFlight.sampledMaximum)} in flight at most and ${formatCount(Math.round(inFlight.sampledMean * 10) / 10)} on average at the ends of ${plural(inFlight.samples, 'interval')}`,
    );
  return parts.length === 0 ? null : parts.join(', ');
}

/** `3 threads = 3 workers x 1`. */
export function threadText(load: Load): string {
  return spread(load.threads, load.workers, 'thread');
}

function spread(
  { total, minimumPerWorker, maximumPerWorker }: Load['connections'],
  workers: number,
  noun: string,
): string {
  const each =
    minimumPerWorker === maximumPerWorker
      ? formatCount(minimumPerWorker)
      : `${formatCount(minimumPerWorker)} or ${formatCount(maximumPerWorker)}`;
  return `${plural(total, noun)} = ${plural(workers, 'worker')} x ${each}`;
}

export function cellHeading(summary: Summary, index: number): string {
  const cell = summary.cells[index];
  return cell === undefined ? '' : printable(cellLabel(summary, cell));
}
