import type { MonotonicMs, StageKind } from '@pacecar/protocol';
import type { RunView } from '../core/index.js';
import type { LiveFigures } from '../record/live-intervals.js';

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
    /** Which probe of a search, from 1, and its rate; null: the stage has no search. */
    readonly probe: { readonly number: number; readonly ratePerSec: number } | null;
    /** Since the common start; 0 before it. */
    readonly elapsedMs: number;
    /** null for a stage that ends by count. */
    readonly totalMs: number | null;
  } | null;
  /** Names of the background stages that run beside it. */
  readonly beside: readonly string[];
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

export function progressOf(
  view: RunView,
  figures: LiveFigures | null,
  nowMs: MonotonicMs,
  runStartMs: MonotonicMs,
): Progress {
  const { stage } = view;
  return {
    runElapsedMs: nowMs - runStartMs,
    state: view.state,
    cell: view.cell,
    stage:
      stage === null
        ? null
        : {
            name: stage.name,
            kind: stage.kind,
            index: stage.index,
            of: stage.of,
            probe: stage.probe,
            elapsedMs: stage.startedAtMs === null ? 0 : Math.max(0, nowMs - stage.startedAtMs),
            totalMs: stage.totalMs,
          },
    beside: view.beside,
    operationsPerSec: figures?.operationsPerSec ?? 0,
    p50Ns: figures?.p50Ns ?? null,
    p99Ns: figures?.p99Ns ?? null,
    operations: figures?.operations ?? 0,
    errors: figures?.errors ?? 0,
    workers: view.workers,
  };
}
