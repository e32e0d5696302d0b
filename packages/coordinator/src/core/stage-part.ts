import {
  actionOf,
  type Arm,
  type FailureCode,
  type Frame,
  type Go,
  type Inserted,
  LIMITS,
  type Stage,
} from '@pacecar/protocol';
import type { Member } from './membership.js';
import type { Outbox, Refusal } from './outbox.js';
import { Tally } from './tally.js';

/** Where one worker is in a stage. `kept`: it has drained and every frame is recorded. `gone`: lost or failed. */
export type StagePartState = 'arming' | 'armed' | 'running' | 'drained' | 'kept' | 'gone';

/** States only move forward; anything else is a defect of the core. */
const MOVES: Readonly<Record<StagePartState, readonly StagePartState[]>> = {
  arming: ['armed', 'gone'],
  armed: ['running', 'gone'],
  running: ['drained', 'gone'],
  drained: ['kept', 'gone'],
  kept: [],
  gone: [],
};

/** One worker's part in one stage. */
export class StagePart {
  readonly member: Member;
  readonly tally: Tally;
  /** Something did not add up and was reported. */
  conservationBroken = false;
  /** Frames 0 .. nextSequence - 1 have been received, 0 .. recorded stand in the bundle. */
  nextSequence = 0;
  recorded = -1;
  /** Known once the worker has drained. */
  lastSequence: number | null = null;
  /** The start on the worker's own clock. */
  startAtWorkerMs = 0;
  /** As sent, to be sent again. */
  readonly #arm: Arm;
  readonly #reference: { readonly epoch: number; readonly cell: number; readonly stage: number };
  readonly #outbox: Outbox;
  #state: StagePartState = 'arming';
  #services: Pick<Go, 'peers' | 'away'> = {};

  constructor(member: Member, arm: Arm, outbox: Outbox) {
    this.member = member;
    this.#arm = arm;
    this.#reference = { epoch: arm.epoch, cell: arm.cell, stage: arm.stage };
    this.#outbox = outbox;
    this.tally = new Tally(arm.spec);
  }

  get state(): StagePartState {
    return this.#state;
  }

  /** Which of the workers of the stage it is. */
  get shareIndex(): number {
    return this.#arm.share.index;
  }

  get #spec(): Stage {
    return this.#arm.spec;
  }

  move(to: StagePartState): void {
    if (!MOVES[this.#state].includes(to))
      throw new Error(`worker ${this.member.name} cannot go from ${this.#state} to ${to}`);
    this.#state = to;
  }

  /** `new`: it is the next frame and counts. `old`: it was sent again, or does not matter any more. */
  judge(frame: Frame, bytes: Uint8Array): 'new' | 'old' | Refusal {
    const { sequence } = frame;
    const where = `frame ${sequence} of stage ${this.#spec.name}`;
    if (this.#state === 'gone') return 'old';
    if (this.#state === 'arming' || this.#state === 'armed')
      return invalid(`${where}, which has not started`);
    if (sequence < this.nextSequence) {
      // Sent again after a cut. What is not recorded yet is acknowledged when it is.
      if (sequence <= this.recorded) this.sendAcknowledge();
      return 'old';
    }
    if (sequence > this.nextSequence) return invalid(`${where} came where ${this.nextSequence} is due`);
    if (this.#state !== 'running') return invalid(`${where} came after its last, ${this.lastSequence}`);
    if (bytes.length > LIMITS.frameBytes)
      return {
        code: 'LIMIT_EXCEEDED',
        reason: `a frame of ${bytes.length} bytes, at most ${LIMITS.frameBytes}`,
      };
    const stranger = frame.rows.find((row) => actionOf(this.#spec, row) === null);
    if (stranger === undefined) return 'new';
    const counted = `${stranger.operation} of ${stranger.workload}`;
    return invalid(`frame ${sequence} counts ${counted}, which stage ${this.#spec.name} does not have`);
  }

  // --- what the worker is told ---

  sendArm(): void {
    this.#outbox.send(this.member.connection, this.#arm);
  }

  /** `services`: what it must know to begin. */
  begin(services: Pick<Go, 'peers' | 'away'>): void {
    this.#services = services;
    this.sendGo();
  }

  sendGo(): void {
    const { startAtWorkerMs: startAtMs } = this;
    this.#outbox.send(this.member.connection, {
      type: 'go',
      ...this.#reference,
      startAtMs,
      ...this.#services,
    });
  }

  sendStop(reason: string): void {
    this.#outbox.send(this.member.connection, { type: 'stop', ...this.#reference, reason });
  }

  /** Of any worker of the stage. */
  sendInserted(inserts: Inserted['inserts']): void {
    this.#outbox.send(this.member.connection, { type: 'inserted', ...this.#reference, inserts });
  }

  sendAcknowledge(): void {
    const message = { type: 'acknowledge', ...this.#reference, sequence: this.recorded } as const;
    this.#outbox.send(this.member.connection, message);
  }
}

const invalid = (reason: string): Refusal => ({ code: 'MESSAGE_INVALID' satisfies FailureCode, reason });
