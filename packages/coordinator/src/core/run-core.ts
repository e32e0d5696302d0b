import {
  BUNDLE_VERSION,
  type Hello,
  type MonotonicMs,
  PACECAR_VERSION,
  type Plan,
  type WorkerMessage,
} from '@pacecar/protocol';
import { Liveness } from './liveness.js';
import { type Member, Membership } from './membership.js';
import { Outbox, type Refusal } from './outbox.js';
import { Reception } from './reception.js';
import { RunCourse } from './run-course.js';
import { type RunView, viewOf } from './run-view.js';
import { StageTraffic } from './stage-traffic.js';
import type { RunEffect, RunInput } from './step.js';

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
 * The coordinator without sockets, files and clock: who is a member, which stage runs, what was received. Every
 * input gives the effects that the shell must carry out, in order; time is an argument.
 */
export class RunCore {
  readonly #plan: Plan;
  readonly #epoch: number;
  readonly #outbox = new Outbox();
  readonly #membership: Membership;
  readonly #liveness: Liveness;
  readonly #course: RunCourse;
  readonly #traffic: StageTraffic;
  readonly #reception = new Reception(this.#outbox);
  #lastStepMs: MonotonicMs;
  #started = false;

  constructor({ plan, epoch, token, nowMs }: RunCoreOptions) {
    this.#plan = plan;
    this.#epoch = epoch;
    this.#lastStepMs = nowMs;
    this.#membership = new Membership(plan, epoch, token);
    this.#liveness = new Liveness(plan.liveness, epoch, this.#membership, this.#outbox, nowMs);
    const run = { plan, epoch, nowMs };
    this.#course = new RunCourse(run, this.#membership, this.#liveness, this.#outbox);
    this.#traffic = new StageTraffic(epoch, this.#course, this.#liveness, this.#outbox);
  }

  step(input: RunInput, nowMs: MonotonicMs): readonly RunEffect[] {
    if (this.#course.phase === 'ended') return [];
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
    if (this.#course.phase === 'ended') return null;
    const helloMs = this.#reception.nextMs ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#course.endsMs, this.#liveness.nextMs, helloMs) as MonotonicMs;
  }

  view(): RunView {
    return viewOf(this.#course, this.#plan, this.#membership);
  }

  // --- inputs ---

  #take(input: RunInput, nowMs: MonotonicMs): void {
    switch (input.kind) {
      case 'connected':
        this.#reception.enter(input.connection, nowMs);
        return;
      case 'disconnected':
        this.#reception.leave(input.connection);
        this.#disconnected(input.connection, input.reason, nowMs);
        return;
      case 'message':
      case 'frame':
      case 'garbage':
        this.#receive(input, nowMs);
        return;
      case 'recorded':
        this.#traffic.recorded(input, nowMs);
        return;
      case 'record-failed':
        this.#course.fail(
          { code: 'STORAGE', reason: `the record cannot be written: ${input.reason}` },
          nowMs,
        );
        return;
      case 'interrupt':
        this.#course.interrupt(input.signal, nowMs);
        return;
      case 'fail':
        this.#course.fail({ code: input.code, reason: input.reason }, nowMs);
        return;
      case 'tick':
        return;
    }
  }

  #receive(input: RunInput & { readonly kind: 'message' | 'frame' | 'garbage' }, nowMs: MonotonicMs): void {
    const { connection } = input;
    if (this.#reception.has(connection)) {
      if (input.kind === 'message' && input.message.type === 'hello')
        this.#hello(input.message, connection, nowMs);
      else if (input.kind === 'garbage') this.#reception.turnAway(connection, input, null);
      else this.#reception.turnAway(connection, invalid('the first message has to be hello'), null);
      return;
    }
    const member = this.#membership.of(connection);
    // Nothing is heard of a connection that was closed.
    if (member === null) return;
    member.lastHeardMs = nowMs;
    let refusal: Refusal | null;
    if (input.kind === 'garbage') refusal = { code: input.code, reason: input.reason };
    else if (input.kind === 'frame') refusal = this.#traffic.frame(member, input.frame, input.bytes, nowMs);
    else refusal = this.#message(member, input.message, nowMs);
    if (refusal !== null) this.#refuse(member, refusal, nowMs);
  }

