/** Which frames of a (worker, stage) have been seen. Frames that come in order cost nothing to remember. */
export class SequenceLog {
  /** All below this one have been seen. */
  #next = 0;
  readonly #ahead = new Set<number>();
  #highest = -1;

  /** The largest number seen; -1 for none. */
  get highest(): number {
    return this.#highest;
  }

  /** How many were seen. */
  get count(): number {
    return this.#next + this.#ahead.size;
  }

  /** false when this one was seen before. */
  see(sequence: number): boolean {
    if (sequence < this.#next || this.#ahead.has(sequence)) return false;
    if (sequence > this.#highest) this.#highest = sequence;
    if (sequence !== this.#next) {
      this.#ahead.add(sequence);
      return true;
    }
    this.#next++;
    while (this.#ahead.delete(this.#next)) this.#next++;
    return true;
  }

  /** How many of 0 .. `last` are missing. */
  missingUpTo(last: number): number {
    let seen = Math.min(this.#next, last + 1);
    for (const sequence of this.#ahead) if (sequence <= last) seen++;
    return last + 1 - seen;
  }
}
