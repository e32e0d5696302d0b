import type { Configuration, PacecarError, TargetFacts, Workload } from '@pacecar/protocol';
import type { Lane } from './lane.js';

/** Nanoseconds of a monotonic clock that all threads of the process share. */
export interface EngineClock {
  nowNs(): number;
}

/**
 * One connection to the target, on behalf of one lane. It asks its lane for operations and tells it how they ended;
 * the engine decides when there is a connection at all.
 *
 * On data, with one reading of the clock: `lane.begin(now)`, `lane.succeed` or `lane.fail` for each operation that
 * ended, `lane.end()`, then `pump(now)`, so that all that may start goes out in one write. Nothing is allocated for
 * an operation.
 *
 * What an operation is. `while (lane.take(now))`: `lane.stream` stands at the operation until the next `take`, with its
 * action in `operation` (index into the workload's mix) and, by kind of operation, its key or keys, sizes, items,
 * fields, numbers and its number on the connection; the docstring of OperationStream says which kind has what. All of
 * it was drawn by then, in reused arrays: a channel draws nothing itself, or streams would depend on the driver. When
 * the answer comes, `lane` still knows of the slot what checking it needs: `operationIn`, `keyIn`, `batchKeyIn`,
 * `fieldIn`. Keys become text by `keyText` or `writeKeyNumber`; a value of a key by `writeMark` and the shared
 * text of the workload's content, that of a record's field by the mark of `fieldKey(owner, field)`. An operation that is
 * several commands (readModifyWrite, transaction) is one slot: it ends once, when the last of them is answered.
 *
 * How it went. `succeed` for operations that find or miss one key, or look nothing up; `succeedItems` where items are
 * looked up (getAll, scans) or the shape of the answer alone says what was found (command, transaction).
 *
 * When. `take` gives nothing while nothing may begin, for lack of a slot or because nothing is due, and the engine calls
 * `pump` when something is. A channel keeps no time and never asks why. `close` may come at any moment, also from within
 * `lane.end()` (a connection that has done all it should): nothing of the lane is to be touched after it.
 */
export interface Channel {
  /** Tries once to connect and log in; ends in `lane.opened` or `lane.refused`, within the connect timeout. */
  open(): void;
  /** Starts every operation that the lane gives now. Does nothing while not open. */
  pump(nowNs: number): void;
  /** Drops the connection at once. Nothing is reported of it any more, and no reply of it is ever used again. */
  close(): void;
}

/** A driver on one engine thread, set up for one configuration. */
export interface Driver {
  /** What the target says of itself. Throws PacecarError TARGET_UNREACHABLE, TARGET_DENIED or TARGET_PROTOCOL. */
  inspect(): Promise<TargetFacts>;
  /** Prepares what connections of a workload share; the result makes one channel for each lane. */
  prepare(workload: Workload): (lane: Lane) => Channel;
}

export interface DriverContext {
  readonly configuration: Configuration;
  readonly connectTimeoutMs: number;
  readonly clock: EngineClock;
}

/** Why a connection could not be opened. */
export type Refusal = PacecarError;
