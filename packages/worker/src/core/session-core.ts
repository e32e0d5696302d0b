import type { Hello, MonotonicMs } from '@pacecar/protocol';
import type { SessionEffect, SessionInput } from './step.js';

export interface SessionCoreOptions {
  /** What this worker says of itself in every hello. */
  readonly hello: Omit<Hello, 'type' | 'version' | 'resumeEpoch'>;
  /**
   * After the run: `exit` finishes; `wait` registers anew, for the next run, until interrupted. A waiting worker
   * also goes on after a refusal that a later run may not give (TOO_LATE, NAME_TAKEN ...) and after its lease ran out.
   */
  readonly afterRun: 'exit' | 'wait';
  readonly reconnect: {
    /** The first wait after a failed or cut connection; it doubles up to the longest. */
    readonly firstMs: number;
    readonly longestMs: number;
    /** How long to try for a first welcome before finishing with COORDINATOR_LOST; null: for ever. */
    readonly joinWithinMs: number | null;
  };
  readonly nowMs: MonotonicMs;
}

/** The worker's session without socket, engine and clock. Every input gives the effects for the shell, in order. */
export class SessionCore {
  constructor(options: SessionCoreOptions) {
    void options;
  }

  step(input: SessionInput, nowMs: MonotonicMs): readonly SessionEffect[] {
    throw new Error(`in the making: ${input.kind} at ${nowMs}`);
  }

  /** When the next `tick` is due; null once the session has finished. */
  nextDeadlineMs(): MonotonicMs | null {
    return null;
  }
}
