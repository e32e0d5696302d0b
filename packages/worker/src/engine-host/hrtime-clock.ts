import type { EngineClock } from '../engine/driver-port.js';

/**
 * The process's monotonic clock: CLOCK_MONOTONIC by `process.hrtime`, which all threads share, counted from an origin.
 * (`performance.now()` has an origin of its own in each thread.)
 */
export class HrtimeClock implements EngineClock {
  readonly #seconds: number;
  readonly #nanoseconds: number;

  constructor(originNs: bigint) {
    this.#seconds = Number(originNs / 1_000_000_000n);
    this.#nanoseconds = Number(originNs % 1_000_000_000n);
  }

  /** A whole number, exact for a hundred days. */
  nowNs(): number {
    const [seconds, nanoseconds] = process.hrtime();
    return (seconds - this.#seconds) * 1e9 + (nanoseconds - this.#nanoseconds);
  }
}
