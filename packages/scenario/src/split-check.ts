import { type Amount, amountFor, type Group, LIMITS, type Workload } from '@pacecar/protocol';
import type { Findings } from './findings.js';
import { writeAmount } from './quantity/amount.js';
import type { Layers } from './workload.js';

/**
 * Whether what the stage asks for can be split over its workers: each has a connection and a thread, no worker has
 * more than it can hold, and no thread is without a connection.
 */
export function checkSplit(workload: Workload, group: Group, layers: Layers, findings: Findings): void {
  const { threads, connections } = workload;
  const limits = {
    threads: LIMITS.threadsPerWorker,
    connections: LIMITS.connectionsPerWorker,
  };
  let split = true;
  for (const field of ['threads', 'connections'] as const) {
    const amount = workload[field];
    // Worker 0 has the largest share, the last one the smallest.
    const most = amountFor(amount, group.size, 0);
    const least = amountFor(amount, group.size, group.size - 1);
    if (least === 0) {
      findings.of(
        layers.pathOf(field),
        `${writeAmount(amount)} over the ${group.size} workers of group ${group.name} leaves some with none; ` +
          `allowed: at least ${group.size} total`,
      );
      split = false;
    }
    if (most > limits[field]) {
      findings.of(
        layers.pathOf(field),
        `${writeAmount(amount)} is ${most} ${field} on one worker; allowed: at most ${limits[field]} per worker`,
      );
      split = false;
    }
  }
  if (!split) return;
  for (const index of [0, group.size - 1]) {
    const threadCount = amountFor(threads, group.size, index);
    const connectionCount = amountFor(connections, group.size, index);
    if (threadCount <= connectionCount) continue;
    findings.of(
      layers.pathOf('threads'),
      `${threadCount} threads on a worker that has ${connectionCount} connections: a thread needs one at least; ` +
        'fewer threads or more connections',
    );
    break;
  }
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
