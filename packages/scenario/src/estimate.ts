import {
  amountFor,
  type Cell,
  type Keys,
  type Plan,
  type Stage,
  type Values,
  type Workload,
} from '@pacecar/protocol';

/** What the estimate takes an operation to last; a local network and an in-memory store are near it. */
export const ASSUMED_OPERATION_MS = 1;
/** What the estimate takes an engine thread to reach at most. */
export const ASSUMED_PER_THREAD_PER_SEC = 100_000;
/** Arming, drain and barrier of a stage, beside its lead. */
const STAGE_OVERHEAD_MS = 100;
/** What a store needs for a key beside its key and value: Redis 7 takes 50 to 100 bytes. */
export const ASSUMED_KEY_OVERHEAD_BYTES = 100;

/** Expected length of the run, ms: exact where stages end by time, assumed where they end by count or keys. */
export function estimateMs(plan: Plan): number {
  return plan.cells.reduce((sum, cell) => sum + cellMs(plan, cell), 0);
}

function cellMs(plan: Plan, cell: Cell): number {
  return cell.stages.reduce(
    (sum, stage) =>
      sum + plan.liveness.startLeadMs + STAGE_OVERHEAD_MS + stageMs(stage, groupSize(plan, stage)),
    0,
  );
}

function stageMs(stage: Stage, workers: number): number {
  if (stage.end.kind === 'duration') return stage.end.durationMs;
  const rates = stage.workloads.map((workload) => {
    const inFlight = total(workload.connections, workers) * workload.depth;
    const ceiling = total(workload.threads, workers) * ASSUMED_PER_THREAD_PER_SEC;
    return Math.min((inFlight / ASSUMED_OPERATION_MS) * 1000, ceiling);
  });
  const slowest = Math.min(...rates);
  return Math.min((operationCount(stage, workers) / slowest) * 1000, stage.limitMs);
}

/** Operations of a stage that ends by count or keys. */
export function operationCount(stage: Stage, workers: number): number {
  if (stage.end.kind === 'operations') return total(stage.end.operations, workers);
  return stage.workloads.reduce((sum, { keys }) => sum + keyCount(keys), 0);
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
  return new TextEncoder().encode(keys.prefix).length + Math.max(keys.width, String(keys.maximum).length);
}

export function meanValueBytes({ size }: Values): number {
  if (size.kind === 'fixed') return size.bytes;
  if (size.kind === 'uniform') return (size.minimumBytes + size.maximumBytes) / 2;
  if (size.kind === 'gaussian') return size.medianBytes;
  const weights = size.sizes.reduce((sum, { weight }) => sum + weight, 0);
  return size.sizes.reduce((sum, { bytes, weight }) => sum + bytes * weight, 0) / weights;
}

export function largestValueBytes({ size }: Values): number {
  if (size.kind === 'fixed') return size.bytes;
  return size.kind === 'weighted' ? Math.max(...size.sizes.map(({ bytes }) => bytes)) : size.maximumBytes;
}

export interface DataSet {
  readonly keys: number;
  readonly meanValueBytes: number;
  readonly keyBytes: number;
  /** Keys and values together. */
  readonly bytes: number;
}

/** The largest data set that one cell's puts can leave in the target; null if nothing is put. */
export function dataSet(plan: Plan): DataSet | null {
  let largest: DataSet | null = null;
  for (const stages of new Set(plan.cells.map((cell) => cell.stages))) {
    const byPrefix = new Map<string, Workload>();
    for (const workload of stages.flatMap((stage) => stage.workloads)) {
      if (!workload.mix.some(({ operation }) => operation === 'put')) continue;
      const known = byPrefix.get(workload.keys.prefix);
      if (known === undefined || bytesOf(workload) > bytesOf(known))
        byPrefix.set(workload.keys.prefix, workload);
    }
    const puts = [...byPrefix.values()];
    if (puts.length === 0) continue;
    const keys = puts.reduce((sum, workload) => sum + keyCount(workload.keys), 0);
    const mean = (of: (workload: Workload) => number) =>
      puts.reduce((sum, workload) => sum + of(workload) * keyCount(workload.keys), 0) / keys;
    const found: DataSet = {
      keys,
      meanValueBytes: mean((workload) => meanValueBytes(workload.values)),
      keyBytes: mean((workload) => keyBytes(workload.keys)),
      bytes: puts.reduce((sum, workload) => sum + bytesOf(workload), 0),
    };
    if (largest === null || found.bytes > largest.bytes) largest = found;
  }
  return largest;
}

function bytesOf({ keys, values }: Workload): number {
  return keyCount(keys) * (keyBytes(keys) + meanValueBytes(values));
}
