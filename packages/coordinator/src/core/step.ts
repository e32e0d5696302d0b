import type { CoordinatorMessage, EventBody, FailureCode, Frame, WorkerMessage } from '@pacecar/protocol';

/**
 * What happens to the run core. The shell turns sockets, the record and signals into these, one at a time: it never
 * calls `step` from within the execution of an effect, but queues (a `recorded` that is known at once, for example).
 * A connection is a number that the shell never gives twice.
 */
export type RunInput =
  /** A socket has opened; it must say hello within `HELLO_TIMEOUT_MS`. */
  | { readonly kind: 'connected'; readonly connection: number }
  /** A connection sent a valid control message. */
  | { readonly kind: 'message'; readonly connection: number; readonly message: WorkerMessage }
  /** ... or a frame that decodes. `bytes` is the frame as received; the core keeps neither. */
  | {
      readonly kind: 'frame';
      readonly connection: number;
      readonly frame: Frame;
      readonly bytes: Uint8Array;
    }
  /** ... or something that is neither. `code` is MESSAGE_INVALID or LIMIT_EXCEEDED. */
  | {
      readonly kind: 'garbage';
      readonly connection: number;
      readonly code: FailureCode;
      readonly reason: string;
    }
  /** The socket has closed. May come or not come after the core's own `close`. */
  | { readonly kind: 'disconnected'; readonly connection: number; readonly reason: string }
  /** The record has this frame on disk; it may be acknowledged. In order of sequence for each worker and stage. */
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
  /** Whoever conducts the run knows that it cannot succeed, and why: it ends as after an interrupt, but failed. */
  | { readonly kind: 'fail'; readonly code: FailureCode; readonly reason: string }
  /** Nothing but time passed; due when `nextDeadlineMs` is reached. The shell sends one at the very start too. */
  | { readonly kind: 'tick' };

/** What the shell must do, in order. */
export type RunEffect =
  | { readonly kind: 'send'; readonly connection: number; readonly message: CoordinatorMessage }
  /** Close after what was sent before; cut it if the peer does not take part in closing. */
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
  /** Append to a text file of the bundle. */
  | { readonly kind: 'log'; readonly path: string; readonly text: string }
  /** Append to events.ndjson. */
  | { readonly kind: 'event'; readonly event: EventBody }
  /** The run is over; sent once, as the last effect. Steps after it give nothing. */
  | {
      readonly kind: 'finish';
      readonly outcome: 'complete' | 'failed' | 'interrupted';
      readonly code: FailureCode | null;
      readonly reason: string;
    };