  #hello(hello: Hello, connection: number, nowMs: MonotonicMs): void {
    const admission = this.#membership.admit(hello, connection, nowMs, this.#course.closed);
    if (admission.kind === 'refused') {
      this.#reception.turnAway(connection, admission.refusal, hello.name);
      const { lost } = admission;
      if (lost !== null) this.#lose(lost.member, lost.why, true, nowMs);
      return;
    }
    this.#reception.leave(connection);
    const { member } = admission;
    if (admission.kind === 'joined') {
      for (const replaced of admission.replaced) {
        const again = replaced.workerId === member.workerId;
        this.#left(
          replaced,
          again ? 'its process was started anew' : 'it was cut, and another took its place',
        );
        if (replaced.connection !== null)
          this.#outbox.close(replaced.connection, 'a newer process of this worker has joined');
      }
      const { index, name, group } = member;
      const { facts, calibration } = hello;
      const joined = { worker: index, name, group, facts, drivers: [...hello.drivers], calibration };
      this.#outbox.event({ type: 'worker-joined', ...joined });
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
    this.#course.welcomed(member, nowMs);
  }

  #message(member: Member, message: WorkerMessage, nowMs: MonotonicMs): Refusal | null {
    if (message.type === 'hello') return invalid('a second hello on one connection');
    member.confirmed = true;
    switch (message.type) {
      case 'heartbeat':
        return null;
      case 'pong': {
        const refusal = this.#liveness.pong(member, message.id, message.workerMs, nowMs);
        this.#course.advance(nowMs);
        return refusal;
      }
      case 'leaving':
        this.#lose(member, `it left: ${message.reason} (${message.code})`, false, nowMs);
        return null;
      case 'service-died': {
        const { service, reason } = message;
        // Told again after a reconnect, or when the run ends for something else already.
        if (this.#course.end !== null || message.epoch !== this.#epoch) return null;
        this.#outbox.event({ type: 'service-died', worker: member.index, service, reason });
        this.#course.fail({ code: 'SERVICE_FAILED', reason: `worker ${member.name}: ${reason}` }, nowMs);
        return null;
      }
      case 'armed':
      case 'drained':
      case 'failed':
        return this.#traffic.message(member, message, nowMs);
    }
  }

  #disconnected(connection: number, reason: string, nowMs: MonotonicMs): void {
    const member = this.#membership.of(connection);
    if (member === null) return;
    this.#cut(member, reason);
    this.#course.cut(nowMs);
  }

  #cut(member: Member, reason: string): void {
    this.#membership.cut(member);
    this.#liveness.unmeasured(member);
    this.#outbox.event({ type: 'worker-cut', worker: member.index, reason });
  }

  // --- refusals and losses ---

  /** What a member sent is not taken: its connection ends, its seat waits for it as after any cut. */
  #refuse(member: Member, { code, reason }: Refusal, nowMs: MonotonicMs): void {
    const { connection } = member;
    this.#outbox.event({ type: 'message-refused', worker: member.index, code, reason });
    this.#outbox.send(connection, { type: 'refuse', code, reason });
    if (connection === null) return;
    this.#outbox.close(connection, reason);
    this.#cut(member, `refused: ${reason}`);
    this.#course.cut(nowMs);
  }

  #left(member: Member, reason: string): void {
    this.#liveness.unmeasured(member);
    this.#outbox.event({ type: 'worker-left', worker: member.index, name: member.name, reason });
  }

  /** `tell`: it may be alive, and has to learn that the run goes on without it. */
  #lose(member: Member, reason: string, tell: boolean, nowMs: MonotonicMs): void {
    const { connection } = member;
    if (this.#course.over) {
      this.#membership.cut(member);
      if (connection !== null) this.#outbox.close(connection, reason);
      this.#course.cut(nowMs);
      return;
    }
    const said = `worker ${member.name} (index ${member.index}) was lost: ${reason}`;
    if (tell)
      this.#outbox.send(connection, { type: 'end', epoch: this.#epoch, code: 'WORKER_LOST', reason: said });
    if (connection !== null) this.#outbox.close(connection, reason);
    if (this.#course.phase === 'joining') {
      this.#membership.remove(member);
      this.#left(member, reason);
      return;
    }
    this.#membership.cut(member);
    this.#liveness.forget(member);
    member.lost = true;
    this.#outbox.event({ type: 'worker-lost', worker: member.index, name: member.name, reason });
    this.#course.lost(member, said, nowMs);
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
    this.#course.postpone(stallMs);
    this.#reception.postpone(stallMs);
  }

  #passTime(nowMs: MonotonicMs): void {
    this.#reception.passTime(nowMs);
    for (const { member, silentMs } of this.#liveness.beat(nowMs))
      this.#lose(member, describeSilence(member, silentMs), true, nowMs);
    this.#course.passTime(nowMs);
    const { end } = this.#course;
    if (this.#course.phase !== 'ended' || end === null) return;
    this.#reception.close('the run is over');
    this.#outbox.push({ kind: 'finish', ...end });
  }
}

const later = (atMs: MonotonicMs, byMs: number): MonotonicMs => (atMs + byMs) as MonotonicMs;
const invalid = (reason: string): Refusal => ({ code: 'MESSAGE_INVALID', reason });

function describeSilence(member: Member, silentMs: number): string {
  const how =
    member.connection === null ? 'its connection was cut and did not come back' : 'it has been silent';
  return `${how} for ${Math.round(silentMs)} ms`;
}
