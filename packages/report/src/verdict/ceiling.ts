import {
  type Calibration,
  type CalibratedOperation,
  type CalibrationCell,
  ceilingPerSec,
  type Operation,
} from '@pacecar/protocol';
import { formatCount } from '../units.js';

/** Operations that send and receive what a calibrated one does. */
const CLASSES: Partial<Readonly<Record<Operation, CalibratedOperation>>> = {
  get: 'get',
  put: 'put',
  add: 'put',
  replace: 'put',
  insert: 'put',
};

export function calibratedOperation(operation: Operation): CalibratedOperation | null {
  return CLASSES[operation] ?? null;
}

/** What a ceiling is asked of. */
export interface Demand {
  readonly driver: string;
  readonly operation: CalibratedOperation;
  readonly threads: number;
  readonly depth: number;
  /** Of one operation on the wire, in the longer direction. */
  readonly bytes: number;
}

export interface Ceiling {
  readonly perSec: number;
  /** The calibrated cells that it is from. */
  readonly from: string;
}

/** What deeper pipelines than the deepest calibrated one may save of a batch's cost, of that of an operation by itself. */
const SAVED_BEYOND = 0.02;
/** Larger operations than this times the largest calibrated one have no known ceiling. */
const BEYOND = 2;

/**
 * The ceiling of a worker, between the calibrated cells around what is asked: the time for one operation is near a line
 * in 1 / depth and in its bytes. With more engine threads it grows as it was measured to. A sentence where it is unknown.
 */
export function ceilingOf({ cells, machine }: Calibration, demand: Demand): Ceiling | string {
  const { driver, operation, threads, depth, bytes } = demand;
  const own = cells.filter((cell) => cell.driver === driver && cell.operation === operation);
  const single = own.filter((cell) => cell.threads === 1);
  const around = neighbours([...new Set(single.map((cell) => cell.depth))], depth);
  if (around === null) return `driver ${driver} is not in its calibration`;
  const used = new Set<CalibrationCell>();
  const atDepth = (value: number): number | null => {
    const row = single.filter((cell) => cell.depth === value);
    const sizes = neighbours(
      row.map((cell) => cell.bytesPerOperation),
      bytes,
    );
    if (sizes === null || bytes > BEYOND * sizes[1]) return null;
    const [low, high] = sizes.map((size) => row.find((cell) => cell.bytesPerOperation === size)) as [
      CalibrationCell,
      CalibrationCell,
    ];
    used.add(low).add(high);
    const cost = (cell: CalibrationCell) => 1 / ceilingPerSec(cell, machine.cpuCount);
    return between(bytes, [sizes[0], cost(low)], [sizes[1], cost(high)]);
  };
  const [shallow, deep] = around;
  if (1 / deep - 1 / depth > SAVED_BEYOND) return `depth ${depth} is deeper than those of its calibration`;
  const first = atDepth(shallow);
  const second = atDepth(deep);
  if (first === null || second === null)
    return `operations of ${formatCount(Math.round(bytes))} B are larger than those of its calibration`;
  const factor = threadFactor(cells, driver, threads, machine.cpuCount);
  if (typeof factor === 'string') return factor;
  const cost = between(1 / depth, [1 / shallow, first], [1 / deep, second]);
  const more = threads === 1 ? '' : `, x ${factor.toFixed(2)} for ${threads} engine threads`;
  return { perSec: factor / cost, from: `${nameCells([...used])}${more}` };
}

/** What `threads` engine threads do of what one does, as far as that was measured. */
function threadFactor(
  cells: readonly CalibrationCell[],
  driver: string,
  threads: number,
  cpuCount: number,
): number | string {
  const points: [threads: number, factor: number][] = [[1, 1]];
  for (const cell of cells) {
    if (cell.driver !== driver || cell.threads === 1) continue;
    const { operation, depth, valueBytes } = cell;
    const one = cells.find(
      (other) =>
        other.driver === driver &&
        other.threads === 1 &&
        other.operation === operation &&
        other.depth === depth &&
        other.valueBytes === valueBytes,
    );
    if (one === undefined) continue;
    points.push([cell.threads, ceilingPerSec(cell, cpuCount) / ceilingPerSec(one, cpuCount)]);
  }
  points.sort(([a], [b]) => a - b);
  const most = points.at(-1)?.[0] ?? 1;
  // More threads than cores do no more than the cores.
  if (threads > most && most < cpuCount)
    return `${threads} engine threads are more than the ${most} that were calibrated`;
  const [low, high] = neighbours(
    points.map(([count]) => count),
    threads,
  ) as [number, number];
  const at = (count: number) => points.find(([other]) => other === count) as [number, number];
  return between(threads, at(low), at(high));
}

/** The values next to `wanted` on both sides; at an end, the last one twice. null: there are none. */
function neighbours(values: readonly number[], wanted: number): [number, number] | null {
  if (values.length === 0) return null;
  const below = values.filter((value) => value <= wanted);
  const above = values.filter((value) => value >= wanted);
  const low = below.length > 0 ? Math.max(...below) : Math.min(...above);
  return [low, above.length > 0 ? Math.min(...above) : low];
}

/** On the line through two points, and not past them. */
function between(
  at: number,
  [x0, y0]: readonly [number, number],
  [x1, y1]: readonly [number, number],
): number {
  if (x0 === x1) return y0;
  const share = Math.min(1, Math.max(0, (at - x0) / (x1 - x0)));
  return y0 + (y1 - y0) * share;
}

/** `depth 8 and 64, 1,000 B`. */
function nameCells(cells: readonly CalibrationCell[]): string {
  const list = (values: readonly number[]) =>
    [...new Set(values)]
      .sort((a, b) => a - b)
      .map(formatCount)
      .join(' and ');
  return `depth ${list(cells.map(({ depth }) => depth))}, ${list(cells.map(({ valueBytes }) => valueBytes))} B`;
}
