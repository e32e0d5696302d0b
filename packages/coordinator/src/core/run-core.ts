import type { MonotonicMs, Plan } from '@pacecar/protocol';
import type { RunView } from './run-view.js';
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
  constructor(options: RunCoreOptions) {
    void options;
  }

  step(input: RunInput, nowMs: MonotonicMs): readonly RunEffect[] {
    throw new Error(`in the making: ${input.kind} at ${nowMs}`);
  }

  /** When the next `tick` is due; null once the run has finished. */
  nextDeadlineMs(): MonotonicMs | null {
    return null;
  }

  view(): RunView {
    throw new Error('in the making');
  }
}
