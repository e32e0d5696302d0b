import { type InsertedRounds, LIMITS } from '@pacecar/protocol';

/** Failed rounds of a part that are remembered; once there are more, what is older than all of them is not read. */
const FAILED = LIMITS.failedInserts;
/** Of a part, in 32-bit integers: where its rounds begin, where they end, how many have failed ever, and which. */
const FROM = 0;
const BELOW = 1;
const FAILURES = 2;
const FIRST_FAILED = 3;
/** A line of a processor's cache, so that threads do not get in each other's way. */
const STRIDE = 16;

/**
 * Which rounds of inserts have been acknowledged, of each of a number of parts: connections of this worker, or slices of
 * other workers' connections. In memory that threads share: each part is written by one thread alone, and read by all.
 *
 * Reads and writes are atomic, so that they have one order for all: failures are written before the end that lies
 * behind them, and the beginning is raised before a failure is forgotten. A round that `has` is there.
 */
export class InsertRounds {
  readonly #memory: Int32Array;

  /** `memory`: `InsertRounds.memory(parts)`, zeros at first. */
  constructor(memory: ArrayBufferLike) {
    this.#memory = new Int32Array(memory);
  }

  static memory(parts: number): SharedArrayBuffer {
    return new SharedArrayBuffer(Math.max(1, parts) * STRIDE * Int32Array.BYTES_PER_ELEMENT);
  }

  // --- for readers ---

  from(part: number): number {
    return Atomics.load(this.#memory, part * STRIDE + FROM);
  }

  below(part: number): number {
    return Atomics.load(this.#memory, part * STRIDE + BELOW);
  }

  has(part: number, round: number): boolean {
    const memory = this.#memory;
    const at = part * STRIDE;
    if (round >= Atomics.load(memory, at + BELOW)) return false;
    const failures = Math.min(FAILED, Atomics.load(memory, at + FAILURES));
    for (let one = 0; one < failures; one++)
      if (Atomics.load(memory, at + FIRST_FAILED + one) === round) return false;
    // Last, since a failure that was not found may have been forgotten meanwhile.
    return round >= Atomics.load(memory, at + FROM);
  }

  /** What a slice of neighbouring parts has in common: a round of it was acknowledged on all of them. */
  together(first: number, parts: number): InsertedRounds {
    let from = 0;
    let below = LIMITS.insertRounds;
    const failed = new Set<number>();
    for (let part = first; part < first + parts; part++) {
      // In this order, as `has` does it.
      below = Math.min(below, this.below(part));
      for (const round of this.#failed(part)) failed.add(round);
      from = Math.max(from, this.from(part));
    }
    let within = [...failed].filter((round) => round >= from && round < below).sort((a, b) => a - b);
    if (within.length > FAILED) {
      from = (within[within.length - FAILED - 1] as number) + 1;
      within = within.slice(-FAILED);
    }
    return [Math.min(from, below), below, ...within];
  }

  // --- for the one writer of a part ---

  /** Rounds up to `below` have ended; those of them that failed were said before. */
  advance(part: number, below: number): void {
    Atomics.store(this.#memory, part * STRIDE + BELOW, Math.min(below, LIMITS.insertRounds));
  }

  /** A round has failed, or nobody knows: it is not there. Failures come in ascending order. */
  fail(part: number, round: number): void {
    if (round >= LIMITS.insertRounds) return;
    const memory = this.#memory;
    const at = part * STRIDE;
    const failures = Atomics.load(memory, at + FAILURES);
    const place = at + FIRST_FAILED + (failures % FAILED);
    if (failures >= FAILED) this.#raise(at, Atomics.load(memory, place) + 1);
    Atomics.store(memory, place, round);
    Atomics.store(memory, at + FAILURES, failures + 1);
  }

  /** Takes over what `together` gave elsewhere. What is older than what stands here changes nothing. */
  learn(part: number, [from = 0, below = 0, ...failed]: InsertedRounds): void {
    const known = this.below(part);
    if (below <= known) return;
    for (const round of failed) if (round >= known) this.fail(part, round);
    this.#raise(part * STRIDE, from);
    this.advance(part, below);
  }

  #raise(at: number, from: number): void {
    if (from > Atomics.load(this.#memory, at + FROM)) Atomics.store(this.#memory, at + FROM, from);
  }

  #failed(part: number): number[] {
    const at = part * STRIDE;
    const failures = Math.min(FAILED, Atomics.load(this.#memory, at + FAILURES));
    return Array.from({ length: failures }, (_, one) => Atomics.load(this.#memory, at + FIRST_FAILED + one));
  }
}
