import {
  insertSlices,
  insertsKeys,
  type LanePlace,
  type Slice,
  type Stage,
  type WorkerInserts,
  type Workload,
  type WorkloadInserts,
} from '@pacecar/protocol';
import { InsertRounds } from './insert-rounds.js';
import { foreignSlices, type InsertMemory, insertMemory } from './inserted-keys.js';
import type { LanePortion } from './portion.js';

/** A workload of which every worker reads what all insert. */
interface Shared {
  readonly workload: Workload;
  readonly own: InsertRounds;
  readonly slices: readonly Slice[];
  readonly foreign: InsertRounds;
  /** The parts of `foreign` that belong to a worker, by its index. */
  readonly parts: ReadonlyMap<number, readonly number[]>;
}

/** What a worker tells others of its inserts in a stage, and hears of theirs; beside the threads that insert and read. */
export class InsertExchange {
  /** For the threads: by workload that inserts. */
  readonly memory: readonly (readonly [workload: number, memory: InsertMemory])[];
  readonly #shared: ReadonlyMap<number, Shared>;

  /** `lanes`: all of this worker. */
  constructor(stage: Stage, lanes: readonly LanePortion[]) {
    const memory: [number, InsertMemory][] = [];
    const shared = new Map<number, Shared>();
    stage.workloads.forEach((workload, index) => {
      const place = insertPlace(stage, lanes, index);
      if (place === null) return;
      const made = insertMemory(workload, place);
      memory.push([index, made]);
      if (made.foreign !== null) shared.set(index, sharedOf(workload, made.own, made.foreign, place));
    });
    this.memory = memory;
    this.#shared = shared;
  }

  /** What this worker has inserted so far, where others read it. */
  report(): WorkloadInserts[] {
    return [...this.#shared.values()].map(({ workload, own, slices }) => ({
      workload: workload.name,
      slices: slices.map(({ start, length }) => own.together(start, length)),
    }));
  }

  /** What others have inserted. */
  learn(inserts: readonly WorkerInserts[]): void {
    for (const { workload, worker, slices } of inserts) {
      const shared = this.#shared.get(workload);
      const parts = shared?.parts.get(worker);
      parts?.forEach((part, slice) => {
        const rounds = slices[slice];
        if (rounds !== undefined) shared?.foreign.learn(part, rounds);
      });
    }
  }
}

/** Where a workload's inserts stand among those of all workers; null: it has none that are told of. */
export function insertPlace(stage: Stage, lanes: readonly LanePortion[], index: number): LanePlace | null {
  const workload = stage.workloads[index];
  // What loads every key once writes those of the range.
  if (workload === undefined || stage.end.kind === 'keys' || !insertsKeys(workload)) return null;
  return lanes.find((lane) => lane.workload === index && lane.operations > 0)?.place ?? null;
}

function sharedOf(
  workload: Workload,
  own: ArrayBufferLike,
  foreign: ArrayBufferLike,
  { workers, worker }: LanePlace,
): Shared {
  const parts = new Map<number, number[]>();
  foreignSlices(workload, workers, worker).forEach((slice, part) => {
    const known = parts.get(slice.worker);
    if (known === undefined) parts.set(slice.worker, [part]);
    else known.push(part);
  });
  return {
    workload,
    own: new InsertRounds(own),
    slices: insertSlices(workload, workers, worker),
    foreign: new InsertRounds(foreign),
    parts,
  };
}
