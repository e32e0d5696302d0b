import type { MonotonicMs } from '@pacecar/protocol';

/**
 * How much two monotonic clocks may drift apart, ms per ms: a clock that is being slewed runs off by at most 500 ppm;
 * crystals differ by far less.
 */
export const CLOCK_DRIFT = 0.0005;

/** Older samples say less than their drift. */
const WINDOW_MS = 60_000;
const WINDOW_SAMPLES = 64;

export interface ClockEstimate {
  /** The worker's monotonic clock minus the coordinator's, ms. */
  readonly offsetMs: number;
  /** The true offset lies within offsetMs +- errorMs. */
  readonly errorMs: number;
  /** Exchanges that the estimate was chosen from. */
  readonly exchanges: number;
}

interface Sample {
  readonly offsetMs: number;
  readonly errorMs: number;
  readonly atMs: number;
}

/**
 * The offset of one worker's clock, from a sliding window of ping exchanges. The worker read its clock at some
 * moment between `sentMs` and `receivedMs`, so the middle is off by half the round trip at most:
 *
 *   offset = workerMs - (sentMs + receivedMs) / 2    error(t) = (receivedMs - sentMs) / 2 + drift * age(t)
 */
export class ClockOffset {
  #samples: Sample[] = [];

  /** The moment of the last exchange on the coordinator's clock; null before the first. */
  get lastAtMs(): number | null {
    return this.#samples.at(-1)?.atMs ?? null;
  }

  add(sentMs: MonotonicMs, workerMs: number, receivedMs: MonotonicMs): void {
    const atMs = (sentMs + receivedMs) / 2;
    this.#samples.push({ offsetMs: workerMs - atMs, errorMs: (receivedMs - sentMs) / 2, atMs });
    const tooMany = this.#samples.length > WINDOW_SAMPLES;
    if (tooMany || (this.#samples[0] as Sample).atMs < receivedMs - WINDOW_MS)
      this.#samples = this.#samples
        .slice(tooMany ? 1 : 0)
        .filter(({ atMs }) => atMs >= receivedMs - WINDOW_MS);
  }

  /** The sample with the smallest error for the moment `atMs` of the coordinator's clock; null without any. */
  estimate(atMs: MonotonicMs): ClockEstimate | null {
    let best: ClockEstimate | null = null;
    for (const sample of this.#samples) {
      const errorMs = sample.errorMs + CLOCK_DRIFT * Math.max(0, atMs - sample.atMs);
      if (best === null || errorMs < best.errorMs)
        best = { offsetMs: sample.offsetMs, errorMs, exchanges: this.#samples.length };
    }
    return best;
  }
}
