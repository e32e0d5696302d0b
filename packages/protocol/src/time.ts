declare const monotonic: unique symbol;
declare const wall: unique symbol;

/** Milliseconds of one process's monotonic clock (its own origin). Never comparable between processes. */
export type MonotonicMs = number & { readonly [monotonic]: true };
/** Milliseconds since 1970 of a wall clock; only for people to read. */
export type WallMs = number & { readonly [wall]: true };

/** Time is an argument: cores receive one of these, or plain readings of it. */
export interface Clock {
  monotonicMs(): MonotonicMs;
  wallMs(): WallMs;
}

export const monotonicMs = (ms: number): MonotonicMs => ms as MonotonicMs;
export const wallMs = (ms: number): WallMs => ms as WallMs;
