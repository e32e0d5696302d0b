import type { LaneKeeper } from './lane-keeper.js';
import type { LaneTiming } from './lane-timing.js';
import type { Row } from './ledger.js';
import type { OperationStream } from './operation-stream.js';

/** What a lane is made of. */
export interface LaneOptions {
  readonly index: number;
  readonly depth: number;
  /** So many operations in all. */
  readonly operations: number;
  /** So many on one connection; null: any number. */
  readonly operationsPerConnection: number | null;
  readonly stream: OperationStream;
  /** Row of each entry of the workload's mix. */
  readonly rows: readonly Row[];
  readonly keeper: LaneKeeper;
  /** null: operations may begin at any time, each when one before it has ended. */
  readonly timing: LaneTiming | null;
}
