import { z } from 'zod';
import { LIMITS } from '../limits.js';

export const OBJECTIVE_METRICS = [
  'mean',
  'p50',
  'p90',
  'p99',
  'p99.9',
  'p99.99',
  'max',
  'throughput',
  'errors',
  'misses',
] as const;

export const ObjectiveSchema = z
  .object({
    /** As written, for example `get.p99 < 5ms`. */
    text: z.string().max(200),
    /** The name of an action, of a workload and an action with a dot between, or `total`. */
    operation: z.string().max(2 * LIMITS.nameLength + 1),
    metric: z.enum(OBJECTIVE_METRICS),
    comparison: z.enum(['<', '<=', '>', '>=']),
    /** ns for latencies, operations per second for throughput, 0..1 for errors and misses. */
    threshold: z.number(),
  })
  .readonly();
export type Objective = z.infer<typeof ObjectiveSchema>;

/** What the rows of a frame or of totals are named after. */
export interface RowName {
  readonly workload: string;
  /** The action's name. */
  readonly operation: string;
}

/**
 * Whether an objective speaks of a row. What runs in the background is there to disturb what is measured: it is judged
 * only where its workload is named.
 */
export function objectiveMeans(
  { operation }: Pick<Objective, 'operation'>,
  row: RowName,
  inBackground = false,
): boolean {
  if (operation === `${row.workload}.${row.operation}`) return true;
  return !inBackground && (operation === 'total' || operation === row.operation);
}

/** Whether a figure, in the unit of the threshold, meets the objective; without a figure it does not. */
export function objectiveMet(
  { comparison, threshold }: Pick<Objective, 'comparison' | 'threshold'>,
  actual: number | null,
): boolean {
  if (actual === null) return false;
  switch (comparison) {
    case '<':
      return actual < threshold;
    case '<=':
      return actual <= threshold;
    case '>':
      return actual > threshold;
    case '>=':
      return actual >= threshold;
  }
}
