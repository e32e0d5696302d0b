import type {
  Arm,
  FailureCode,
  Go,
  ServiceNode,
  ServiceNodeReport,
  TargetFacts,
  Totals,
  WorkerInserts,
} from '@pacecar/protocol';

/** What a stage reports while it lives, in this order: armed | failed, then frames, then drained | failed. */
export interface StageListener {
  armed(report: {
    connections: number;
    target: TargetFacts | null;
    /** Of a stage that starts a service: what this worker will run. */
    nodes?: readonly ServiceNode[];
  }): void;
  /** An encoded frame, numbered from 0 within the stage. */
  frame(sequence: number, bytes: Uint8Array): void;
  drained(report: {
    lastSequence: number;
    elapsedNs: number;
    totals: readonly Totals[];
    report?: readonly ServiceNodeReport[];
  }): void;
  failed(code: FailureCode, reason: string): void;
}

/**
 * The load engine of one worker, as its session sees it: one stage in the foreground, any number in the background.
 * The session's process calls it from its control thread; load runs on engine threads that keep living from stage to
 * stage (a warm-up warms them).
 */
export interface StageEngine {
  /**
   * Opens every connection and prepares the stage. `worker` is the worker's index in the run. Whatever is left of the
   * foreground is abandoned, unless this is a background stage.
   */
  arm(arm: Arm, worker: number, listener: StageListener): StageLoad;
  /** Ends the engine threads. Resolves when none is left. */
  close(): Promise<void>;
}

/** What the coordinator knows of a service when a stage begins; nothing in a stage of load. */
export type ServiceKnowledge = Pick<Go, 'peers' | 'away'>;

/** One stage of the engine's. Once it has drained, failed or was abandoned, calls do nothing. */
export interface StageLoad {
  /** Start of the stage, ms of this process's monotonic clock (`process.hrtime` since the clock's origin). */
  go(startAtMs: number, known?: ServiceKnowledge): void;
  /** Ends the stage early: drains within its drain limit, reports the last frames and `drained`. */
  stop(): void;
  /** What workers of the stage have inserted by now, and this one may read. */
  inserted(inserts: readonly WorkerInserts[]): void;
  /** Cuts everything at once; nothing more is reported of this stage. */
  abandon(): void;
}
