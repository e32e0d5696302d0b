import type { Cell, MonotonicMs, Plan, StageKind } from '@pacecar/protocol';

/** What a progress display shows of a run; a value, taken whenever somebody looks. */
export interface RunView {
  /** draining: at least one worker has ended its load, or all were told to. ended: the outcome is decided. */
  readonly state: 'joining' | 'arming' | 'running' | 'draining' | 'ended';
  /** The cell at hand, from 0. While joining, the first. */
  readonly cell: { readonly index: number; readonly of: number; readonly label: string };
  /** null while joining. */
  readonly stage: {
    readonly name: string;
    readonly kind: StageKind;
    readonly index: number;
    readonly of: number;
    /** Common start on the coordinator's clock, perhaps a moment ahead; null until all are armed. */
    readonly startedAtMs: MonotonicMs | null;
    /** null for a stage that ends by count. */
    readonly totalMs: number | null;
  } | null;
  readonly workers: {
    /** Taken in and not lost. */
    readonly joined: number;
    readonly of: number;
    readonly lost: number;
    /** Names of those that the present step waits for; while joining, what each group lacks. */
    readonly waitingFor: readonly string[];
  };
}

/** A cell in words: its configuration, sweep point and, when there are several, repetition. */
export function cellLabel(cell: Cell, plan: Plan): string {
  const point = Object.entries(cell.coordinates).map(([name, value]) => `${name}=${value}`);
  const repeated = plan.cells.some(({ repetition }) => repetition > 0);
  return [cell.configuration, ...point, ...(repeated ? [`#${cell.repetition + 1}`] : [])].join(' ');
}
