import type { Arm, CoordinatorMessage, FailureCode, TargetFacts, Totals, WorkerMessage } from '@pacecar/protocol';

/** What happens to the session core. The shell turns the socket, the engine and signals into these. */
export type SessionInput =
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected'; readonly reason: string }
  | { readonly kind: 'message'; readonly message: CoordinatorMessage }
  | { readonly kind: 'garbage'; readonly reason: string }
  /** The engine has armed the stage it was last told to. */
  | { readonly kind: 'engine-armed'; readonly connections: number; readonly target: TargetFacts | null }
  | { readonly kind: 'engine-failed'; readonly code: FailureCode; readonly reason: string }
  /** The engine closed an interval. Frames of a stage come in order of sequence, encoded, ready to send. */
  | { readonly kind: 'engine-frame'; readonly sequence: number; readonly bytes: Uint8Array }
  | {
      readonly kind: 'engine-drained';
      readonly lastSequence: number;
      readonly elapsedNs: number;
      readonly totals: readonly Totals[];
    }
  | { readonly kind: 'interrupt'; readonly signal: 'SIGINT' | 'SIGTERM' }
  | { readonly kind: 'tick' };

/** What the shell must do, in order. */
export type SessionEffect =
  /** Dial the coordinator (the shell adds back-off only through `notBeforeMs`). */
  | { readonly kind: 'connect'; readonly notBeforeMs: number }
  | { readonly kind: 'disconnect' }
  | { readonly kind: 'send'; readonly message: WorkerMessage }
  | { readonly kind: 'send-frame'; readonly bytes: Uint8Array }
  | { readonly kind: 'engine-arm'; readonly arm: Arm; readonly worker: number }
  /** Start at this moment of this process's monotonic clock. */
  | { readonly kind: 'engine-go'; readonly startAtMs: number }
  /** End the stage now: drain and report `engine-drained`. */
  | { readonly kind: 'engine-stop'; readonly reason: string }
  /** Drop the stage and everything of it; nothing more is reported. */
  | { readonly kind: 'engine-abandon' }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  /** The session is over; sent once, as the last effect. */
  | { readonly kind: 'finish'; readonly code: FailureCode | null; readonly reason: string };
