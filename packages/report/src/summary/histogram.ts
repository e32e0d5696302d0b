import { BytesInvalid, Distribution, encodedSumNs } from '@pacecar/protocol';

/** An open histogram has 33,792 buckets; how many encoded ones may wait before they are merged into one. */
const WAITING = 8;

/** Every use of it begins with `clear` and ends within one call. */
const SCRATCH = new Distribution();

/** One zero byte is the empty histogram. */
export function isEmptyHistogram(encoded: Uint8Array): boolean {
  return encoded.length === 0 || (encoded.length === 1 && encoded[0] === 0);
}

/** The exact sum of an encoded histogram, ns; 0 where the bytes are none, which is said where they are merged. */
export function histogramSumNs(encoded: Uint8Array): number {
  try {
    return isEmptyHistogram(encoded) ? 0 : Number(encodedSumNs(encoded));
  } catch (thrown) {
    if (!(thrown instanceof BytesInvalid)) throw thrown;
    return 0;
  }
}

/**
 * A histogram that grows frame by frame and costs 1 or 2 KB while it waits, against 270 KB of an open
 * `Distribution`: a long run has thousands of them at once.
 */
export class Histogram {
  #encoded: Uint8Array[] = [];
  #invalid = 0;

  /** How many of the added bytes were no histogram; nothing of those was counted. */
  get invalid(): number {
    return this.#invalid;
  }

  /** Adds what `Recorder.encode` wrote; keeps a copy. */
  add(encoded: Uint8Array): void {
    if (isEmptyHistogram(encoded)) return;
    this.#encoded.push(encoded.slice());
    if (this.#encoded.length >= WAITING) this.pack();
  }

  addAll(other: Histogram): void {
    this.#invalid += other.#invalid;
    this.#encoded.push(...other.#encoded);
    if (this.#encoded.length >= WAITING) this.pack();
  }

  /** Merges what waits into one, to take the least memory. */
  pack(): void {
    if (this.#encoded.length < 2) return;
    SCRATCH.clear();
    this.addTo(SCRATCH);
    this.#encoded = [SCRATCH.encode()];
  }

  /** How many latencies it holds; those of unreadable bytes are not among them. */
  count(): number {
    SCRATCH.clear();
    this.addTo(SCRATCH);
    return SCRATCH.count;
  }

  /** Adds everything to `distribution`. */
  addTo(distribution: Distribution): void {
    const good: Uint8Array[] = [];
    for (const encoded of this.#encoded) {
      try {
        distribution.addEncoded(encoded);
        good.push(encoded);
      } catch (thrown) {
        if (!(thrown instanceof BytesInvalid)) throw thrown;
        this.#invalid++;
      }
    }
    this.#encoded = good;
  }
}
