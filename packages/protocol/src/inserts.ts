import { z } from 'zod';
import { PacecarError } from './failure.js';
import { LIMITS } from './limits.js';
import { INSERTS } from './plan/action.js';
import { amountFor } from './plan/amount.js';
import type { Workload } from './plan/workload.js';
import { type Slice, slice } from './share.js';

/**
 * Keys that are inserted during a run. They are dealt out like the arrivals of a schedule, without asking anybody:
 *
 *   round j of connection c of worker w   key (j x connections + c) x workers + w behind the first one
 *
 * with the connections of that worker, and the workers that have a connection of the workload. Which of them may be read
 * is told between workers by the round, for a few neighbouring connections together: a slice.
 */

/** Keys that a workload of a stage may insert: its own block, so that none writes what another one inserted. */
const BLOCK = 2 ** 34;

/**
 * What a slice of connections has behind it: `[from, below, failed ...]`. Rounds from <= j < below were acknowledged on
 * all of its connections, but for those in `failed` (ascending, within them). Both ends only rise.
 */
export type InsertedRounds = readonly number[];

/** What one worker has inserted by one workload: its slices, in the order of the connections. */
export interface WorkloadInserts {
  readonly workload: string;
  readonly slices: readonly InsertedRounds[];
}

const round = z.int().min(0).max(LIMITS.insertRounds);

export const InsertedRoundsSchema = z
  .array(round)
  .min(2)
  .max(2 + LIMITS.failedInserts)
  .readonly()
  .describe('A slice: [from, below, failed ...].')
  .refine(areRounds, 'not [from, below, failed ...], failed ones ascending from "from" to below "below"');

export const WorkerInsertsSchema = z
  .object({
    workload: z.int().min(0).max(LIMITS.workloadsPerStage).describe('Which workload of the stage, from 0.'),
    worker: z
      .int()
      .min(0)
      .max(LIMITS.workers)
      .describe('Whose inserts: the index in the share of the arm message.'),
    slices: z.array(InsertedRoundsSchema).min(1).max(LIMITS.insertSlicesPerWorker).readonly(),
  })
  .readonly()
  .describe('What a worker has inserted, by its last frame.');
export type WorkerInserts = z.infer<typeof WorkerInsertsSchema>;

export function areRounds(numbers: readonly number[]): boolean {
  if (numbers.length < 2 || numbers.length > 2 + LIMITS.failedInserts) return false;
  const [from, below, ...failed] = numbers as [number, number, ...number[]];
  let least = from;
  for (const one of failed) {
    if (one < least || one >= below) return false;
    least = one + 1;
  }
  return from <= below && below <= LIMITS.insertRounds;
}

/** Whether the workers of a stage have to know what the others have inserted: some draw by age, and there is more. */
export function sharesInserts({ keys, mix }: Pick<Workload, 'keys' | 'mix'>): boolean {
  if (keys.distribution.kind !== 'latest') return false;
  return insertsKeys({ mix }) && mix.some(({ operation }) => !INSERTS.has(operation));
}

export function insertsKeys({ mix }: Pick<Workload, 'mix'>): boolean {
  return mix.some(({ operation }) => INSERTS.has(operation));
}

/** Workers of a stage that have at least one connection of the workload: always the first ones. */
export function connectedWorkers({ connections }: Pick<Workload, 'connections'>, workers: number): number {
  return connections.scope === 'worker' ? workers : Math.min(workers, connections.count);
}

/** The slices of worker `worker` of `workers`, by connection; none if it has no connection. */
export function insertSlices(
  workload: Pick<Workload, 'connections'>,
  workers: number,
  worker: number,
): Slice[] {
  const connections = amountFor(workload.connections, workers, worker);
  const most = Math.floor(LIMITS.insertSlicesPerStage / connectedWorkers(workload, workers));
  const parts = Math.min(connections, LIMITS.insertSlicesPerWorker, Math.max(1, most));
  return Array.from({ length: parts }, (_, part) => slice({ start: 0, length: connections }, parts, part));
}

/**
 * Where the keys begin that workload `workload` of stage `stage` of a cell inserts: past the ranges of all workloads of
 * its stage. Throws PacecarError REQUEST_INVALID if they would pass 2^53-1.
 */
export function firstInsertedKey(
  workloads: readonly Pick<Workload, 'keys'>[],
  stage: number,
  workload: number,
): number {
  const maximum = Math.max(...workloads.map(({ keys }) => keys.maximum));
  const past = 1 + (stage * LIMITS.workloadsPerStage + workload) * BLOCK;
  if (maximum + past + BLOCK <= Number.MAX_SAFE_INTEGER) return maximum + past;
  const most = Number.MAX_SAFE_INTEGER - past - BLOCK;
  throw new PacecarError(
    'REQUEST_INVALID',
    `keys up to ${maximum} leave no room below 2^53 for the keys that are inserted past them; allowed: keys up to ${most}`,
  );
}
