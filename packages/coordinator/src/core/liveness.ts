import type { Liveness as LivenessPlan, MonotonicMs } from '@pacecar/protocol';
import type { Member, Membership } from './membership.js';
import type { Outbox, Refusal } from './outbox.js';
import { CLOCK_EXCHANGES, CLOCK_REFRESH_MS } from './timing.js';

/** Heartbeats to every worker, their silence, and the exchanges that measure their clocks. */
export class Liveness {
  readonly #plan: LivenessPlan;
  readonly #epoch: number;
  readonly #membership: Membership;
  readonly #outbox: Outbox;
  /** Indexes that are empty, cut, or in the middle of a burst of exchanges. Lost workers are not among them. */
  readonly #unmeasured = new Set<number>();
  #nextMs: MonotonicMs;
  #nextPing = 0;

  constructor(plan: LivenessPlan, epoch: number, membership: Membership, outbox: Outbox, nowMs: MonotonicMs) {
    this.#plan = plan;
    this.#epoch = epoch;
    this.#membership = membership;
    this.#outbox = outbox;
    this.#nextMs = (nowMs + plan.heartbeatMs) as MonotonicMs;
    for (let index = 0; index < membership.size; index++) this.#unmeasured.add(index);
  }

  /** When `beat` is due. */
  get nextMs(): MonotonicMs {
    return this.#nextMs;
  }

  /** Every seat is taken by a reachable worker whose clock is known. */
  get allMeasured(): boolean {
    return this.#unmeasured.size === 0;
  }

  /** Whether one of those that `concerns` chooses is cut or has its clock measured. Called often: stops at the first. */
  awaits(concerns: (member: Member) => boolean): boolean {
    for (const index of this.#unmeasured) {
      const member = this.#membership.at(index);
      if (member !== null && concerns(member)) return true;
    }
    return false;
  }

  /** Members, of those that `concerns` chooses, that are cut or whose clock is being measured. */
  unmeasuredOf(concerns: (member: Member) => boolean): Member[] {
    const members = [...this.#unmeasured].map((index) => this.#membership.at(index));
    return members.filter((member): member is Member => member !== null && concerns(member));
  }

  /** Begins a burst of exchanges. One that is under way is lost with its connection or counts as the first. */
  measure(member: Member, nowMs: MonotonicMs): void {
    member.burst = CLOCK_EXCHANGES;
    this.#unmeasured.add(member.index);
    if (member.ping === null) this.#ping(member, nowMs);
  }

  unmeasured(member: Member): void {
    this.#unmeasured.add(member.index);
  }

  /** The worker is lost: nobody waits for its clock any more. */
  forget(member: Member): void {
    this.#unmeasured.delete(member.index);
  }

  pong(member: Member, id: number, workerMs: number, nowMs: MonotonicMs): Refusal | null {
    const { ping } = member;
    if (ping === null || ping.id !== id)
      return { code: 'MESSAGE_INVALID', reason: `a pong that answers no ping: ${id}` };
    member.ping = null;
    member.clock.add(ping.sentMs, workerMs, nowMs);
    if (member.burst === 0) return null;
    member.burst--;
    if (member.burst > 0) {
      this.#ping(member, nowMs);
      return null;
    }
    this.#unmeasured.delete(member.index);
    const estimate = member.clock.estimate(nowMs);
    if (estimate !== null) this.#outbox.event({ type: 'clock', worker: member.index, ...estimate });
    return null;
  }

  /**
   * When due: a heartbeat to everyone, and a young clock for everyone. Returns those that have been silent or gone
   * for too long; a worker is judged once a heartbeat.
   */
  beat(nowMs: MonotonicMs): { readonly member: Member; readonly silentMs: number }[] {
    if (nowMs < this.#nextMs) return [];
    this.#nextMs = (nowMs + this.#plan.heartbeatMs) as MonotonicMs;
    const silent: { member: Member; silentMs: number }[] = [];
    for (const member of this.#membership.members()) {
      if (member.lost) continue;
      const silentMs = nowMs - member.lastHeardMs;
      if (silentMs >= this.#plan.lostAfterMs) {
        silent.push({ member, silentMs });
        continue;
      }
      if (member.connection === null) continue;
      this.#outbox.send(member.connection, { type: 'heartbeat', epoch: this.#epoch });
      const last = member.clock.lastAtMs;
      if (member.ping === null && last !== null && nowMs - last >= CLOCK_REFRESH_MS)
        this.#ping(member, nowMs);
    }
    return silent;
  }

  #ping(member: Member, nowMs: MonotonicMs): void {
    const id = this.#nextPing++;
    member.ping = { id, sentMs: nowMs };
    this.#outbox.send(member.connection, { type: 'ping', id });
  }
}
