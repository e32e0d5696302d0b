import { firstInsertedKey, PacecarError, type Stage, type Workload } from '@pacecar/protocol';
import type { Channel } from './driver-port.js';
import { insertPlace } from './insert-exchange.js';
import { InsertedKeys, type InsertMemory } from './inserted-keys.js';
import { Lane } from './lane.js';
import type { LaneKeeper } from './lane-keeper.js';
import { LaneTiming } from './lane-timing.js';
import { Row } from './ledger.js';
import { STREAM, type StreamIdentity, streamSeed, WorkloadStreams } from './operation-stream.js';
import { type OpenSchedule, openSchedule, Pace } from './pace.js';
import type { LanePortion } from './portion.js';

const MS = 1e6;

/** What one thread's lanes of a stage are made of. */
export interface StageParts {
  readonly stage: Stage;
  readonly lanes: readonly LanePortion[];
  readonly identity: StreamIdentity;
  /** For each workload of the stage that has lanes here. */
  readonly channels: ReadonlyMap<number, (lane: Lane) => Channel>;
  /** By workload that inserts: the same for all threads of the worker. */
  readonly insertMemory: ReadonlyMap<number, InsertMemory>;
}

/** A lane with its channel, and what its workload says of connections. */
export interface LanePair {
  readonly lane: Lane;
  readonly channel: Channel;
  readonly reconnect: Workload['reconnect'];
}

/** What the lanes of one workload share on one thread. */
interface WorkloadParts {
  readonly workload: Workload;
  readonly makeChannel: (lane: Lane) => Channel;
  readonly streams: WorkloadStreams;
  readonly rows: readonly Row[];
  readonly open: OpenSchedule | null;
}

/** Throws PacecarError REQUEST_INVALID for a workload that is impossible. */
export function makeLanes(parts: StageParts, keeper: LaneKeeper): { rows: Row[]; pairs: LanePair[] } {
  const byWorkload = new Map<number, WorkloadParts>();
  for (const { workload } of parts.lanes)
    if (!byWorkload.has(workload)) byWorkload.set(workload, workloadParts(parts, workload));
  const pairs = parts.lanes.map((portion, index) => {
    const shared = byWorkload.get(portion.workload) as WorkloadParts;
    const lane = makeLane(parts, shared, portion, { index, keeper });
    return { lane, channel: shared.makeChannel(lane), reconnect: shared.workload.reconnect };
  });
  return { rows: [...byWorkload.values()].flatMap(({ rows }) => rows), pairs };
}

function makeLane(
  { identity }: StageParts,
  { workload, streams, rows, open }: WorkloadParts,
  portion: LanePortion,
  own: { readonly index: number; readonly keeper: LaneKeeper },
): Lane {
  return new Lane({
    ...own,
    depth: workload.depth,
    operations: portion.operations,
    operationsPerConnection: workload.reconnect.everyOperations,
    stream: streams.stream(portion, identity),
    rows,
    timing: makeTiming(identity, workload, open, portion),
  });
}

function makeTiming(
  identity: StreamIdentity,
  { model, depth }: Workload,
  open: OpenSchedule | null,
  portion: LanePortion,
): LaneTiming | null {
  if (open !== null) {
    const pace = new Pace(open, portion.place, streamSeed(identity, portion, STREAM.arrivals));
    return new LaneTiming(depth, pace, 0, 0);
  }
  const thinkNs = model.kind === 'closed' ? Math.round(model.thinkTimeMs * MS) : 0;
  if (thinkNs === 0 && portion.startsAfterNs === 0) return null;
  return new LaneTiming(depth, null, thinkNs, portion.startsAfterNs);
}

function workloadParts(parts: StageParts, index: number): WorkloadParts {
  const { stage } = parts;
  const workload = stage.workloads[index];
  const makeChannel = parts.channels.get(index);
  if (workload === undefined || makeChannel === undefined)
    throw new PacecarError('INTERNAL', `workload ${index} of stage ${stage.name} was not prepared`);
  const { model } = workload;
  return {
    workload,
    makeChannel,
    streams: new WorkloadStreams(workload, insertedKeys(parts, workload, index)),
    rows: workload.mix.map((action) => new Row(index, action, model.kind === 'open')),
    open: model.kind === 'open' ? openSchedule(model) : null,
  };
}

function insertedKeys(parts: StageParts, workload: Workload, index: number): InsertedKeys | null {
  const memory = parts.insertMemory.get(index);
  const place = insertPlace(parts.stage, parts.lanes, index);
  if (memory === undefined || place === null) return null;
  const first = firstInsertedKey(parts.stage.workloads, parts.identity.stage, index);
  return new InsertedKeys(workload, memory, first, place);
}
