import { canMiss, errorCount, type FrameRow, type Stage, type Totals } from '@pacecar/protocol';

/** Names of the plain numbers in `Totals`. */
const COUNTS = ['sent', 'ok', 'hits', 'misses', 'errors', 'timeouts', 'aborted', 'late', 'dropped'] as const;
type Counts = Record<(typeof COUNTS)[number], number>;

/**
 * Sums the frames of one worker's stage and holds them against what must be true of them:
 *
 *   in every frame      sent so far = ok + errors + timeouts + aborted so far + in flight,  ok = hits + misses
 *   when it has drained the worker's own totals = the sum of its frames, with nothing in flight
 */
export class Tally {
  readonly #stage: Stage;
  readonly #sums = new Map<string, Counts>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** Adds a frame's rows; returns what does not add up, or null. */
  add(rows: readonly FrameRow[]): string | null {
    let broken: string | null = null;
    for (const row of rows) {
      const sum = this.#sumOf(row.workload, row.operation);
      const errors = errorCount(row);
      for (const name of COUNTS) sum[name] += name === 'errors' ? errors : row[name];
      const ended = endedOf(sum);
      if (sum.sent !== ended + row.inFlight)
        broken ??= `${label(row)}: ${sum.sent} sent, but ${ended} ended and ${row.inFlight} in flight`;
      broken ??= missesBroken(this.#stage, row, sum);
    }
    return broken;
  }

  /** Holds the worker's totals against the sum of its frames; returns what differs, or null. */
  settle(totals: readonly Totals[]): string | null {
    const seen = new Set<string>();
    for (const row of totals) {
      const key = keyOf(row.workload, row.operation);
      if (seen.has(key)) return `${label(row)}: two totals of it`;
      seen.add(key);
      const sum = this.#sumOf(row.workload, row.operation);
      for (const name of COUNTS)
        if (sum[name] !== row[name])
          return `${label(row)}: the worker counted ${row[name]} ${name}, its frames hold ${sum[name]}`;
      if (row.sent !== endedOf(row))
        return `${label(row)}: ${row.sent} sent, but ${endedOf(row)} ended and nothing is in flight`;
    }
    for (const [key, sum] of this.#sums)
      if (!seen.has(key) && COUNTS.some((name) => sum[name] !== 0))
        return `${key.replace('\n', ' ')}: its frames hold ${sum.sent} sent, the worker's totals leave it out`;
    return null;
  }

  #sumOf(workload: string, operation: string): Counts {
    const key = keyOf(workload, operation);
    let sum = this.#sums.get(key);
    if (sum === undefined) {
      sum = { sent: 0, ok: 0, hits: 0, misses: 0, errors: 0, timeouts: 0, aborted: 0, late: 0, dropped: 0 };
      this.#sums.set(key, sum);
    }
    return sum;
  }
}

/** Names hold no control characters, so this is unique. */
const keyOf = (workload: string, operation: string): string => `${workload}\n${operation}`;
const label = (row: { workload: string; operation: string }): string => `${row.workload} ${row.operation}`;
const endedOf = (counts: Omit<Counts, 'late' | 'dropped'>): number =>
  counts.ok + counts.errors + counts.timeouts + counts.aborted;

function missesBroken(stage: Stage, row: FrameRow, sum: Counts): string | null {
  if (!canMiss(stage, row) || sum.ok === sum.hits + sum.misses) return null;
  return `${label(row)}: ${sum.ok} ok, but ${sum.hits} hits and ${sum.misses} misses`;
}
