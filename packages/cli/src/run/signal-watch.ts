import { EXIT } from '@pacecar/protocol';
import { killChildren } from '../local/living-children.js';

export type StopSignal = 'SIGINT' | 'SIGTERM';

/**
 * Ctrl-C and SIGTERM during a run: the first ends the run in order, the second ends this process and its children at
 * once. A run that has not begun to listen yet hears of an early signal as soon as it does.
 */
export class SignalWatch {
  #received: StopSignal | null = null;
  #onFirst: ((signal: StopSignal) => void) | null = null;
  readonly #listeners: Readonly<Record<StopSignal, () => void>>;

  constructor() {
    this.#listeners = {
      SIGINT: () => this.#hear('SIGINT'),
      SIGTERM: () => this.#hear('SIGTERM'),
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, this.#listeners[signal]);
  }

  /** The first signal so far. */
  get received(): StopSignal | null {
    return this.#received;
  }

  /** What to do on the first signal; at once if it has come already. */
  onFirst(action: (signal: StopSignal) => void): void {
    this.#onFirst = action;
    if (this.#received !== null) action(this.#received);
  }

  end(): void {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, this.#listeners[signal]);
  }

  #hear(signal: StopSignal): void {
    if (this.#received !== null) {
      killChildren();
      process.exit(signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated);
    }
    this.#received = signal;
    this.#onFirst?.(signal);
  }
}
