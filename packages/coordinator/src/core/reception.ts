import type { MonotonicMs } from '@pacecar/protocol';
import type { Outbox, Refusal } from './outbox.js';
import { HELLO_TIMEOUT_MS, REFUSALS_RECORDED } from './timing.js';

/** Sockets that have not been welcomed, and how they are turned away. */
export class Reception {
  readonly #outbox: Outbox;
  /** By when each must have said hello; oldest first. */
  readonly #strangers = new Map<number, MonotonicMs>();
  #refusals = 0;

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /** When `passTime` has something to do; null without strangers. */
  get nextMs(): MonotonicMs | null {
    const [first] = this.#strangers.values();
    return first ?? null;
  }

  has(connection: number): boolean {
    return this.#strangers.has(connection);
  }

  enter(connection: number, nowMs: MonotonicMs): void {
    this.#strangers.set(connection, (nowMs + HELLO_TIMEOUT_MS) as MonotonicMs);
  }

  /** It has closed, or it is a stranger no more. */
  leave(connection: number): void {
    this.#strangers.delete(connection);
  }

  /** `name` is what it called itself, if it came that far. */
  turnAway(connection: number, { code, reason }: Refusal, name: string | null): void {
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

  /** The process stood still for so long; what they said meanwhile is still unread. */
  postpone(byMs: number): void {
    for (const [connection, deadlineMs] of this.#strangers)
      this.#strangers.set(connection, (deadlineMs + byMs) as MonotonicMs);
  }

  passTime(nowMs: MonotonicMs): void {
    for (const [connection, deadlineMs] of this.#strangers) {
      if (deadlineMs > nowMs) break;
      const reason = `no hello within ${HELLO_TIMEOUT_MS} ms`;
      this.turnAway(connection, { code: 'DEADLINE_PASSED', reason }, null);
    }
  }

  close(reason: string): void {
    for (const connection of this.#strangers.keys()) this.#outbox.close(connection, reason);
    this.#strangers.clear();
  }
}
