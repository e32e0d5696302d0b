import type { Armed, Drained, Failed, FailureCode, Frame, MonotonicMs } from '@pacecar/protocol';
import type { Liveness } from './liveness.js';
import type { Member } from './membership.js';
import type { Outbox, Refusal } from './outbox.js';
import type { Place } from './programme.js';
import type { RunCourse } from './run-course.js';
import type { StageRun } from './stage-run.js';

/** What workers say of stages, and the record of their frames, brought to the stage that it speaks of. */
export class StageTraffic {
  readonly #epoch: number;
  readonly #course: RunCourse;
  readonly #liveness: Liveness;
  readonly #outbox: Outbox;

  constructor(epoch: number, course: RunCourse, liveness: Liveness, outbox: Outbox) {
    this.#epoch = epoch;
    this.#course = course;
    this.#liveness = liveness;
    this.#outbox = outbox;
  }

  message(member: Member, message: Armed | Drained | Failed, nowMs: MonotonicMs): Refusal | null {
    const stage = this.#stageOf(message);
    if (typeof stage === 'string') return null;
    if ('code' in stage) return stage;
    let refusal: Refusal | null = null;
    switch (message.type) {
      case 'failed':
        return this.#failed(stage, member, message, nowMs);
      case 'armed':
        refusal = stage.armed(member, message);
        // As fresh as can be for the start line.
        if (stage.startAtMs === null) this.#liveness.measure(member, nowMs);
        break;
      case 'drained':
        refusal = stage.drained(member, message);
        break;
    }
    this.#course.advance(nowMs);
    return refusal;
  }

  frame(member: Member, frame: Frame, bytes: Uint8Array, nowMs: MonotonicMs): Refusal | null {
    const stage = this.#stageOf(frame);
    if (typeof stage === 'object' && 'code' in stage) return stage;
    if (frame.worker !== member.index)
      return invalid(`a frame of worker ${frame.worker} from worker ${member.index}`);
    if (stage === 'over') return null;
    if (stage === 'past') {
      // Its stage has closed with all its frames; only the acknowledgement was lost.
      const { epoch, cell, stage, sequence } = frame;
      this.#outbox.send(member.connection, { type: 'acknowledge', epoch, cell, stage, sequence });
      return null;
    }
    const refusal = stage.frame(member, frame, bytes, nowMs);
    if (stage.stopIfDue()) this.#course.stoppedEarly(stage, nowMs);
    return refusal;
  }

  /** The record has a frame on disk. */
  recorded(frame: Place & { readonly worker: number; readonly sequence: number }, nowMs: MonotonicMs): void {
    const stage = this.#course.stages.at(frame);
    // A frame of a stage that was given up may reach the disk after its close.
    if (typeof stage === 'string' || this.#course.over) return;
    stage.recorded(frame.worker, frame.sequence);
    this.#course.advance(nowMs);
  }

  #failed(stage: StageRun, member: Member, { code, reason }: Failed, nowMs: MonotonicMs): Refusal | null {
    if (!stage.has(member)) return invalid('failed of a stage that is not for this worker');
    const place = { cell: stage.cellIndex, stage: stage.stageIndex };
    this.#outbox.event({ type: 'worker-failed', ...place, worker: member.index, code, reason });
    stage.drop(member);
    this.#course.fail({ code, reason: `worker ${member.name}: ${reason}` }, nowMs);
    return null;
  }

  /** past: the stage of a message has closed. over: the run has. */
  #stageOf(message: Place & { readonly epoch: number }): StageRun | 'past' | 'over' | Refusal {
    if (message.epoch !== this.#epoch)
      return {
        code: 'EPOCH_STALE',
        reason: `what was sent belongs to run ${message.epoch}, this is run ${this.#epoch}`,
      };
    if (this.#course.over) return 'over';
    const stage = this.#course.stages.at(message);
    if (stage === 'ahead')
      return invalid(`stage ${message.stage} of cell ${message.cell} has not been armed`);
    return stage;
  }
}

const invalid = (reason: string): Refusal => ({ code: 'MESSAGE_INVALID' satisfies FailureCode, reason });
