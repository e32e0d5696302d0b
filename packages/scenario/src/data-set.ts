import type { Operation, Plan, Size, Workload } from '@pacecar/protocol';
import { keyBytes, keyCount } from './estimate.js';

export interface DataSet {
  readonly keys: number;
  readonly meanValueBytes: number;
  readonly keyBytes: number;
  /** Keys and values together. */
  readonly bytes: number;
}

/** Operations that may leave a value under a key of the range. */
const LEAVES: ReadonlySet<Operation> = new Set<Operation>([
  'put',
  'add',
  'putAll',
  'readModifyWrite',
  'insert',
  'insertRecord',
  'updateRecord',
]);

/** The largest data set that one cell's writes can leave in the target; null if nothing is written. */
export function dataSet(plan: Plan): DataSet | null {
  let largest: DataSet | null = null;
  for (const stages of new Set(plan.cells.map((cell) => cell.stages))) {
    const byKeys = new Map<string, Workload>();
    for (const workload of stages.flatMap((stage) => stage.workloads)) {
      if (!workload.mix.some(({ operation }) => LEAVES.has(operation))) continue;
      const { prefix, suffix } = workload.keys;
      const name = `${prefix}\n${suffix}`;
      const known = byKeys.get(name);
      if (known === undefined || bytesOf(workload) > bytesOf(known)) byKeys.set(name, workload);
    }
    const writers = [...byKeys.values()];
    if (writers.length === 0) continue;
    const keys = writers.reduce((sum, workload) => sum + keyCount(workload.keys), 0);
    const mean = (of: (workload: Workload) => number) =>
      writers.reduce((sum, workload) => sum + of(workload) * keyCount(workload.keys), 0) / keys;
    const found: DataSet = {
      keys,
      meanValueBytes: mean(meanValueBytes),
      keyBytes: mean((workload) => keyBytes(workload.keys)),
      bytes: writers.reduce((sum, workload) => sum + bytesOf(workload), 0),
    };
    if (largest === null || found.bytes > largest.bytes) largest = found;
  }
  return largest;
}

function bytesOf(workload: Workload): number {
  return keyCount(workload.keys) * (keyBytes(workload.keys) + meanValueBytes(workload));
}

/** Of a value, or of all fields of a record with their names. */
function meanValueBytes({ values, records }: Workload): number {
  if (records === null) return meanBytes(values.size);
  const names = 'field'.length + String(records.fields - 1).length;
  return records.fields * (names + meanBytes(records.fieldSize));
}

export function meanBytes(size: Size): number {
  switch (size.kind) {
    case 'fixed':
      return size.bytes;
    case 'uniform':
      return (size.minimumBytes + size.maximumBytes) / 2;
    case 'gaussian':
      return size.medianBytes;
    case 'weighted': {
      const weights = size.sizes.reduce((sum, { weight }) => sum + weight, 0);
      return size.sizes.reduce((sum, { bytes, weight }) => sum + bytes * weight, 0) / weights;
    }
  }
}

/** What one operation of the workload may carry at most: its keys with their values. */
export function largestOperationBytes({ keys, values, records, mix }: Workload): number {
  const value =
    records === null ? largestBytes(values.size) : records.fields * largestBytes(records.fieldSize);
  const items = Math.max(...mix.map(({ batch }) => batch ?? 1));
  const texts = Math.max(...mix.map(({ commands }) => commands.reduce((sum, text) => sum + text.length, 0)));
  return items * (keyBytes(keys) + value) + texts;
}

function largestBytes(size: Size): number {
  if (size.kind === 'fixed') return size.bytes;
  return size.kind === 'weighted' ? Math.max(...size.sizes.map(({ bytes }) => bytes)) : size.maximumBytes;
}
