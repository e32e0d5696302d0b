import type { Arm } from '@pacecar/protocol';
import type { Member } from './membership.js';
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
  /** As sent, to be sent again. */
  readonly arm: Arm;
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
  #state: StagePartState = 'arming';

  constructor(member: Member, arm: Arm) {
    this.member = member;
    this.arm = arm;
    this.tally = new Tally(arm.spec);
  }

  get state(): StagePartState {
    return this.#state;
  }

  move(to: StagePartState): void {
    if (!MOVES[this.#state].includes(to))
      throw new Error(`worker ${this.member.name} cannot go from ${this.#state} to ${to}`);
    this.#state = to;
  }
}
