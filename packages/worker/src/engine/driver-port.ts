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
