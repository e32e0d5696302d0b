import {
  type CoordinatorMessage,
  type FailureCode,
  type Hello,
  type MonotonicMs,
  PROTOCOL_VERSION,
  type Welcome,
} from '@pacecar/protocol';
import { Outbox } from './outbox.js';
import { BackOff, type ReconnectPolicy } from './reconnect.js';
import { StageDuty } from './stage-duty.js';
import type { SessionEffect, SessionInput } from './step.js';

export interface SessionCoreOptions {
  /** What this worker says of itself in every hello. */
  readonly hello: Omit<Hello, 'type' | 'version' | 'resumeEpoch'>;
  /**
   * After the run: `exit` finishes; `wait` registers anew, for the next run, until interrupted. A waiting worker
   * also goes on after a refusal that another run may not give (`PASSING`) and after its lease ran out.
   */
  readonly afterRun: 'exit' | 'wait';
  readonly reconnect: ReconnectPolicy;
  readonly nowMs: MonotonicMs;
}

/** A coordinator that does not answer hello by then is not one, or is no longer there. */
export const WELCOME_TIMEOUT_MS = 10_000;

/** Refusals that speak of this run only; a waiting worker knocks again. Any other is a mistake that stays one. */
const PASSING: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'TOO_LATE',
  'NAME_TAKEN',
  'INDEX_TAKEN',
  'GROUP_UNKNOWN',
  'EPOCH_STALE',
  'WORKER_LOST',
  'DEADLINE_PASSED',
]);

/**
 * resting    until the back-off is over
 * dialing    the shell opens a socket
 * greeting   hello is said, the answer is due
 * welcomed   in the run
 * over       finished
 */
type Link = 'resting' | 'dialing' | 'greeting' | 'welcomed' | 'over';

const MOVES: Readonly<Record<Link, readonly Link[]>> = {
  resting: ['dialing', 'over'],
  dialing: ['greeting', 'resting', 'over'],
  greeting: ['welcomed', 'resting', 'over'],
  welcomed: ['resting', 'over'],
  over: [],
};

/** The worker's session without socket, engine and clock. Every input gives the effects for the shell, in order. */
export class SessionCore {
  readonly #options: SessionCoreOptions;
  readonly #backOff: BackOff;
  readonly #outbox = new Outbox();
  readonly #duty = new StageDuty(this.#outbox);
  #link: Link = 'resting';
  /** When the present state of the link ends by itself: back-off over, or the answer to hello overdue. */
  #linkEndsMs: MonotonicMs | null;
  #joinByMs: MonotonicMs | null;
  /** The run this worker is in, also while its connection is cut. */
  #run: Welcome | null = null;
  #leaseEndsMs: MonotonicMs | null = null;
  #heartbeatAtMs: MonotonicMs | null = null;

  constructor(options: SessionCoreOptions) {
    this.#options = options;
    this.#backOff = new BackOff(options.reconnect, options.hello.workerId);
    this.#linkEndsMs = options.nowMs;
    const { joinWithinMs } = options.reconnect;
    this.#joinByMs = joinWithinMs === null ? null : later(options.nowMs, joinWithinMs);
  }

