import {
  type Amount,
  amountFor,
  besideOf,
  endsByCount,
  type Plan,
  sendsLoad,
  type ServiceAction,
  share,
  type Stage,
  type Workload,
} from '@pacecar/protocol';
import { grouped, printable } from './columns.js';
import { groupSize, operationCount, total } from './estimate.js';
import { writeDuration } from './quantity/duration.js';
import { writeRatio } from './quantity/ratio.js';
import {
  keysText,
  mixText,
  modelText,
  reconnectText,
  recordsText,
  roundedRate,
  valuesText,
} from './workload-text.js';

/** One fact of a stage: a label and its text. */
export type StageLine = readonly [label: string, text: string];

/** Everything that a stage does, every default resolved. */
export function stageLines(plan: Plan, stage: Stage): StageLine[] {
  const workers = groupSize(plan, stage);
  if (!sendsLoad(stage)) return actLines(plan, stage, workers);
  const lines: StageLine[] = [['workers', `${workers} of group ${printable(stage.group)}`]];
  for (const workload of stage.workloads) lines.push(...workloadLines(workload, stage, workers));
  lines.push(
    ...besideLines(plan, stage),
    ...searchLines(stage),
    ['ends', endText(stage, workers)],
    ...stopLines(stage),
    [
      'timeouts',
      `operation ${writeDuration(stage.operationTimeoutMs)}, connect ${writeDuration(stage.connectTimeoutMs)}, ` +
        `arm ${writeDuration(stage.armTimeoutMs)}, drain ${writeDuration(stage.drainMs)}` +
        (!endsByCount(stage) ? '' : `, given up after ${writeDuration(stage.limitMs)}`),
    ],
  );
  return lines;
}

/** Of a stage that sends no load. */
function actLines(plan: Plan, { action, end, group }: Stage, workers: number): StageLine[] {
  if (action === undefined)
    return [['waits', end.kind === 'duration' ? writeDuration(end.durationMs) : 'not at all']];
  const { recipe, readyWithinMs } = plan.services?.find(({ name }) => name === action.service) ?? {};
  const lines: StageLine[] = [
    ['service', `${printable(action.service)}${recipe === undefined ? '' : ` (${recipe})`}`],
    ['does', actText(action)],
    ['workers', `${workers} of group ${printable(group)}`],
  ];
  const waits = action.do === 'start' || action.do === 'restart' || action.do === 'wait';
  return waits ? [...lines, ['ready', `within ${writeDuration(readyWithinMs ?? 0)}`]] : lines;
}

function actText(action: ServiceAction): string {
  if (action.do === 'stop' || action.do === 'restart') return `${action.do}, ${action.how}`;
  if (action.do !== 'fault') return action.do;
  const which = `${action.role ?? 'process'}${action.index === null ? ', all of them' : ` ${action.index}`}`;
  return `${action.fault} ${which}`;
}

function workloadLines(workload: Workload, stage: Stage, workers: number): StageLine[] {
  const connections = total(workload.connections, workers);
  const check = workload.checkValues ? ', each value checked against its key' : '';
  const lines: StageLine[] = [];
  if (stage.workloads.length > 1) lines.push(['workload', printable(workload.name)]);
  lines.push(['mix', mixText(workload) + check], ['keys', keysText(workload.keys)]);
  lines.push(
    workload.records === null
      ? ['values', valuesText(workload.values)]
      : ['records', recordsText(workload.records)],
  );
  lines.push(
    ['threads', amountText(workload.threads, workers)],
    ['connections', amountText(workload.connections, workers)],
    ['depth', `${grouped(workload.depth)}, so ${grouped(connections * workload.depth)} in flight`],
    ['model', modelText(workload, stage, workers)],
  );
  const reconnect = reconnectText(workload.reconnect);
  return reconnect === null ? lines : [...lines, ['reconnects', reconnect]];
}

