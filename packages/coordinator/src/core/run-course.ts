import { type MonotonicMs, type Plan, sendsLoad } from '@pacecar/protocol';
import { ActiveStages, drainedByMs, latenessOf } from './active-stages.js';
import { type End, Farewell } from './farewell.js';
import type { Liveness } from './liveness.js';
import type { Member, Membership } from './membership.js';
import type { Outbox, Refusal } from './outbox.js';
import { PHASE_MOVES, type Phase } from './phase.js';
import { type Assignment, isAhead, Programme } from './programme.js';
import { ServiceBoard } from './service-board.js';
import { StageRun } from './stage-run.js';
import { END_GRACE_MS, STOP_GRACE_MS } from './timing.js';

/** The way of a run through its phases and stages, with a deadline for each. */
export class RunCourse {
  readonly stages = new ActiveStages();
  readonly #plan: Plan;
  readonly #epoch: number;
  readonly #beganMs: MonotonicMs;
  readonly #membership: Membership;
  readonly #liveness: Liveness;
  readonly #outbox: Outbox;
  readonly #farewell: Farewell;
  readonly #programme: Programme;
  readonly #services: ServiceBoard;
  #phase: Phase = 'joining';
  #phaseEndsMs: MonotonicMs;
  /** Background stages that drain before the run goes on. */
  #settling: readonly StageRun[] = [];
  /** What it goes on with then. */
  #next: Assignment | null = null;
  #end: End | null = null;

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
    this.#farewell = new Farewell(run.epoch, membership, outbox);
    this.#programme = new Programme(run.plan, outbox);
    this.#services = new ServiceBoard(run.plan, outbox);
    this.#phaseEndsMs = later(run.nowMs, run.plan.liveness.joinTimeoutMs);
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** By when the phase must be over. */
  get endsMs(): MonotonicMs {
    return this.#phaseEndsMs;
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

  /** Those that the present step waits for. */
  get awaited(): readonly StageRun[] {
    if (this.#phase === 'stopping') return this.stages.open;
    if (this.#phase === 'settling') return this.#settling;
    const { foreground } = this.stages;
    return foreground === null || this.over ? [] : [foreground];
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
      if (this.#end !== null) this.#farewell.tell(member, this.#end);
      return;
    }
    this.#liveness.measure(member, nowMs);
    this.stages.resume(member);
  }

  /** A worker's connection is gone. */
  cut(nowMs: MonotonicMs): void {
    if (this.#phase === 'ending') this.#endIfAlone(nowMs);
  }

  /** A worker is lost in mid-run; the plan says what that means. */
  lost(member: Member, said: string, nowMs: MonotonicMs): void {
    this.stages.drop(member);
    const { deserted } = this.stages;
    if (this.#plan.onWorkerLoss === 'fail') {
      this.fail({ code: 'WORKER_LOST', reason: said }, nowMs);
    } else if (deserted !== null) {
      const reason = `${said}; no worker is left in stage ${deserted.spec.name}`;
      this.fail({ code: 'WORKER_LOST', reason }, nowMs);
    } else {
      this.advance(nowMs);
    }
  }

  /** Goes on as soon as nothing is missing. */
  advance(nowMs: MonotonicMs): void {
    const stage = this.stages.foreground;
    if (this.#phase === 'joining') {
      if (this.#liveness.allMeasured) this.#arm(this.#programme.first(), nowMs);
    } else if (this.#phase === 'arming' && stage !== null) {
      if (!stage.settled || this.#liveness.awaits((member) => stage.has(member))) return;
      this.#move('running');
      // There is no start line to meet for what sends no load.
      const leadMs = sendsLoad(stage.spec) ? this.#plan.liveness.startLeadMs : 0;
      stage.go(later(nowMs, leadMs), this.#beganMs);
      if (stage.until === null) this.#phaseEndsMs = stage.closeByMs(this.#plan.liveness.lostAfterMs);
      else this.#goOn(nowMs);
    } else if (this.#phase === 'running' && stage !== null) {
      if (!stage.settled) return;
      this.stages.close(stage, null);
      this.#programme.closed(stage);
      this.#goOn(nowMs);
    } else if (this.#phase === 'settling') {
      if (this.#settling.some(({ settled }) => !settled)) return;
      for (const background of this.#settling) this.stages.close(background, null);
      this.#settling = [];
      this.#begin(nowMs);
    } else if (this.#phase === 'stopping' && this.stages.settled) {
      this.#stopped(nowMs);
    }
  }

  /** The stage at hand is behind, or runs on in the background: to the next, once what ran until here has drained. */
  #goOn(nowMs: MonotonicMs): void {
    const next = this.#programme.after(this.stages.foreground as StageRun);
    this.#next = next;
    this.#settling = this.stages.open.filter(
      ({ cellIndex, until }) => until !== null && !isAhead(this.#plan, cellIndex, until, next),
    );
    if (this.#settling.length === 0) {
      this.#begin(nowMs);
      return;
    }
    this.#move('settling');
    this.#phaseEndsMs = drainedByMs(this.#settling, this.#plan.liveness.lostAfterMs, nowMs);
    for (const background of this.#settling) background.stop(`stage ${background.until} has closed`);
    this.advance(nowMs);
  }

  #begin(nowMs: MonotonicMs): void {
    if (this.#next !== null) this.#arm(this.#next, nowMs);
    else this.#finishAs({ outcome: 'complete', code: null, reason: this.#completeness() }, nowMs);
  }

  #completeness(): string {
    const { size } = this.#membership;
    let lost = 0;
    for (const member of this.#membership.members()) if (member.lost) lost++;
    return lost === 0
      ? 'every stage is complete'
      : `every stage has run, at the end with ${size - lost} of ${size} workers`;
  }

  #arm(assignment: Assignment, nowMs: MonotonicMs): void {
    const { cell, spec } = assignment;
    const members = this.#membership.liveIn(spec.group);
    if (members.length === 0) {
      const reason = `stage ${spec.name} of cell ${cell}: group ${spec.group} has no workers left`;
      this.#giveUp({ outcome: 'failed', code: 'WORKER_LOST', reason }, nowMs);
      return;
    }
    this.#move('arming');
    this.stages.begin(
      new StageRun(this.#plan, this.#epoch, assignment, members, this.#services, this.#outbox),
    );
    this.#phaseEndsMs = later(nowMs, spec.armTimeoutMs);
  }

  /** A stage was told to drain before its end: from now on it has only so long. */
  stoppedEarly(stage: StageRun, nowMs: MonotonicMs): void {
    if (this.#phase !== 'running' || stage !== this.stages.foreground) return;
    const byMs = drainedByMs([stage], this.#plan.liveness.lostAfterMs, nowMs);
    this.#phaseEndsMs = Math.min(this.#phaseEndsMs, byMs) as MonotonicMs;
  }

  fail({ code, reason }: Refusal, nowMs: MonotonicMs): void {
    if (this.#phase === 'stopping') this.advance(nowMs);
    else if (!this.over) this.#giveUp({ outcome: 'failed', code, reason }, nowMs);
  }

  /** The first cause stands; those that follow from it do not replace it. */
  #giveUp(end: End & { readonly outcome: 'failed' | 'interrupted' }, nowMs: MonotonicMs): void {
    this.#end = end;
    const { foreground } = this.stages;
    // Nothing of it has started.
    if (this.#phase === 'arming' && foreground !== null) this.stages.close(foreground, end.outcome);
    if (this.stages.open.length === 0) {
      this.#finishAs(end, nowMs);
      return;
    }
    this.#move('stopping');
    this.#phaseEndsMs = later(nowMs, STOP_GRACE_MS);
    this.stages.stopAll(end.reason);
    this.advance(nowMs);
  }

  #stopped(nowMs: MonotonicMs): void {
    const end = this.#end;
    if (end === null || end.outcome === 'complete') throw new Error('a run stops for a reason');
    this.stages.closeAll(end.outcome);
    this.#finishAs(end, nowMs);
  }

  #finishAs(end: End, nowMs: MonotonicMs): void {
    this.#end = end;
    this.#move('ending');
    this.#phaseEndsMs = later(nowMs, END_GRACE_MS);
    this.#outbox.event({ type: 'run-ended', ...end });
    this.#farewell.tellAll(end);
    this.#endIfAlone(nowMs);
  }

  #endIfAlone(nowMs: MonotonicMs): void {
    if (this.#farewell.allGone) this.#phaseEndsMs = nowMs;
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
        const stage = this.stages.foreground as StageRun;
        const away = this.#liveness.unmeasuredOf((member) => stage.has(member)).map(({ name }) => name);
        const { code, reason } = stage.lateness();
        const clocks = stage.settled ? `${reason}${away.join(', ')} (armed, but not reachable)` : reason;
        this.#giveUp({ outcome: 'failed', code, reason: clocks }, nowMs);
        return;
      }
      case 'running':
      case 'settling':
        this.#giveUp({ outcome: 'failed', ...latenessOf(this.awaited) }, nowMs);
        return;
      case 'stopping':
        this.#stopped(nowMs);
        return;
      case 'ending':
        this.#farewell.hangUp();
        this.#move('ended');
        return;
      case 'ended':
        return;
    }
  }
}

const later = (atMs: MonotonicMs, byMs: number): MonotonicMs => (atMs + byMs) as MonotonicMs;
