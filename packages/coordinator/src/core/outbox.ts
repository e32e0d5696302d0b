import type { CoordinatorMessage, EventBody, FailureCode } from '@pacecar/protocol';
import type { RunEffect } from './step.js';

/** A refusal and why, in words for the one who is refused. */
export interface Refusal {
  readonly code: FailureCode;
  readonly reason: string;
}

/** Collects the effects of one step, in order. */
export class Outbox {
  #effects: RunEffect[] = [];
  #ended = false;

  /** Nothing is sent to a worker without a connection: what matters is sent again when it comes back. */
  send(connection: number | null, message: CoordinatorMessage): void {
    if (connection !== null) this.#effects.push({ kind: 'send', connection, message });
  }

  close(connection: number, reason: string): void {
    this.#effects.push({ kind: 'close', connection, reason });
  }

  /** The end of a run is its last event: whoever still knocks or hangs up then is answered, not recorded. */
  event(event: EventBody): void {
    if (this.#ended) return;
    this.#ended = event.type === 'run-ended';
    this.#effects.push({ kind: 'event', event });
  }

  push(effect: RunEffect): void {
    this.#effects.push(effect);
  }

  take(): readonly RunEffect[] {
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }
}