  step(input: SessionInput, nowMs: MonotonicMs): readonly SessionEffect[] {
    if (this.#link === 'over') return [];
    this.#take(input, nowMs);
    this.#passTime(nowMs);
    return this.#outbox.take();
  }

  /** When the next `tick` is due; null once the session has finished, or while only an answer can bring it on. */
  nextDeadlineMs(): MonotonicMs | null {
    if (this.#link === 'over') return null;
    let earliest: MonotonicMs | null = null;
    for (const atMs of [this.#linkEndsMs, this.#joinByMs, this.#leaseEndsMs, this.#heartbeatAtMs])
      if (atMs !== null && (earliest === null || atMs < earliest)) earliest = atMs;
    return earliest;
  }

  // --- inputs ---

  #take(input: SessionInput, nowMs: MonotonicMs): void {
    switch (input.kind) {
      case 'connected':
        this.#move('greeting', later(nowMs, WELCOME_TIMEOUT_MS));
        this.#outbox.send({
          type: 'hello',
          version: PROTOCOL_VERSION,
          ...this.#options.hello,
          resumeEpoch: this.#run?.epoch ?? null,
        });
        return;
      case 'disconnected':
        this.#outbox.log('warn', `no connection to the coordinator: ${input.reason}`);
        this.#rest(nowMs);
        return;
      case 'distrusted':
        // In mid-run what is already measured is worth the attempts that the lease allows.
        if (this.#run === null) {
          this.#finish('COORDINATOR_LOST', input.reason);
        } else {
          this.#outbox.log('warn', input.reason);
          this.#rest(nowMs);
        }
        return;
      case 'garbage':
        this.#hangUp(`the coordinator sent something that is not valid: ${input.reason}`, nowMs);
        return;
      case 'message':
        this.#receive(input.message, nowMs);
        return;
      case 'service-died':
        this.#duty.died(input.service, input.reason);
        return;
      case 'interrupt':
        this.#leave(
          input.signal === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED',
          `interrupted by ${input.signal}`,
        );
        return;
      case 'engine-armed':
      case 'engine-failed':
      case 'engine-frame':
      case 'engine-drained':
        this.#duty.engine(input);
        return;
      case 'tick':
        return;
    }
  }

