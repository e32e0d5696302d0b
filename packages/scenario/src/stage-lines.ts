import {
  type Amount,
  amountFor,
  type Keys,
  type Plan,
  type Stage,
  share,
  type Values,
} from '@pacecar/protocol';
import { grouped, printable } from './columns.js';
import { groupSize, keyCount, meanValueBytes, operationCount, total } from './estimate.js';
import { writeDuration } from './quantity/duration.js';

/** One fact of a stage: a label and its text. */
export type StageLine = readonly [label: string, text: string];

/** Everything that a stage does, every default resolved. */
export function stageLines(plan: Plan, stage: Stage): StageLine[] {
  const workers = groupSize(plan, stage);
  const lines: StageLine[] = [['workers', `${workers} of group ${printable(stage.group)}`]];
  for (const workload of stage.workloads) {
    const connections = total(workload.connections, workers);
    const check = workload.checkValues ? ', each value checked against its key' : '';
    lines.push(
      [
        'mix',
        workload.mix
          .map(({ operation, weight }) => `${operation} ${percent(weight / weights(workload.mix))}`)
          .join(', ') + check,
      ],
      ['keys', keysText(workload.keys)],
      ['values', valuesText(workload.values)],
      ['threads', amountText(workload.threads, workers)],
      ['connections', amountText(workload.connections, workers)],
      ['depth', `${grouped(workload.depth)}, so ${grouped(connections * workload.depth)} in flight`],
      ['model', `${workload.model.kind}: a new operation starts when one ends`],
    );
  }
  lines.push(
    ['ends', endText(stage, workers)],
    [
      'timeouts',
      `operation ${writeDuration(stage.operationTimeoutMs)}, connect ${writeDuration(stage.connectTimeoutMs)}, ` +
        `arm ${writeDuration(stage.armTimeoutMs)}, drain ${writeDuration(stage.drainMs)}` +
        (stage.end.kind === 'duration' ? '' : `, given up after ${writeDuration(stage.limitMs)}`),
    ],
  );
  return lines;
}

const percent = (ratio: number) => `${Number((ratio * 100).toPrecision(4))}%`;
const weights = (mix: Stage['workloads'][number]['mix']) => mix.reduce((sum, { weight }) => sum + weight, 0);

function keysText(keys: Keys): string {
  const first = keyText(keys, keys.minimum);
  const last = keyText(keys, keys.maximum);
  return `${grouped(keyCount(keys))}, ${first} to ${last}, ${keys.distribution.kind}`;
}

function keyText(keys: Keys, number: number): string {
  return printable(keys.prefix) + String(number).padStart(keys.width, '0');
}

function valuesText(values: Values): string {
  if (values.size.kind === 'fixed') return `${grouped(values.size.bytes)} B`;
  if (values.size.kind !== 'uniform') return values.size.kind;
  const { minimumBytes, maximumBytes } = values.size;
  return `${grouped(minimumBytes)} to ${grouped(maximumBytes)} B, each size equally likely, mean ${meanValueBytes(values)} B`;
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

function endText(stage: Stage, workers: number): string {
  if (stage.end.kind === 'duration') return `after ${writeDuration(stage.end.durationMs)}`;
  const count = operationCount(stage, workers);
  if (stage.end.kind === 'operations' && stage.end.operations.scope === 'worker') {
    const each = grouped(amountFor(stage.end.operations, workers, 0));
    return `after ${grouped(count)} operations total: ${workers} worker${workers === 1 ? '' : 's'} x ${each}`;
  }
  const what = stage.end.kind === 'keys' ? 'every key once: ' : '';
  return `after ${what}${grouped(count)} operations total: ${shareText(count, workers)}`;
}
