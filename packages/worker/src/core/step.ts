import type {
  Arm,
  CoordinatorMessage,
  FailureCode,
  Go,
  Inserted,
  ServiceNode,
  ServiceNodeReport,
  TargetFacts,
  Totals,
  WorkerMessage,
} from '@pacecar/protocol';

/** Which stage of which cell of the run. */
export interface StagePlace {
  readonly cell: number;
  readonly stage: number;
}

/** What the engine reports of one of its stages. */
export type EngineReport =
  | {
      readonly kind: 'engine-armed';
      readonly connections: number;
      readonly target: TargetFacts | null;
      /** What it will run of a service that the stage starts. */
      readonly nodes?: readonly ServiceNode[];
    }
  | { readonly kind: 'engine-failed'; readonly code: FailureCode; readonly reason: string }
  /** The engine closed an interval. Frames of a stage come in order of sequence, encoded, ready to send. */
  | { readonly kind: 'engine-frame'; readonly sequence: number; readonly bytes: Uint8Array }
  | {
      readonly kind: 'engine-drained';
      readonly lastSequence: number;
      readonly elapsedNs: number;
      readonly totals: readonly Totals[];
      readonly report?: readonly ServiceNodeReport[];
    };

/**
 * What happens to the session core. The shell turns the socket, the engine and signals into these, one at a time: it
 * never calls `step` from within the execution of an effect, but queues.
 */
export type SessionInput =
  /** The answer to `connect`: the socket is open ... */
  | { readonly kind: 'connected' }
  /** ... or it did not open; or an open one has closed by itself. Nothing of a socket comes after `disconnect`. */
  | { readonly kind: 'disconnected'; readonly reason: string }
  /** ... or it cannot open however often it is tried: the coordinator's certificate is not one to trust. */
  | { readonly kind: 'distrusted'; readonly reason: string }
  | { readonly kind: 'message'; readonly message: CoordinatorMessage }
  /** Something that is no valid message of the coordinator. */
  | { readonly kind: 'garbage'; readonly reason: string }
  | ({ readonly at: StagePlace } & EngineReport)
  /** A process of a service has ended without being told to. */
  | { readonly kind: 'service-died'; readonly service: string; readonly reason: string }
  | { readonly kind: 'interrupt'; readonly signal: 'SIGINT' | 'SIGTERM' }
  /** Nothing but time passed; due when `nextDeadlineMs` is reached. The shell sends one at the very start too. */
  | { readonly kind: 'tick' };

/** What the shell must do, in order. */
export type SessionEffect =
  /** Dial the coordinator now (the core has waited for its back-off); answered by `connected` or `disconnected`. */
  | { readonly kind: 'connect' }
  /** Close after what was sent before; from now on nothing of this socket is reported, nor that it closed. */
  | { readonly kind: 'disconnect' }
  | { readonly kind: 'send'; readonly message: WorkerMessage }
  | { readonly kind: 'send-frame'; readonly bytes: Uint8Array }
  /** `worker` is this worker's index in the run. */
  | { readonly kind: 'engine-arm'; readonly arm: Arm; readonly worker: number }
  /** Start at this moment of this process's monotonic clock; at once if it has passed. */
  | {
      readonly kind: 'engine-go';
      readonly at: StagePlace;
      readonly startAtMs: number;
      /** What the coordinator knows of the service that the stage does something to. */
      readonly known: Pick<Go, 'peers' | 'away'>;
    }
  /** End the stage now: drain and report `engine-drained`. */
  | { readonly kind: 'engine-stop'; readonly at: StagePlace; readonly reason: string }
  /** What workers of the stage have inserted, itself too: others' keys may be read from now on. */
  | { readonly kind: 'engine-inserted'; readonly at: StagePlace; readonly inserts: Inserted['inserts'] }
  /** Drop the stage and everything of it; nothing more is reported. */
  | { readonly kind: 'engine-abandon'; readonly at: StagePlace }
  /** This worker is out of the run: end every service that it has started. */
  | { readonly kind: 'engine-release' }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  /** The session is over; sent once, as the last effect. Code null: a run was completed. */
  | { readonly kind: 'finish'; readonly code: FailureCode | null; readonly reason: string };