  #receive(message: CoordinatorMessage, nowMs: MonotonicMs): void {
    if (message.type === 'refuse') {
      this.#dismissed(message.code, `the coordinator refused: ${message.reason}`, nowMs);
      return;
    }
    if (message.type === 'welcome') {
      if (this.#link === 'greeting') this.#welcomed(message, nowMs);
      else this.#hangUp('the coordinator sent a second welcome', nowMs);
      return;
    }
    const run = this.#run;
    if (this.#link !== 'welcomed' || run === null) {
      this.#hangUp(`the coordinator sent ${message.type} before its welcome`, nowMs);
      return;
    }
    if ('epoch' in message && message.epoch !== run.epoch) {
      this.#outbox.log(
        'warn',
        `${message.type} of run ${message.epoch} is ignored; this is run ${run.epoch}`,
      );
      return;
    }
    this.#leaseEndsMs = later(nowMs, run.leaseMs);
    this.#backOff.reset();
    switch (message.type) {
      case 'heartbeat':
        return;
      case 'ping':
        this.#outbox.send({ type: 'pong', id: message.id, workerMs: nowMs });
        return;
      case 'arm':
        this.#duty.arm(message, run.index);
        return;
      case 'end': {
        this.#outbox.log(message.code === null ? 'info' : 'warn', `the run is over: ${message.reason}`);
        this.#depart(message.code, message.reason, nowMs);
        return;
      }
      case 'go':
      case 'stop':
      case 'acknowledge':
      case 'inserted':
        this.#duty.order(message);
        return;
    }
  }

  #welcomed(welcome: Welcome, nowMs: MonotonicMs): void {
    this.#move('welcomed', null);
    this.#joinByMs = null;
    const back = this.#run?.epoch === welcome.epoch && this.#run.index === welcome.index;
    if (!back) this.#duty.drop();
    this.#run = welcome;
    this.#leaseEndsMs = later(nowMs, welcome.leaseMs);
    this.#heartbeatAtMs = later(nowMs, welcome.heartbeatMs);
    const place = `worker ${welcome.index} (${welcome.name}) of group ${welcome.group}`;
    this.#outbox.log('info', back ? `back in run ${welcome.epoch} as ${place}` : `joined as ${place}`);
    this.#duty.resume();
  }

  // --- the end of a run or of the session ---

  /** Refused: in or before the run. */
  #dismissed(code: FailureCode, reason: string, nowMs: MonotonicMs): void {
    const goesOn = PASSING.has(code) && this.#options.afterRun === 'wait';
    this.#outbox.log(goesOn ? 'warn' : 'error', `${reason} (${code})`);
    if (PASSING.has(code)) this.#depart(code, reason, nowMs);
    else this.#finish(code, reason);
  }

  /** The run is over for this worker. */
  #depart(code: FailureCode | null, reason: string, nowMs: MonotonicMs): void {
    if (this.#options.afterRun === 'exit') {
      this.#finish(code, reason);
      return;
    }
    this.#forgetRun();
    this.#outbox.push({ kind: 'disconnect' });
    this.#rest(nowMs);
  }

  /** This worker ends its part in the run by itself. */
  #sayLeaving(code: FailureCode, reason: string): void {
    if (this.#link === 'welcomed') this.#outbox.send({ type: 'leaving', code, reason });
  }

  #leave(code: FailureCode, reason: string): void {
    this.#duty.drop();
    this.#sayLeaving(code, reason);
    this.#finish(code, reason);
  }

  #finish(code: FailureCode | null, reason: string): void {
    this.#forgetRun();
    if (this.#link !== 'resting') this.#outbox.push({ kind: 'disconnect' });
    this.#move('over', null);
    this.#outbox.push({ kind: 'finish', code, reason });
  }

  #forgetRun(): void {
    this.#duty.drop();
    this.#run = null;
    this.#leaseEndsMs = null;
    this.#heartbeatAtMs = null;
  }

  // --- the link ---

  /** The peer is not to be trusted further on this connection; what was not acknowledged goes over the next. */
  #hangUp(reason: string, nowMs: MonotonicMs): void {
    this.#outbox.log('error', reason);
    this.#outbox.push({ kind: 'disconnect' });
    this.#rest(nowMs);
  }

  #rest(nowMs: MonotonicMs): void {
    this.#heartbeatAtMs = null;
    this.#move('resting', later(nowMs, this.#backOff.nextMs()));
  }

  #move(to: Link, endsMs: MonotonicMs | null): void {
    if (!MOVES[this.#link].includes(to)) throw new Error(`a session cannot go from ${this.#link} to ${to}`);
    this.#link = to;
    this.#outbox.welcomed = to === 'welcomed';
    this.#linkEndsMs = endsMs;
  }

  #passTime(nowMs: MonotonicMs): void {
    if (this.#leaseEndsMs !== null && this.#leaseEndsMs <= nowMs) this.#leaseOver(nowMs);
    if (this.#joinByMs !== null && this.#joinByMs <= nowMs) {
      const reason = `no coordinator took this worker in within ${this.#options.reconnect.joinWithinMs} ms`;
      this.#outbox.log('error', reason);
      this.#joinByMs = null;
      this.#finish('COORDINATOR_LOST', reason);
    }
    if (this.#heartbeatAtMs !== null && this.#heartbeatAtMs <= nowMs && this.#run !== null) {
      this.#outbox.send({ type: 'heartbeat' });
      this.#heartbeatAtMs = later(nowMs, this.#run.heartbeatMs);
    }
    if (this.#linkEndsMs === null || this.#linkEndsMs > nowMs) return;
    if (this.#link === 'resting') {
      this.#move('dialing', null);
      this.#outbox.push({ kind: 'connect' });
    } else if (this.#link === 'greeting') {
      this.#hangUp(`the coordinator has not answered within ${WELCOME_TIMEOUT_MS} ms`, nowMs);
    }
  }

  #leaseOver(nowMs: MonotonicMs): void {
    const leaseMs = this.#run?.leaseMs;
    const reason = `nothing heard of the coordinator for ${leaseMs} ms`;
    this.#outbox.log('error', `${reason}: the load is stopped`);
    this.#duty.drop();
    this.#sayLeaving('COORDINATOR_LOST', reason);
    if (this.#options.afterRun === 'exit') {
      this.#finish('COORDINATOR_LOST', reason);
      return;
    }
    this.#forgetRun();
    if (this.#link === 'welcomed' || this.#link === 'greeting') {
      this.#outbox.push({ kind: 'disconnect' });
      this.#rest(nowMs);
    }
  }
}

const later = (atMs: MonotonicMs, byMs: number): MonotonicMs => (atMs + byMs) as MonotonicMs;