/** `10 per worker, 30 total` or `10 total: 1 worker x 4 + 2 x 3`. */
export function amountText(amount: Amount, workers: number): string {
  if (amount.scope === 'worker')
    return `${grouped(amount.count)} per worker, ${grouped(amount.count * workers)} total`;
  return `${grouped(amount.count)} total: ${shareText(amount.count, workers)}`;
}

/** How a total falls on the workers: the first ones have one more. */
function shareText(count: number, workers: number): string {
  const most = share(count, workers, 0);
  const least = share(count, workers, workers - 1);
  const plural = (n: number) => `${grouped(n)} worker${n === 1 ? '' : 's'}`;
  if (most === least) return `${plural(workers)} x ${grouped(most)}`;
  const more = count % workers;
  return `${plural(more)} x ${grouped(most)} + ${grouped(workers - more)} x ${grouped(least)}`;
}

function searchLines({ search, workloads, end }: Stage): StageLine[] {
  if (search === null) return [];
  const { objectives, minimumPerSec, maximumPerSec, settleMs, growth, precision, confirmations } = search;
  const of = workloads.length > 1 ? ` of ${printable(search.workload)}` : '';
  const probeMs = end.kind === 'duration' ? end.durationMs : 0;
  return [
    [
      'search',
      `the highest rate${of} from ${roundedRate(minimumPerSec)} to ${roundedRate(maximumPerSec)} at which ` +
        objectives.map(({ text }) => printable(text)).join(' and '),
    ],
    [
      'probes',
      `at most ${search.mostProbes} of ${writeDuration(probeMs)}, the first ${writeDuration(settleMs)} not judged; each rate ${growth} ` +
        `times the one before, then halved down to ${writeRatio(precision)}, confirmed by ${confirmations.needed} of ` +
        `${confirmations.of}`,
    ],
  ];
}

function stopLines({ stopWhen }: Stage): StageLine[] {
  if (stopWhen === null) return [];
  const { any, holdMs, fewestOperations, fromMs } = stopWhen;
  return [
    [
      'ends early',
      `when ${any.map(({ text }) => printable(text)).join(' or ')}` +
        (holdMs > 0 ? ` for ${writeDuration(holdMs)}` : '') +
        `, judged by ${grouped(fewestOperations)} operations at least` +
        (fromMs > 0 ? ` and after ${writeDuration(fromMs)}` : ''),
    ],
  ];
}

function besideLines(plan: Plan, stage: Stage): StageLine[] {
  const stages = plan.cells.find((cell) => cell.stages.includes(stage))?.stages ?? [];
  const beside = besideOf(stages, stages.indexOf(stage)).map((position) => stages[position]?.name ?? '');
  return beside.length === 0 ? [] : [['beside', beside.map(printable).join(', ')]];
}

function endText(stage: Stage, workers: number): string {
  const { end, workloads } = stage;
  if (stage.search !== null)
    return `with the search${end.kind === 'duration' ? `, each probe after ${writeDuration(end.durationMs)}` : ''}`;
  if (end.kind === 'duration') return `after ${writeDuration(end.durationMs)}`;
  if (end.kind === 'stage') return `is told to once ${printable(end.stage)} has closed`;
  const counts = workloads.map((workload) => operationCount(workload, stage, workers));
  const [first = 0] = counts;
  const what = end.kind === 'keys' ? 'every key once: ' : '';
  if (counts.length > 1) {
    const all = counts.reduce((sum, count) => sum + count, 0);
    const each = counts.every((count) => count === first)
      ? `${grouped(first)} of each workload`
      : counts
          .map((count, index) => `${printable(workloads[index]?.name ?? '')} ${grouped(count)}`)
          .join(', ');
    return `after ${what}${grouped(all)} operations total: ${each}`;
  }
  if (end.kind === 'operations' && end.operations.scope === 'worker') {
    const each = grouped(amountFor(end.operations, workers, 0));
    return `after ${grouped(first)} operations total: ${workers} worker${workers === 1 ? '' : 's'} x ${each}`;
  }
  return `after ${what}${grouped(first)} operations total: ${shareText(first, workers)}`;
}
