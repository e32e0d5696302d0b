import {
  type Arm,
  type Armed,
  type Drained,
  type Failed,
  isBackground,
  LIMITS,
  type WorkerMessage,
} from '@pacecar/protocol';
import type { StagePlace } from './step.js';

/** `running` from go on, also while it drains. */
export type SessionStageState = 'arming' | 'armed' | 'running' | 'drained' | 'failed';

/** States only move forward; anything else is a defect of the session or the engine. */
const MOVES: Readonly<Record<SessionStageState, readonly SessionStageState[]>> = {
  // A stage that is stopped before its start drains at once.
  arming: ['armed', 'drained', 'failed'],
  armed: ['running', 'drained', 'failed'],
  running: ['drained', 'failed'],
  drained: [],
  failed: [],
};

/** A stage that this worker was armed for, and what of it the coordinator may not know yet. */
export class SessionStage {
  readonly arm: Arm;
  #state: SessionStageState = 'arming';
  #report: Armed | Drained | Failed | null = null;
  /** By sequence, oldest first. */
  readonly #unacknowledged = new Map<number, Uint8Array>();
  #nextSequence = 0;
  /** The engine was told to end the load early. */
  stopped = false;

  constructor(arm: Arm) {
    this.arm = arm;
  }

  get state(): SessionStageState {
    return this.#state;
  }

  /** It runs beside the stages after it. */
  get isBackground(): boolean {
    return isBackground(this.arm.spec);
  }

  /** The engine has something of it: connections or load. */
  get engaged(): boolean {
    return this.#state === 'arming' || this.#state === 'armed' || this.#state === 'running';
  }

  get place(): StagePlace {
    const { cell, stage } = this.arm;
    return { cell, stage };
  }

  get reference(): { readonly epoch: number; readonly cell: number; readonly stage: number } {
    const { epoch, cell, stage } = this.arm;
    return { epoch, cell, stage };
  }

  get label(): string {
    return `stage ${this.arm.spec.name} of cell ${this.arm.cell}`;
  }

  /** Negative, 0 or positive: a message speaks of an earlier stage, this one, or a later one of the same run. */
  compare({ cell, stage }: StagePlace): number {
    return cell - this.arm.cell || stage - this.arm.stage;
  }

  /** `report` is what the coordinator must learn of the new state. */
  move(to: SessionStageState, report: Armed | Drained | Failed | null): void {
    if (!MOVES[this.#state].includes(to))
      throw new Error(`${this.label} cannot go from ${this.#state} to ${to}`);
    this.#state = to;
    this.#report = report;
  }

  /** Keeps a frame until it is acknowledged. False when there is no room: the coordinator has been away too long. */
  keep(sequence: number, bytes: Uint8Array): boolean {
    if (this.#state !== 'running') throw new Error(`a frame of ${this.label}, which is ${this.#state}`);
    if (sequence !== this.#nextSequence)
      throw new Error(`frame ${sequence} of ${this.label} came where ${this.#nextSequence} is due`);
    if (this.#unacknowledged.size >= LIMITS.unacknowledgedFrames) return false;
    this.#nextSequence++;
    this.#unacknowledged.set(sequence, bytes);
    return true;
  }

  /** Forgets every frame up to this one. */
  acknowledged(upTo: number): void {
    for (const sequence of this.#unacknowledged.keys()) {
      if (sequence > upTo) break;
      this.#unacknowledged.delete(sequence);
    }
  }

  /** The report of the present state, if it has one. */
  get report(): WorkerMessage | null {
    return this.#report;
  }

  /** Whatever may have been lost with a connection, in order. */
  *unsettled(): Generator<WorkerMessage | Uint8Array> {
    yield* this.#unacknowledged.values();
    if (this.#report !== null) yield this.#report;
  }
}
