import type { FailureCode, MonotonicMs, Plan } from '@pacecar/protocol';
import type { Liveness } from './liveness.js';
import type { Member, Membership } from './membership.js';
import type { Outbox, Refusal } from './outbox.js';
import { PHASE_MOVES, type Phase } from './phase.js';
import { StageRun } from './stage-run.js';
import { END_GRACE_MS, STOP_GRACE_MS } from './timing.js';

/** How a run ends, and why. */
export interface End {
  readonly outcome: 'complete' | 'failed' | 'interrupted';
  readonly code: FailureCode | null;
  readonly reason: string;
}

/** The way of a run through its phases and stages, with a deadline for each. */
export class RunCourse {
  readonly #plan: Plan;
  readonly #epoch: number;
  readonly #beganMs: MonotonicMs;
  readonly #membership: Membership;
  readonly #liveness: Liveness;
  readonly #outbox: Outbox;
  #phase: Phase = 'joining';
  #phaseEndsMs: MonotonicMs;
  #stage: StageRun | null = null;
  #end: End | null = null;
  /** Indexes of those that were sent the end. */
  readonly #told = new Set<number>();

  constructor(
    run: { readonly plan: Plan; readonly epoch: number; readonly nowMs: MonotonicMs },
    membership: Membership,
    liveness: Liveness,
    outbox: Outbox,
  ) {
    this.#plan = run.plan;
    this.#epoch = run.epoch;
    this.#beganMs = run.nowMs;
    this.#membership = membership;
    this.#liveness = liveness;
    this.#outbox = outbox;
    this.#phaseEndsMs = later(run.nowMs, run.plan.liveness.joinTimeoutMs);
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** By when the phase must be over. */
  get endsMs(): MonotonicMs {
    return this.#phaseEndsMs;
  }

  /** The stage at hand, or the last one; null while joining. */
  get stage(): StageRun | null {
    return this.#stage;
  }

  /** How the run ends, from the moment that this is known. */
  get end(): End | null {
    return this.#end;
  }

  /** The outcome stands. */
  get over(): boolean {
    return this.#phase === 'ending' || this.#phase === 'ended';
  }

  /** Why nobody new is taken in; null while everybody may join. */
  get closed(): string | null {
    if (this.#phase === 'joining') return null;
    return this.over ? 'the run is over' : 'the run has begun; its workers had to join before';
  }

  /** The process stood still for so long. */
  postpone(byMs: number): void {
    this.#phaseEndsMs = later(this.#phaseEndsMs, byMs);
  }

  interrupt(signal: 'SIGINT' | 'SIGTERM', nowMs: MonotonicMs): void {
    if (this.#phase === 'stopping' || this.over) return;
    this.#outbox.event({ type: 'interrupted', signal });
    const code = signal === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED';
    this.#giveUp({ outcome: 'interrupted', code, reason: `interrupted by ${signal}` }, nowMs);
  }

  /** A worker is welcome, for the first time or again: what it may have missed is said. */
  welcomed(member: Member, nowMs: MonotonicMs): void {
    if (this.over) {
      this.#sendEnd(member);
      return;
    }
    this.#liveness.measure(member, nowMs);
    if (this.#stage !== null)
      this.#stage.resume(member, this.#phase === 'stopping' ? (this.#end?.reason ?? '') : null);
  }

  /** A worker's connection is gone. */
  cut(nowMs: MonotonicMs): void {
    if (this.#phase === 'ending') this.#endIfAlone(nowMs);
  }

  /** A worker is lost in mid-run; the plan says what that means. */
  lost(member: Member, said: string, nowMs: MonotonicMs): void {
    const stage = this.#stage;
    stage?.drop(member);
    if (this.#plan.onWorkerLoss === 'fail') {
      this.fail({ code: 'WORKER_LOST', reason: said }, nowMs);
    } else if (stage?.liveCount === 0) {
      const reason = `${said}; no worker is left in stage ${stage.spec.name}`;
      this.fail({ code: 'WORKER_LOST', reason }, nowMs);
    } else {
      this.advance(nowMs);
    }
  }

  /** Goes on as soon as nothing is missing. */
  advance(nowMs: MonotonicMs): void {
    const stage = this.#stage;
    if (this.#phase === 'joining') {
      if (this.#liveness.allMeasured) this.#arm(0, 0, nowMs);
    } else if (this.#phase === 'arming' && stage !== null) {
      if (!stage.settled || this.#liveness.awaits((member) => stage.has(member))) return;
      this.#move('running');
      stage.go(later(nowMs, this.#plan.liveness.startLeadMs), this.#beganMs);
      this.#phaseEndsMs = stage.closeByMs(this.#plan.liveness.lostAfterMs);
    } else if (this.#phase === 'running' && stage !== null) {
      if (!stage.settled) return;
      stage.close(null);
      if (stage.stageIndex + 1 < stage.cell.stages.length)
        this.#arm(stage.cellIndex, stage.stageIndex + 1, nowMs);
      else if (stage.cellIndex + 1 < this.#plan.cells.length) this.#arm(stage.cellIndex + 1, 0, nowMs);
      else this.#finishAs({ outcome: 'complete', code: null, reason: this.#completeness() }, nowMs);
    } else if (this.#phase === 'stopping' && stage?.settled === true) {
      this.#stopped(nowMs);
    }
  }

  #completeness(): string {
    const { size } = this.#membership;
    let lost = 0;
    for (const member of this.#membership.members()) if (member.lost) lost++;
    return lost === 0
      ? 'every stage is complete'
      : `every stage has run, at the end with ${size - lost} of ${size} workers`;
  }

  #arm(cell: number, stage: number, nowMs: MonotonicMs): void {
    const spec = this.#plan.cells[cell]?.stages[stage];
    if (spec === undefined) throw new Error(`the plan has no stage ${stage} in cell ${cell}`);
    const members = this.#membership.liveIn(spec.group);
    if (members.length === 0) {
      const reason = `stage ${spec.name} of cell ${cell}: group ${spec.group} has no workers left`;
      this.#finishAs({ outcome: 'failed', code: 'WORKER_LOST', reason }, nowMs);
      return;
    }
    this.#move('arming');
    this.#stage = new StageRun(this.#plan, this.#epoch, { cell, stage }, members, this.#outbox);
    this.#phaseEndsMs = later(nowMs, spec.armTimeoutMs);
  }

  fail({ code, reason }: Refusal, nowMs: MonotonicMs): void {
    if (this.#phase === 'stopping') this.advance(nowMs);
    else if (!this.over) this.#giveUp({ outcome: 'failed', code, reason }, nowMs);
  }

  /** The first cause stands; those that follow from it do not replace it. */
  #giveUp(end: End & { readonly outcome: 'failed' | 'interrupted' }, nowMs: MonotonicMs): void {
    this.#end = end;
    const stage = this.#stage;
    if (this.#phase === 'running' && stage !== null) {
      this.#move('stopping');
      this.#phaseEndsMs = later(nowMs, STOP_GRACE_MS);
      stage.stop(end.reason);
      this.advance(nowMs);
      return;
    }
    if (this.#phase === 'arming') stage?.close(end.outcome);
    this.#finishAs(end, nowMs);
  }

  #stopped(nowMs: MonotonicMs): void {
    const end = this.#end;
    if (end === null || end.outcome === 'complete') throw new Error('a run stops for a reason');
    this.#stage?.close(end.outcome);
    this.#finishAs(end, nowMs);
  }

  #finishAs(end: End, nowMs: MonotonicMs): void {
    this.#end = end;
    this.#move('ending');
    this.#phaseEndsMs = later(nowMs, END_GRACE_MS);
    this.#outbox.event({ type: 'run-ended', ...end });
    for (const member of this.#membership.members()) this.#sendEnd(member);
    this.#endIfAlone(nowMs);
  }

  #sendEnd(member: Member): void {
    const end = this.#end;
    if (end === null || member.lost) return;
    if (member.connection !== null) this.#told.add(member.index);
    this.#outbox.send(member.connection, {
      type: 'end',
      epoch: this.#epoch,
      code: end.code,
      reason: end.reason,
    });
  }

  /** A worker that has read the end hangs up; when all have, nobody is waited for. One that is cut may come back. */
  #endIfAlone(nowMs: MonotonicMs): void {
    for (const { connection, index, lost } of this.#membership.members())
      if (connection !== null || (!lost && !this.#told.has(index))) return;
    this.#phaseEndsMs = nowMs;
  }

  #move(to: Phase): void {
    if (!PHASE_MOVES[this.#phase].includes(to))
      throw new Error(`a run cannot go from ${this.#phase} to ${to}`);
    this.#phase = to;
  }

  passTime(nowMs: MonotonicMs): void {
    // A passed deadline may set the next one, which has not passed (but for the end's).
    while (this.#phase !== 'ended' && this.#phaseEndsMs <= nowMs) this.#deadline(nowMs);
  }

  #deadline(nowMs: MonotonicMs): void {
    switch (this.#phase) {
      case 'joining': {
        const lacking = this.#membership.missing();
        const unmeasured = this.#liveness.unmeasuredOf(() => true).map(({ name }) => name);
        const what =
          lacking.length > 0 ? lacking.join('; ') : `no answer to clock exchanges: ${unmeasured.join(', ')}`;
        const reason = `not everybody joined within ${this.#plan.liveness.joinTimeoutMs} ms: ${what}`;
        this.#giveUp({ outcome: 'failed', code: 'DEADLINE_PASSED', reason }, nowMs);
        return;
      }
      case 'arming': {
        const stage = this.#stage as StageRun;
        const away = this.#liveness.unmeasuredOf((member) => stage.has(member)).map(({ name }) => name);
        const { code, reason } = stage.lateness();
        const clocks = stage.settled ? `${reason}${away.join(', ')} (armed, but not reachable)` : reason;
        this.#giveUp({ outcome: 'failed', code, reason: clocks }, nowMs);
        return;
      }
      case 'running':
        this.#giveUp({ outcome: 'failed', ...(this.#stage as StageRun).lateness() }, nowMs);
        return;
      case 'stopping':
        this.#stopped(nowMs);
        return;
      case 'ending': {
        for (const { connection } of this.#membership.members())
          if (connection !== null) this.#outbox.close(connection, 'the run is over');
        this.#move('ended');
        return;
      }
      case 'ended':
        return;
    }
  }
}

const later = (atMs: MonotonicMs, byMs: number): MonotonicMs => (atMs + byMs) as MonotonicMs;
