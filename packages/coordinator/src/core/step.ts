import type {
  CoordinatorMessage,
  EventBody,
  FailureCode,
  Frame,
  WorkerMessage,
} from '@pacecar/protocol';

/** What happens to the run core. The shell turns sockets, the record and signals into these. */
export type RunInput =
  /** A connection (the shell's number for it) sent a valid control message. */
  | { readonly kind: 'message'; readonly connection: number; readonly message: WorkerMessage }
  /** ... or a frame that decodes. `bytes` is the frame as received. */
  | { readonly kind: 'frame'; readonly connection: number; readonly frame: Frame; readonly bytes: Uint8Array }
  /** ... or something that is neither. */
  | { readonly kind: 'garbage'; readonly connection: number; readonly code: FailureCode; readonly reason: string }
  | { readonly kind: 'disconnected'; readonly connection: number; readonly reason: string }
  /** The record has this frame on disk; it may be acknowledged. */
  | {
      readonly kind: 'recorded';
      readonly worker: number;
      readonly cell: number;
      readonly stage: number;
      readonly sequence: number;
    }
  /** The record cannot write any more (disk full ...). */
  | { readonly kind: 'record-failed'; readonly reason: string }
  | { readonly kind: 'interrupt'; readonly signal: 'SIGINT' | 'SIGTERM' }
  /** Nothing but time passed; due when `nextDeadlineMs` is reached. */
  | { readonly kind: 'tick' };

/** What the shell must do, in order. */
export type RunEffect =
  | { readonly kind: 'send'; readonly connection: number; readonly message: CoordinatorMessage }
  | { readonly kind: 'close'; readonly connection: number; readonly reason: string }
  /** Append a frame to the record; answered by `recorded`. `keep` is false for warm-ups, which enter no file. */
  | {
      readonly kind: 'record';
      readonly worker: number;
      readonly cell: number;
      readonly stage: number;
      readonly sequence: number;
      readonly keep: boolean;
      readonly bytes: Uint8Array;
    }
  /** Append to events.ndjson. */
  | { readonly kind: 'event'; readonly event: EventBody }
  /** The run is over; sent once, as the last effect. */
  | {
      readonly kind: 'finish';
      readonly outcome: 'complete' | 'failed' | 'interrupted';
      readonly code: FailureCode | null;
      readonly reason: string;
    };
