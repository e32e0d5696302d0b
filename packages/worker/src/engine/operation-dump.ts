import { firstInsertedKey, type Stage, type Workload } from '@pacecar/protocol';
import { type ActionDraws, drawsOf } from './action-draws.js';
import { insertPlace } from './insert-exchange.js';
import { InsertRounds } from './insert-rounds.js';
import { InsertedKeys } from './inserted-keys.js';
import { keyText } from './key-text.js';
import {
  type OperationStream,
  STREAM,
  type StreamIdentity,
  streamSeed,
  WorkloadStreams,
} from './operation-stream.js';
import { arrivalsOf, type OpenSchedule, openSchedule } from './pace.js';
import { type LanePortion, portionOf } from './portion.js';

/** What operations depend on: what an `arm` says, for all workers of the stage. */
export interface DumpRequest {
  readonly spec: Stage;
  /** As in `arm`: of the stage, and its index in its cell. */
  readonly seed: number;
  readonly stage: number;
  /** Index in the run of each worker of the stage, in the order of their shares. */
  readonly workers: readonly number[];
}

/** One operation as it would be sent. */
export interface DumpedOperation {
  readonly workload: string;
  readonly worker: number;
  readonly connection: number;
  /** On its connection, from 0. */
  readonly number: number;
  /** ns after the stage's start; null in the closed model, where it follows the one before. */
  readonly dueNs: number | null;
  readonly action: string;
  readonly operation: string;
  /** As they go to the target; several for a batch or a command with several. */
  readonly keys: readonly string[];
  /** Sizes of the values that are written. */
  readonly valueBytes: readonly number[];
}

/**
 * The first operations of each connection of a stage, without sending any: what workers send, as far as it does not
 * depend on answers. Keys inserted during a run are drawn by `latest` once they are acknowledged; here none ever is.
 * Operations due after the stage's end are left out. Throws PacecarError REQUEST_INVALID for an impossible stage.
 */
export function* dumpOperations(request: DumpRequest, perConnection: number): Generator<DumpedOperation> {
  const { spec, workers } = request;
  for (const [index, worker] of workers.entries()) {
    const lanes = portionOf(spec, { index, of: workers.length }).threads.flat();
    for (const [number, workload] of spec.workloads.entries()) {
      const own = lanes.filter((lane) => lane.workload === number);
      yield* dumpWorkload(request, workload, own, worker, perConnection);
    }
  }
}

function* dumpWorkload(
  { spec, seed, stage }: DumpRequest,
  workload: Workload,
  lanes: readonly LanePortion[],
  worker: number,
  perConnection: number,
): Generator<DumpedOperation> {
  const identity: StreamIdentity = { seed, stage, worker };
  const draws = workload.mix.map((action) => drawsOf(action, workload));
  const open = workload.model.kind === 'open' ? openSchedule(workload.model) : null;
  const streams = new WorkloadStreams(workload, insertedOf(spec, lanes, stage));
  const endNs = spec.end.kind === 'duration' ? spec.end.durationMs * 1e6 : Number.POSITIVE_INFINITY;
  for (const portion of lanes) {
    const stream = streams.stream(portion, identity);
    const due = dueTimes(open, portion, identity);
    for (let left = Math.min(perConnection, portion.operations); left > 0; left--) {
      const dueNs = due();
      if (dueNs !== null && dueNs >= endNs) break;
      stream.next();
      yield {
        workload: workload.name,
        worker,
        connection: portion.connection,
        number: stream.number,
        dueNs,
        ...described(workload, stream, draws[stream.operation] as ActionDraws),
      };
    }
  }
}

function dueTimes(
  open: OpenSchedule | null,
  portion: LanePortion,
  identity: StreamIdentity,
): () => number | null {
  if (open === null) return () => null;
  const arrivals = arrivalsOf(open, portion.place, streamSeed(identity, portion, STREAM.arrivals));
  return () => arrivals.nextNs();
}

function described(
  workload: Workload,
  stream: OperationStream,
  draws: ActionDraws,
): Pick<DumpedOperation, 'action' | 'operation' | 'keys' | 'valueBytes'> {
  const action = workload.mix[stream.operation];
  const text = (key: number) => keyText(workload.keys, key);
  const isSeveral = !draws.isPlain && !draws.inserts;
  const keys = isSeveral ? Array.from(stream.keys.subarray(0, draws.keys), text) : [text(stream.key)];
  const valueBytes = draws.isPlain && !draws.inserts ? [stream.valueBytes] : [...stream.sizes];
  return {
    action: action?.name ?? '',
    operation: action?.operation ?? '',
    keys,
    valueBytes: valueBytes.slice(0, draws.values),
  };
}

function insertedOf(spec: Stage, lanes: readonly LanePortion[], stage: number): InsertedKeys | null {
  const workload = lanes[0]?.workload;
  const place = workload === undefined ? null : insertPlace(spec, lanes, workload);
  if (workload === undefined || place === null) return null;
  const memory = { own: InsertRounds.memory(place.connections), foreign: null };
  const first = firstInsertedKey(spec.workloads, stage, workload);
  return new InsertedKeys(spec.workloads[workload] as Workload, memory, first, place);
}
