import type { Cell, MonotonicMs, Plan, StageKind } from '@pacecar/protocol';
import type { Membership } from './membership.js';
import type { RunCourse } from './run-course.js';
import type { StageRun } from './stage-run.js';

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
    /** Which probe of a search, from 1, and its rate; null: the stage has no search. */
    readonly probe: { readonly number: number; readonly ratePerSec: number } | null;
    /** Common start on the coordinator's clock, perhaps a moment ahead; null until all are armed. */
    readonly startedAtMs: MonotonicMs | null;
    /** null for a stage that ends by count, or with another stage. */
    readonly totalMs: number | null;
  } | null;
  /** Names of the background stages that run beside it. */
  readonly beside: readonly string[];
  readonly workers: {
    /** Taken in and not lost. */
    readonly joined: number;
    readonly of: number;
    readonly lost: number;
    /** Names of those that the present step waits for; while joining, what each group lacks. */
    readonly waitingFor: readonly string[];
  };
}

export function viewOf(course: RunCourse, plan: Plan, membership: Membership): RunView {
  const { foreground, beside } = course.stages;
  const cellIndex = foreground?.cellIndex ?? 0;
  const cell = plan.cells[cellIndex];
  let joined = 0;
  let lost = 0;
  for (const member of membership.members()) {
    if (member.lost) lost++;
    else joined++;
  }
  return {
    state: stateOf(course),
    cell: {
      index: cellIndex,
      of: plan.cells.length,
      label: cell === undefined ? '' : cellLabel(cell, plan),
    },
    stage: foreground === null ? null : stageView(foreground),
    beside: beside.map(({ spec }) => spec.name),
    workers: { joined, of: membership.size, lost, waitingFor: waitingFor(course, membership) },
  };
}

function stateOf({ phase, stages }: RunCourse): RunView['state'] {
  if (phase === 'ending' || phase === 'ended') return 'ended';
  if (phase === 'settling' || phase === 'stopping') return 'draining';
  return phase === 'running' && stages.foreground?.draining === true ? 'draining' : phase;
}

function stageView(stage: StageRun): NonNullable<RunView['stage']> {
  const { name, kind, end } = stage.spec;
  const { probe } = stage;
  return {
    name,
    kind,
    index: stage.planned,
    of: stage.cell.stages.length,
    probe: probe === null ? null : { number: probe.probe, ratePerSec: probe.ratePerSec },
    startedAtMs: stage.startAtMs,
    totalMs: end.kind === 'duration' ? end.durationMs : null,
  };
}

function waitingFor(course: RunCourse, membership: Membership): readonly string[] {
  if (course.phase === 'joining') return membership.missing();
  return [...new Set(course.awaited.flatMap((stage) => stage.waitingNames()))];
}

/** A cell in words: its configuration, sweep point and, when there are several, repetition. */
export function cellLabel(cell: Cell, plan: Plan): string {
  const point = Object.entries(cell.coordinates).map(([name, value]) => `${name}=${value}`);
  const repeated = plan.cells.some(({ repetition }) => repetition > 0);
  return [cell.configuration, ...point, ...(repeated ? [`#${cell.repetition + 1}`] : [])].join(' ');
}
