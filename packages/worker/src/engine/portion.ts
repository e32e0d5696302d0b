import {
  amountFor,
  connectedWorkers,
  type Keys,
  type LanePlace,
  laneArrivalCount,
  PacecarError,
  type Slice,
  type Stage,
  share,
  slice,
  type Workload,
} from '@pacecar/protocol';
import { keyRange } from './key-source.js';
import { startsAfterNs } from './start-plan.js';

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
  /** Among the connections of all workers that have something to do: by it arrivals and new keys are dealt out. */
  readonly place: LanePlace;
  /** It begins so long after the stage. */
  readonly startsAfterNs: number;
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
  const able = ableOf(workload, worker, connections, own);
  const operations = operationsOf(stage, workload, worker, connections, own, able);
  return operations.map((count, connection) => {
    // Who has nothing to do stands outside: nothing is dealt out to it.
    const place =
      connection < able.connections ? { ...able, connection } : { ...able, connections, connection };
    return {
      workload: index,
      connection,
      operations: count,
      keys: own === null ? null : (own[connection] as Slice),
      place,
      startsAfterNs: startsAfterNs(workload, place),
    };
  });
}

/** The connections that can send: those with a key, if keys are partitioned. They are always the first ones. */
function ableOf(
  workload: Workload,
  worker: { readonly index: number; readonly of: number },
  connections: number,
  own: readonly Slice[] | null,
): Omit<LanePlace, 'connection'> {
  const connected = connectedWorkers(workload, worker.of);
  // Keys come one each before anybody has a second one, so those with a key are the first ones as well.
  const workers = own === null ? connected : Math.min(connected, keyRange(workload.keys).length);
  const able = own === null ? connections : own.filter((keys) => keys.length > 0).length;
  return { workers, worker: worker.index, connections: able };
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
  able: Omit<LanePlace, 'connection'>,
): number[] {
  const each = (count: (connection: number) => number) =>
    Array.from({ length: connections }, (_, connection) =>
      connection < able.connections ? count(connection) : 0,
    );
  if (stage.end.kind === 'keys') return (own as readonly Slice[]).map((keys) => keys.length);
  if (stage.end.kind !== 'operations') return each(() => UNBOUNDED);
  const { operations } = stage.end;
  const takesPart = worker.index < able.workers;
  if (operations.scope === 'total' && workload.model.kind === 'open')
    // Exactly the first arrivals of the schedule, whoever has them.
    return each((connection) => laneArrivalCount({ ...able, connection }, operations.count));
  const mine =
    operations.scope === 'worker'
      ? operations.count
      : takesPart
        ? share(operations.count, able.workers, worker.index)
        : 0;
  if (mine > 0 && able.connections === 0) {
    const lacks = connections === 0 ? 'connection' : 'key';
    throw new PacecarError(
      'REQUEST_INVALID',
      `workload ${workload.name} asks worker ${worker.index} of ${worker.of} for ${mine} operations, but it has no ` +
        `${lacks} of its own; give the operations in total, or more ${lacks}s`,
    );
  }
  return each((connection) => share(mine, able.connections, connection));
}
