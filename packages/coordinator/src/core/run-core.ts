import {
  BUNDLE_VERSION,
  type FailureCode,
  type Frame,
  type Hello,
  type MonotonicMs,
  PACECAR_VERSION,
  type Plan,
  type WorkerMessage,
} from '@pacecar/protocol';
import { Liveness } from './liveness.js';
import { type Member, Membership } from './membership.js';
import { Outbox, type Refusal } from './outbox.js';
import { cellLabel, type RunView } from './run-view.js';
import { StageRun } from './stage-run.js';
import type { RunEffect, RunInput } from './step.js';
import { END_GRACE_MS, HELLO_TIMEOUT_MS, REFUSALS_RECORDED, STOP_GRACE_MS } from './timing.js';

export interface RunCoreOptions {
  readonly plan: Plan;
  /** Differs from that of every earlier run; at least 1. */
  readonly epoch: number;
  /** What a worker must say; null takes any. */
  readonly token: string | null;
  /** The moment at which the run begins: origin of the events' times. */
  readonly nowMs: MonotonicMs;
}

/**
 * joining   until every seat is taken by a reachable worker whose clock is known
 * arming    a stage: until everyone has its connections open
 * running   until the barrier closes; then the next stage arms
 * stopping  the run has failed or was interrupted: workers drain for a bounded time
 * ending    the outcome stands and everyone is told
 */
type Phase = 'joining' | 'arming' | 'running' | 'stopping' | 'ending' | 'ended';

const MOVES: Readonly<Record<Phase, readonly Phase[]>> = {
  joining: ['arming', 'ending'],
  arming: ['running', 'ending'],
  running: ['arming', 'stopping', 'ending'],
  stopping: ['ending'],
  ending: ['ended'],
  ended: [],
};

interface End {
  readonly outcome: 'complete' | 'failed' | 'interrupted';
  readonly code: FailureCode | null;
  readonly reason: string;
}

/**
 * The coordinator without sockets, files and clock: who is a member, which stage runs, what was received. Every
 * input gives the effects that the shell must carry out, in order; time is an argument.
 */
export class RunCore {
  readonly #plan: Plan;
  readonly #epoch: number;
  readonly #beganMs: MonotonicMs;
  readonly #outbox = new Outbox();
  readonly #membership: Membership;
  readonly #liveness: Liveness;
  /** Sockets that have not said hello, with their deadlines, oldest first. */
  readonly #strangers = new Map<number, MonotonicMs>();
  #phase: Phase = 'joining';
  #phaseEndsMs: MonotonicMs;
  #stage: StageRun | null = null;
  #end: End | null = null;
  /** Indexes of those that were sent the end. */
  readonly #told = new Set<number>();
  #lastStepMs: MonotonicMs;
  #started = false;
  #lostCount = 0;
  #refusals = 0;

  constructor({ plan, epoch, token, nowMs }: RunCoreOptions) {
    this.#plan = plan;
    this.#epoch = epoch;
    this.#beganMs = nowMs;
    this.#lastStepMs = nowMs;
    this.#membership = new Membership(plan, epoch, token);
    this.#liveness = new Liveness(plan.liveness, epoch, this.#membership, this.#outbox, nowMs);
    this.#phaseEndsMs = later(nowMs, plan.liveness.joinTimeoutMs);
  }

