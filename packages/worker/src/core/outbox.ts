import type { WorkerMessage } from '@pacecar/protocol';
import type { SessionEffect } from './step.js';

/** Collects the effects of one step, in order. */
export class Outbox {
  #effects: SessionEffect[] = [];
  /** Whether the coordinator has welcomed this connection, so that something of a stage may be said on it. */
  welcomed = false;

  push(effect: SessionEffect): void {
    this.#effects.push(effect);
  }

  send(message: WorkerMessage): void {
    this.#effects.push({ kind: 'send', message });
  }

  /** Sends now if there is a welcomed connection; otherwise whoever keeps it says it when there is one again. */
  say(said: WorkerMessage | Uint8Array | null): void {
    if (said === null || !this.welcomed) return;
    if (said instanceof Uint8Array) this.#effects.push({ kind: 'send-frame', bytes: said });
    else this.send(said);
  }

  log(level: 'info' | 'warn' | 'error', text: string): void {
    this.#effects.push({ kind: 'log', level, text });
  }

  take(): readonly SessionEffect[] {
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }
}
