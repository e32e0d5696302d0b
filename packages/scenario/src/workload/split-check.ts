import { type Amount, amountFor, type Group, LIMITS, type Workload } from '@pacecar/protocol';
import type { Findings } from '../findings.js';
import { writeAmount } from '../quantity/amount.js';
import type { Layers } from './layer.js';

/** A workload of a stage, and where it is written. */
export interface SplitPart {
  readonly workload: Workload;
  readonly layers: Layers;
}

const LARGEST = { threads: LIMITS.threadsPerWorker, connections: LIMITS.connectionsPerWorker };

/**
 * Whether what a stage asks for can be split over its workers: each has a connection and a thread, no worker has more
 * than it can hold, and no thread is without a connection. Of several workloads a worker may have none.
 */
export function checkSplit(
  parts: readonly SplitPart[],
  path: string,
  group: Group,
  findings: Findings,
): void {
  const alone = parts.length === 1;
  const split = parts.map((part) => checkPart(part, alone, group, findings));
  if (alone || split.includes(false)) return;
  const on = (worker: number, of: (workload: Workload) => Amount) =>
    parts.reduce((sum, { workload }) => sum + amountFor(of(workload), group.size, worker), 0);
  if (on(group.size - 1, ({ connections }) => connections) === 0)
    findings.of(
      path,
      `the workloads leave some of the ${group.size} workers of group ${group.name} without a connection; give one of ` +
        'them more',
    );
  for (const field of ['threads', 'connections'] as const) {
    const most = on(0, (workload) => workload[field]);
    if (most > LARGEST[field])
      findings.of(
        path,
        `the workloads ask for ${most} ${field} on one worker; allowed: at most ${LARGEST[field]} per worker`,
      );
  }
}

function checkPart(
  { workload, layers }: SplitPart,
  alone: boolean,
  group: Group,
  findings: Findings,
): boolean {
  let split = true;
  for (const field of ['threads', 'connections'] as const) {
    const amount = workload[field];
    // Worker 0 has the largest share, the last one the smallest.
    const most = amountFor(amount, group.size, 0);
    const least = amountFor(amount, group.size, group.size - 1);
    if (least === 0 && alone) {
      findings.of(
        layers.pathOf(field),
        `${writeAmount(amount)} over the ${group.size} workers of group ${group.name} leaves some with none; ` +
          `allowed: at least ${group.size} total`,
      );
      split = false;
    }
    if (most > LARGEST[field]) {
      findings.of(
        layers.pathOf(field),
        `${writeAmount(amount)} is ${most} ${field} on one worker; allowed: at most ${LARGEST[field]} per worker`,
      );
      split = false;
    }
  }
  if (!split) return false;
  for (const index of [0, group.size - 1]) {
    const threadCount = amountFor(workload.threads, group.size, index);
    const connectionCount = amountFor(workload.connections, group.size, index);
    if (threadCount <= connectionCount || connectionCount === 0) continue;
    findings.of(
      layers.pathOf('threads'),
      `${threadCount} threads on a worker that has ${connectionCount} connections: a thread needs one at least; ` +
        'fewer threads or more connections',
    );
    return false;
  }
  return true;
}

/** Whether all workers together have a number that can be counted: up to 2^53-1 every whole number is exact. */
export function checkTotal(amount: Amount, { name, size }: Group, path: string, findings: Findings): void {
  // Compared by division, which does not round the limit away.
  if (amount.scope === 'total' || amount.count <= Math.floor(LIMITS.count / size)) return;
  findings.of(
    path,
    `${writeAmount(amount)} on the ${size} workers of group ${name} is more than 2^53-1 in total; ` +
      `allowed: at most ${Math.floor(LIMITS.count / size)} per worker`,
  );
}
