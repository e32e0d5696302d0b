import { CALIBRATED_OPERATIONS, type CalibrationCell } from '@pacecar/protocol';

/** What one cell asks of the generator. */
export type CellSpec = Pick<
  CalibrationCell,
  'driver' | 'operation' | 'threads' | 'connections' | 'depth' | 'valueBytes'
>;

/** Between these the cost of an operation is near a line, in its bytes and in 1 / depth. */
const DEPTHS = [1, 8, 64] as const;
export const VALUE_BYTES = [16, 1_000, 10_000] as const;
/** How a ceiling grows with threads is measured here. */
const SCALING = { operation: 'get', depth: 8, valueBytes: 1_000 } as const;
/** Past so many the one thread of the built-in target keeps them from showing what they can. */
const MOST_THREADS = 8;
const CONNECTIONS_PER_THREAD = 50;

/** Everything with one engine thread, driver by driver; then more threads, which are left out first. */
export function calibrationCells(drivers: readonly string[], cpuCount: number): CellSpec[] {
  const cells: CellSpec[] = [];
  const connections = CONNECTIONS_PER_THREAD;
  for (const driver of drivers)
    for (const valueBytes of VALUE_BYTES)
      for (const depth of DEPTHS)
        for (const operation of CALIBRATED_OPERATIONS)
          cells.push({ driver, operation, threads: 1, connections, depth, valueBytes });
  for (let threads = 2; threads <= Math.min(cpuCount, MOST_THREADS); threads *= 2)
    for (const driver of drivers)
      cells.push({ driver, ...SCALING, threads, connections: connections * threads });
  return cells;
}
