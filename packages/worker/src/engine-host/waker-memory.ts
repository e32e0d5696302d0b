/** No time is asked for. */
export const NEVER_NS = -1n;

/** What an engine thread and its waker share. */
export class WakerMemory {
  readonly buffer: SharedArrayBuffer;
  /** Rises with each time that is asked for; the waker sleeps on it. */
  readonly turn: Int32Array;
  /** When to wake, as `process.hrtime.bigint()` counts. */
  readonly dueNs: BigInt64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.buffer = buffer;
    this.turn = new Int32Array(buffer, 0, 1);
    this.dueNs = new BigInt64Array(buffer, 8, 1);
  }
}
