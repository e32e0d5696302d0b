import {
  amountFor,
  type Keys,
  PacecarError,
  type Slice,
  type Stage,
  share,
  slice,
  type Workload,
} from '@pacecar/protocol';
import { keyRange } from './key-source.js';

/** More operations than any stage sends: an end by time. */
export const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** What one connection of a workload has to do. Whole numbers and plain data: it travels to an engine thread. */
export interface LanePortion {
  /** Index of the workload in its stage. */
  readonly workload: number;
  /** Index of the connection among this worker's of the workload. With the worker's index it names its streams. */
  readonly connection: number;
  /** Exactly so many operations are sent; UNBOUNDED: as many as the time allows. */
  readonly operations: number;
  /** The keys that are this connection's own; null: it draws from the whole range. */
  readonly keys: Slice | null;
}

/** What one worker has to do in a stage: for each engine thread its lanes. */
export interface WorkerPortion {
  readonly threads: readonly (readonly LanePortion[])[];
  readonly connections: number;
}

/**
 * Splits a stage exactly. Connections that are counted in total go to the first workers, keys of a partitioned range
 * over the workers that have a connection and then over their connections, and operations over the connections
 * that can send one. Threads only carry connections: nothing depends on how many there are.
 *
 * Throws PacecarError REQUEST_INVALID where operations are asked of a worker that has nothing to send them with.
 */
export function portionOf(
  stage: Stage,
  worker: { readonly index: number; readonly of: number },
): WorkerPortion {
  const threads: LanePortion[][] = [];
  let connections = 0;
  stage.workloads.forEach((workload, index) => {
    const lanes = lanesOf(stage, workload, index, worker);
    if (lanes.length === 0) return;
    connections += lanes.length;
    const threadCount = Math.max(1, amountFor(workload.threads, worker.of, worker.index));
    for (let thread = 0; thread < threadCount; thread++) {
      const part = slice({ start: 0, length: lanes.length }, threadCount, thread);
      threads.push(lanes.slice(part.start, part.start + part.length));
    }
  });
  return { threads, connections };
}

function lanesOf(
  stage: Stage,
  workload: Workload,
  index: number,
  worker: { readonly index: number; readonly of: number },
): LanePortion[] {
  const connections = amountFor(workload.connections, worker.of, worker.index);
  const own = ownKeys(stage, workload.keys, workload, worker, connections);
  const lanes: LanePortion[] = [];
  const operations = operationsOf(stage, workload, worker, connections, own);
  for (let connection = 0; connection < connections; connection++)
    lanes.push({
      workload: index,
      connection,
      operations: operations[connection] as number,
      keys: own === null ? null : (own[connection] as Slice),
    });
  return lanes;
}

/** Workers with at least one connection of the workload: always the first ones. */
function connectedWorkers(workload: Workload, workers: number): number {
  return workload.connections.scope === 'worker' ? workers : Math.min(workers, workload.connections.count);
}

function isPartitioned(stage: Stage, workload: Workload): boolean {
  return stage.end.kind === 'keys' || workload.keys.distribution.kind === 'partitioned';
}

function ownKeys(
  stage: Stage,
  keys: Keys,
  workload: Workload,
  worker: { readonly index: number; readonly of: number },
  connections: number,
): Slice[] | null {
  if (!isPartitioned(stage, workload)) return null;
  const own: Slice[] = [];
  if (connections === 0) return own;
  const mine = slice(keyRange(keys), connectedWorkers(workload, worker.of), worker.index);
  for (let connection = 0; connection < connections; connection++)
    own.push(slice(mine, connections, connection));
  return own;
}

function operationsOf(
  stage: Stage,
  workload: Workload,
  worker: { readonly index: number; readonly of: number },
  connections: number,
  own: readonly Slice[] | null,
): number[] {
  if (stage.end.kind === 'duration') {
    // A connection without a key of its own stays idle.
    if (own !== null) return own.map((keys) => (keys.length > 0 ? UNBOUNDED : 0));
    return new Array<number>(connections).fill(UNBOUNDED);
  }
  if (stage.end.kind === 'keys') return (own as readonly Slice[]).map((keys) => keys.length);
  const { operations } = stage.end;
  let workers = connectedWorkers(workload, worker.of);
  if (own !== null) workers = Math.min(workers, keyRange(workload.keys).length);
  // Keys come one each before anybody has a second one, so those with a key are the first ones as well.
  const able = own === null ? connections : own.filter((keys) => keys.length > 0).length;
  let mine: number;
  if (operations.scope === 'total')
    mine = worker.index < workers ? share(operations.count, workers, worker.index) : 0;
  else mine = operations.count;
  if (mine > 0 && able === 0) {
    const lacks = connections === 0 ? 'connection' : 'key';
    throw new PacecarError(
      'REQUEST_INVALID',
      `workload ${workload.name} asks worker ${worker.index} of ${worker.of} for ${mine} operations, but it has no ` +
        `${lacks} of its own; give the operations in total, or more ${lacks}s`,
    );
  }
  const counts: number[] = [];
  for (let connection = 0; connection < connections; connection++)
    counts.push(connection < able ? share(mine, able, connection) : 0);
  return counts;
}