  step(input: RunInput, nowMs: MonotonicMs): readonly RunEffect[] {
    if (this.#phase === 'ended') return [];
    if (!this.#started) {
      this.#started = true;
      this.#outbox.event({
        type: 'run-started',
        epoch: this.#epoch,
        pacecarVersion: PACECAR_VERSION,
        bundleVersion: BUNDLE_VERSION,
      });
    }
    this.#forgiveStall(nowMs);
    this.#take(input, nowMs);
    this.#passTime(nowMs);
    return this.#outbox.take();
  }

  /** When the next `tick` is due; null once the run has finished. */
  nextDeadlineMs(): MonotonicMs | null {
    if (this.#phase === 'ended') return null;
    const [hello] = this.#strangers.values();
    const earliest = Math.min(this.#phaseEndsMs, this.#liveness.nextMs, hello ?? Number.POSITIVE_INFINITY);
    return earliest as MonotonicMs;
  }

  view(): RunView {
    const stage = this.#stage;
    const position = { cell: stage?.cellIndex ?? 0, stage: stage?.stageIndex ?? 0 };
    const cell = this.#plan.cells[position.cell];
    const live = [...this.#membership.members()].filter(({ lost }) => !lost);
    const over = this.#phase === 'ending' || this.#phase === 'ended';
    const draining = this.#phase === 'stopping' || (this.#phase === 'running' && stage?.draining === true);
    let waitingFor: string[] = [];
    if (this.#phase === 'joining') waitingFor = this.#membership.missing();
    else if (!over) waitingFor = stage?.waitingNames() ?? [];
    return {
      state: over ? 'ended' : draining ? 'draining' : (this.#phase as 'joining' | 'arming' | 'running'),
      cell: {
        index: position.cell,
        of: this.#plan.cells.length,
        label: cell === undefined ? '' : cellLabel(cell, this.#plan),
      },
      stage:
        stage === null
          ? null
          : {
              name: stage.spec.name,
              kind: stage.spec.kind,
              index: position.stage,
              of: stage.cell.stages.length,
              startedAtMs: stage.startAtMs,
              totalMs: stage.spec.end.kind === 'duration' ? stage.spec.end.durationMs : null,
            },
      workers: { joined: live.length, of: this.#membership.size, lost: this.#lostCount, waitingFor },
    };
  }

  // --- inputs ---

  #take(input: RunInput, nowMs: MonotonicMs): void {
    switch (input.kind) {
      case 'connected':
        this.#strangers.set(input.connection, later(nowMs, HELLO_TIMEOUT_MS));
        return;
      case 'disconnected':
        this.#strangers.delete(input.connection);
        this.#disconnected(input.connection, input.reason, nowMs);
        return;
      case 'message':
      case 'frame':
      case 'garbage':
        this.#receive(input, nowMs);
        return;
      case 'recorded':
        // A frame of a stage that was given up may reach the disk after its close.
        if (this.#stage?.compare(input) !== 0 || this.#isOver()) return;
        this.#stage.recorded(input.worker, input.sequence);
        this.#advance(nowMs);
        return;
      case 'record-failed':
        this.#fail({ code: 'STORAGE', reason: `the record cannot be written: ${input.reason}` }, nowMs);
        return;
      case 'interrupt':
        if (this.#phase === 'stopping' || this.#isOver()) return;
        this.#outbox.event({ type: 'interrupted', signal: input.signal });
        this.#giveUp(
          {
            outcome: 'interrupted',
            code: input.signal === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED',
            reason: `interrupted by ${input.signal}`,
          },
          nowMs,
        );
        return;
      case 'tick':
        return;
    }
  }

  #receive(input: RunInput & { readonly kind: 'message' | 'frame' | 'garbage' }, nowMs: MonotonicMs): void {
    const { connection } = input;
    if (this.#strangers.has(connection)) {
      if (input.kind === 'message' && input.message.type === 'hello')
        this.#hello(input.message, connection, nowMs);
      else if (input.kind === 'garbage') this.#turnAway(connection, input, null);
      else this.#turnAway(connection, invalid('the first message has to be hello'), null);
      return;
    }
    const member = this.#membership.of(connection);
    // Nothing is heard of a connection that was closed.
    if (member === null) return;
    member.lastHeardMs = nowMs;
    let refusal: Refusal | null;
    if (input.kind === 'garbage') refusal = { code: input.code, reason: input.reason };
    else if (input.kind === 'frame') refusal = this.#frame(member, input.frame, input.bytes);
    else refusal = this.#message(member, input.message, nowMs);
    if (refusal !== null) this.#refuse(member, refusal, nowMs);
  }

  #hello(hello: Hello, connection: number, nowMs: MonotonicMs): void {
    const admission = this.#membership.admit(hello, connection, nowMs, this.#phase !== 'joining');
    if (admission.kind === 'refused') {
      this.#turnAway(connection, admission.refusal, hello.name);
      if (admission.lost !== null) this.#lose(admission.lost, 'its process was started anew', nowMs);
      return;
    }
    this.#strangers.delete(connection);
    const { member } = admission;
    if (admission.kind === 'joined') {
      const { replaced } = admission;
      if (replaced !== null) {
        this.#left(replaced, 'its process was started anew');
        if (replaced.connection !== null)
          this.#outbox.close(replaced.connection, 'a newer process of this worker has joined');
      }
      const { index, name, group } = member;
      const { facts, drivers } = hello;
      const driverFacts = [...drivers];
      this.#outbox.event({ type: 'worker-joined', worker: index, name, group, facts, drivers: driverFacts });
    } else {
      // The old connection hangs half open: the worker knows already that it is gone.
      if (admission.oldConnection !== null) {
        this.#outbox.event({ type: 'worker-cut', worker: member.index, reason: 'it came back anew' });
        this.#outbox.close(admission.oldConnection, 'the worker has come back on another connection');
      }
      this.#outbox.event({ type: 'worker-back', worker: member.index });
    }
    this.#outbox.send(connection, {
      type: 'welcome',
      index: member.index,
      name: member.name,
      group: member.group,
      epoch: this.#epoch,
      heartbeatMs: this.#plan.liveness.heartbeatMs,
      leaseMs: this.#plan.liveness.leaseMs,
    });
    if (this.#isOver()) {
      this.#sendEnd(member);
      return;
    }
    this.#liveness.measure(member, nowMs);
    const why = this.#phase === 'stopping' ? (this.#end?.reason ?? '') : null;
    if (this.#phase !== 'joining') this.#stage?.resume(member, why);
  }

  #message(member: Member, message: WorkerMessage, nowMs: MonotonicMs): Refusal | null {
    if (message.type === 'hello') return invalid('a second hello on one connection');
    member.confirmed = true;
    switch (message.type) {
      case 'heartbeat':
        return null;
      case 'pong': {
        const refusal = this.#liveness.pong(member, message.id, message.workerMs, nowMs);
        this.#advance(nowMs);
        return refusal;
      }
      case 'leaving':
        this.#lose(member, `it left: ${message.reason} (${message.code})`, nowMs);
        return null;
      case 'armed':
      case 'drained':
      case 'failed': {
        const place = this.#place(message);
        if (typeof place === 'object') return place;
        if (place !== 'present' || this.#stage === null) return null;
        if (message.type === 'failed') {
          if (!this.#stage.has(member)) return invalid('failed of a stage that is not for this worker');
          const { cell, stage, code, reason } = message;
          this.#outbox.event({ type: 'worker-failed', cell, stage, worker: member.index, code, reason });
          this.#stage.drop(member);
          this.#fail({ code, reason: `worker ${member.name}: ${reason}` }, nowMs);
          return null;
        }
        const refusal =
          message.type === 'armed'
            ? this.#stage.armed(member, message)
            : this.#stage.drained(member, message);
        // As fresh as can be for the start line.
        if (message.type === 'armed' && this.#phase === 'arming') this.#liveness.measure(member, nowMs);
        this.#advance(nowMs);
        return refusal;
      }
    }
  }

  #frame(member: Member, frame: Frame, bytes: Uint8Array): Refusal | null {
    const place = this.#place(frame);
    if (typeof place === 'object') return place;
    if (frame.worker !== member.index)
      return invalid(`a frame of worker ${frame.worker} from worker ${member.index}`);
    if (place === 'over' || this.#stage === null) return null;
    if (place === 'past') {
      // Its stage has closed with all its frames; only the acknowledgement was lost.
      const { epoch, cell, stage, sequence } = frame;
      this.#outbox.send(member.connection, { type: 'acknowledge', epoch, cell, stage, sequence });
      return null;
    }
    return this.#stage.frame(member, frame, bytes);
  }

  /** Where the stage of a message stands against the present one; over: the run is. */
  #place(message: {
    readonly epoch: number;
    readonly cell: number;
    readonly stage: number;
  }): 'past' | 'present' | 'over' | Refusal {
    if (message.epoch !== this.#epoch)
      return {
        code: 'EPOCH_STALE',
        reason: `it belongs to run ${message.epoch}, this is run ${this.#epoch}`,
      };
    if (this.#isOver()) return 'over';
    const order = this.#stage === null ? 1 : this.#stage.compare(message);
    if (order > 0) return invalid(`stage ${message.stage} of cell ${message.cell} has not been armed`);
    return order < 0 ? 'past' : 'present';
  }

  #disconnected(connection: number, reason: string, nowMs: MonotonicMs): void {
    const member = this.#membership.of(connection);
    if (member === null) return;
    this.#cut(member, reason);
    if (this.#phase === 'ending') this.#endIfAlone(nowMs);
  }

  #cut(member: Member, reason: string): void {
    this.#membership.cut(member);
    this.#liveness.unmeasured(member);
    if (!this.#isOver()) this.#outbox.event({ type: 'worker-cut', worker: member.index, reason });
  }

  // --- refusals ---

  #turnAway(connection: number, { code, reason }: Refusal, name: string | null): void {
    this.#refusals++;
    if (this.#refusals < REFUSALS_RECORDED)
      this.#outbox.event({ type: 'worker-refused', code, reason, name });
    else if (this.#refusals === REFUSALS_RECORDED)
      this.#outbox.event({
        type: 'worker-refused',
        code: 'LIMIT_EXCEEDED',
        reason: `${REFUSALS_RECORDED} refusals; those that follow are not recorded`,
        name: null,
      });
    this.#strangers.delete(connection);
    this.#outbox.send(connection, { type: 'refuse', code, reason });
    this.#outbox.close(connection, reason);
  }

  /** What a member sent is not taken: its connection ends, its seat waits for it as after any cut. */
  #refuse(member: Member, { code, reason }: Refusal, nowMs: MonotonicMs): void {
    const { connection } = member;
    if (!this.#isOver()) this.#outbox.event({ type: 'message-refused', worker: member.index, code, reason });
    this.#outbox.send(connection, { type: 'refuse', code, reason });
    if (connection === null) return;
    this.#outbox.close(connection, reason);
    this.#cut(member, `refused: ${reason}`);
    if (this.#phase === 'ending') this.#endIfAlone(nowMs);
  }

  // --- losses ---

  #left(member: Member, reason: string): void {
    this.#liveness.unmeasured(member);
    this.#outbox.event({ type: 'worker-left', worker: member.index, name: member.name, reason });
  }

  #lose(member: Member, reason: string, nowMs: MonotonicMs): void {
    const { connection } = member;
    if (this.#isOver()) {
      this.#membership.cut(member);
      if (connection !== null) this.#outbox.close(connection, reason);
      if (this.#phase === 'ending') this.#endIfAlone(nowMs);
      return;
    }
    const said = `worker ${member.name} (index ${member.index}) was lost: ${reason}`;
    this.#outbox.send(connection, { type: 'end', epoch: this.#epoch, code: 'WORKER_LOST', reason: said });
    if (connection !== null) this.#outbox.close(connection, reason);
    if (this.#phase === 'joining') {
      this.#membership.remove(member);
      this.#left(member, reason);
      return;
    }
    this.#membership.cut(member);
    this.#liveness.forget(member);
    member.lost = true;
    this.#lostCount++;
    this.#outbox.event({ type: 'worker-lost', worker: member.index, name: member.name, reason });
    this.#stage?.drop(member);
    if (this.#plan.onWorkerLoss === 'fail') this.#fail({ code: 'WORKER_LOST', reason: said }, nowMs);
    else if (this.#stage?.liveCount === 0)
      this.#fail(
        { code: 'WORKER_LOST', reason: `${said}; no worker is left in stage ${this.#stage.spec.name}` },
        nowMs,
      );
    else this.#advance(nowMs);
  }

  // --- the way of the run ---

  /** Goes on as soon as nothing is missing. */
  #advance(nowMs: MonotonicMs): void {
    const stage = this.#stage;
    if (this.#phase === 'joining') {
      if (this.#liveness.allMeasured) this.#arm(0, 0, nowMs);
    } else if (this.#phase === 'arming' && stage !== null) {
      if (!stage.settled || this.#liveness.unmeasuredOf((member) => stage.has(member)).length > 0) return;
      this.#move('running');
      stage.go(later(nowMs, this.#plan.liveness.startLeadMs), this.#beganMs);
      this.#phaseEndsMs = stage.closeByMs(this.#plan.liveness.lostAfterMs);
    } else if (this.#phase === 'running' && stage !== null) {
      if (!stage.settled) return;
      stage.close(null);
      if (stage.stageIndex + 1 < stage.cell.stages.length)
        this.#arm(stage.cellIndex, stage.stageIndex + 1, nowMs);
      else if (stage.cellIndex + 1 < this.#plan.cells.length) this.#arm(stage.cellIndex + 1, 0, nowMs);
      else this.#finishAs({ outcome: 'complete', code: null, reason: 'every stage is complete' }, nowMs);
    } else if (this.#phase === 'stopping' && stage?.settled === true) {
      this.#stopped(nowMs);
    }
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

  #fail({ code, reason }: Refusal, nowMs: MonotonicMs): void {
    if (this.#phase === 'stopping') this.#advance(nowMs);
    else if (!this.#isOver()) this.#giveUp({ outcome: 'failed', code, reason }, nowMs);
  }

  /** The first cause stands; those that follow from it do not replace it. */
  #giveUp(end: End & { readonly outcome: 'failed' | 'interrupted' }, nowMs: MonotonicMs): void {
    this.#end = end;
    const stage = this.#stage;
    if (this.#phase === 'running' && stage !== null) {
      this.#move('stopping');
      this.#phaseEndsMs = later(nowMs, STOP_GRACE_MS);
      stage.stop(end.reason);
      this.#advance(nowMs);
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
    if (!MOVES[this.#phase].includes(to)) throw new Error(`a run cannot go from ${this.#phase} to ${to}`);
    this.#phase = to;
  }

  #isOver(): boolean {
    return this.#phase === 'ending' || this.#phase === 'ended';
  }

  // --- time ---

  /**
   * The core is called at least every heartbeat. When it was not, this process stood still, and what the workers
   * said meanwhile is still unread: that silence is not theirs.
   */
  #forgiveStall(nowMs: MonotonicMs): void {
    const { heartbeatMs } = this.#plan.liveness;
    const stallMs = nowMs - this.#lastStepMs - heartbeatMs;
    this.#lastStepMs = nowMs;
    if (stallMs <= heartbeatMs) return;
    for (const member of this.#membership.members()) member.lastHeardMs = later(member.lastHeardMs, stallMs);
    this.#phaseEndsMs = later(this.#phaseEndsMs, stallMs);
    for (const [connection, deadlineMs] of this.#strangers)
      this.#strangers.set(connection, later(deadlineMs, stallMs));
  }

  #passTime(nowMs: MonotonicMs): void {
    for (const [connection, deadlineMs] of this.#strangers) {
      if (deadlineMs > nowMs) break;
      const reason = `no hello within ${HELLO_TIMEOUT_MS} ms`;
      this.#turnAway(connection, { code: 'DEADLINE_PASSED', reason }, null);
    }
    for (const { member, silentMs } of this.#liveness.beat(nowMs))
      this.#lose(member, describeSilence(member, silentMs), nowMs);
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
        for (const connection of this.#strangers.keys()) this.#outbox.close(connection, 'the run is over');
        this.#move('ended');
        this.#outbox.push({ kind: 'finish', ...(this.#end as End) });
        return;
      }
      case 'ended':
        return;
    }
  }
}

const later = (atMs: MonotonicMs, byMs: number): MonotonicMs => (atMs + byMs) as MonotonicMs;
const invalid = (reason: string): Refusal => ({ code: 'MESSAGE_INVALID', reason });

function describeSilence(member: Member, silentMs: number): string {
  const how =
    member.connection === null ? 'its connection was cut and did not come back' : 'it has been silent';
  return `${how} for ${Math.round(silentMs)} ms`;
}
