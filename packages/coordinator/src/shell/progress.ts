import type { StageKind } from '@pacecar/protocol';

/** How a run stands, once a second: for a person to watch, never for a result. */
export interface Progress {
  /** Since the coordinator started. */
  readonly runElapsedMs: number;
  readonly state: 'joining' | 'arming' | 'running' | 'draining' | 'ended';
  /** The cell in hand or, between cells, the last one; `index` from 0. */
  readonly cell: { readonly index: number; readonly of: number; readonly label: string };
  readonly stage: {
    readonly name: string;
    readonly kind: StageKind;
    /** From 0, within the cell. */
    readonly index: number;
    readonly of: number;
    /** Since the common start; 0 before it. */
    readonly elapsedMs: number;
    /** null for a stage that ends by count. */
    readonly totalMs: number | null;
  } | null;
  /** Of the last complete interval, over all workers of the stage. 0 and null before there is one. */
  readonly operationsPerSec: number;
  readonly p50Ns: number | null;
  readonly p99Ns: number | null;
  /** Ended so far in the whole run, warm-ups included. */
  readonly operations: number;
  /** Errors, timeouts and aborted among them. */
  readonly errors: number;
  readonly workers: {
    readonly joined: number;
    readonly of: number;
    readonly lost: number;
    /** Names of the workers, or `group (2 more)` while joining, that the run waits for now. */
    readonly waitingFor: readonly string[];
  };
}
