import {
  amountFor,
  type Cell,
  createSchedule,
  type Keys,
  type Plan,
  type Search,
  sendsLoad,
  type Stage,
  type Workload,
} from '@pacecar/protocol';

/** What the estimate takes an operation to last; a local network and an in-memory store are near it. */
export const ASSUMED_OPERATION_MS = 1;
/** What the estimate takes an engine thread to reach at most. */
export const ASSUMED_PER_THREAD_PER_SEC = 100_000;
/** Arming, drain and barrier of a stage, beside its lead. */
const STAGE_OVERHEAD_MS = 100;
/** What the estimate takes a service to need for anything that is done to it. */
const ASSUMED_ACT_MS = 500;
/** Of a 63-bit number. */
const HASH_DIGITS = 19;
/** What a store needs for a key beside its key and value: Redis 7 takes 50 to 100 bytes. */
export const ASSUMED_KEY_OVERHEAD_BYTES = 100;

/** How many probes a search may come to. */
export type Reckoning = 'fewest' | 'likely' | 'most';

/**
 * Expected length of the run, ms: exact where stages end by time, assumed where they end by count or keys. A search
 * has as many probes as are likely, or the fewest or most that it can have.
 */
export function estimateMs(plan: Plan, probes: Reckoning = 'likely'): number {
  return plan.cells.reduce((sum, cell) => sum + cellMs(plan, cell, probes), 0);
}

function cellMs(plan: Plan, cell: Cell, probes: Reckoning): number {
  return cell.stages.reduce((sum, stage) => {
    if (!sendsLoad(stage)) return sum + actMs(stage);
    const onceMs = plan.liveness.startLeadMs + STAGE_OVERHEAD_MS + stageMs(stage, groupSize(plan, stage));
    return sum + onceMs * (stage.search === null ? 1 : probeCount(stage.search, probes));
  }, 0);
}

/** What is waited for; a service takes a moment, whatever is done to it. */
function actMs({ end }: Stage): number {
  return STAGE_OVERHEAD_MS + (end.kind === 'duration' ? end.durationMs : ASSUMED_ACT_MS);
}

/** Likely is a limit in the middle of the range, in log space, of a target that always answers the same. */
function probeCount(search: Search, reckoning: Reckoning): number {
  const { minimumPerSec, maximumPerSec, growth, precision, confirmations, mostProbes } = search;
  const { needed, of } = confirmations;
  const range = Math.log(maximumPerSec / minimumPerSec) / Math.log(growth);
  if (reckoning === 'most') return mostProbes;
  if (reckoning === 'fewest') return Math.min(of - needed + 1, Math.ceil(range) + 1 + needed, mostProbes);
  const halvings = Math.max(0, Math.ceil(Math.log2(Math.log(growth) / Math.log(1 + precision))));
  return Math.min(mostProbes, 2 + Math.ceil(range / 2) + halvings + (of - needed) + needed);
}

/** Its time; none where it runs beside others; otherwise as long as the slowest of its workloads. */
function stageMs(stage: Stage, workers: number): number {
  const { end, limitMs } = stage;
  if (end.kind === 'duration') return end.durationMs;
  if (end.kind === 'stage') return 0;
  return Math.min(
    limitMs,
    Math.max(...stage.workloads.map((workload) => workloadMs(workload, stage, workers))),
  );
}

function workloadMs(workload: Workload, stage: Stage, workers: number): number {
  const operations = operationCount(workload, stage, workers);
  const { model } = workload;
  const inFlight = total(workload.connections, workers) * workload.depth;
  const ceiling = total(workload.threads, workers) * ASSUMED_PER_THREAD_PER_SEC;
  const pauseMs = model.kind === 'closed' ? model.thinkTimeMs : 0;
  const perSec = Math.min((inFlight / (ASSUMED_OPERATION_MS + pauseMs)) * 1000, ceiling);
  const busyMs = (operations / perSec) * 1000;
  if (model.kind === 'closed' || operations === 0) return busyMs;
  return Math.max(busyMs, createSchedule(model.rate).arrivalTimeNs(operations - 1) / 1e6);
}

/** Operations of one workload of a stage that ends by count or keys. */
export function operationCount(workload: Workload, stage: Stage, workers: number): number {
  if (stage.end.kind === 'operations') return total(stage.end.operations, workers);
  return keyCount(workload.keys);
}

/** How many operations the schedule of an open workload asks for; null in a closed one, or until when nobody knows. */
export function scheduledCount(workload: Workload, stage: Stage, workers: number): number | null {
  if (workload.model.kind === 'closed' || stage.end.kind === 'stage') return null;
  if (stage.end.kind !== 'duration') return operationCount(workload, stage, workers);
  const { rate } = workload.model;
  return Math.floor(createSchedule(rate).expectedCount(stage.end.durationMs * 1e6));
}

export function groupSize(plan: Plan, stage: Stage): number {
  return plan.groups.find((group) => group.name === stage.group)?.size ?? 1;
}

/** All workers together. */
export function total(amount: Workload['connections'], workers: number): number {
  return amount.scope === 'total' ? amount.count : amount.count * workers;
}

/** What worker `index` has in flight at most. */
export function inFlightOf(workload: Workload, workers: number, index: number): number {
  return amountFor(workload.connections, workers, index) * workload.depth;
}

export function keyCount(keys: Keys): number {
  return keys.maximum - keys.minimum + 1;
}

/** Bytes of the longest key. */
export function keyBytes(keys: Keys): number {
  const digits = keys.order === 'hashed' ? HASH_DIGITS : Math.max(keys.width, String(keys.maximum).length);
  return new TextEncoder().encode(keys.prefix + keys.suffix).length + digits;
}
