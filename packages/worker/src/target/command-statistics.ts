/** Calls of one command since the start or the last reset. */
export interface CommandCount {
  readonly name: string;
  calls: number;
  /** Not carried out: wrong arguments, or not allowed. */
  rejected: number;
  /** Answered with an error. */
  failed: number;
}

/** Counts per command, and the hits and misses of reads, as INFO shows them. */
export class CommandStatistics {
  readonly #commands = new Map<string, CommandCount>();
  hits = 0;
  misses = 0;

  of(name: string): CommandCount {
    let found = this.#commands.get(name);
    if (found === undefined) {
      found = { name, calls: 0, rejected: 0, failed: 0 };
      this.#commands.set(name, found);
    }
    return found;
  }

  /** Only commands that were called. */
  counts(): CommandCount[] {
    return [...this.#commands.values()].filter((count) => count.calls > 0);
  }

  get total(): number {
    let sum = 0;
    for (const count of this.#commands.values()) sum += count.calls;
    return sum;
  }

  reset(): void {
    for (const count of this.#commands.values()) {
      count.calls = 0;
      count.rejected = 0;
      count.failed = 0;
    }
    this.hits = 0;
    this.misses = 0;
  }
}
