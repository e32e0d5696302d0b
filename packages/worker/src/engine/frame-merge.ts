import {
  addCounters,
  type Counters,
  Distribution,
  encodeFrame,
  errorCount,
  type FrameIdentity,
  type FrameRow,
  NO_COUNTERS,
  type Stage,
  type ThreadHealth,
  type Totals,
  type WorkloadInserts,
} from '@pacecar/protocol';
import type { IntervalPart, RowPart } from './ledger.js';

/** What the whole process used since the last question, and holds now. */
export interface ProcessUsage {
  readonly cpuUserUs: number;
  readonly cpuSystemUs: number;
  readonly residentBytes: number;
}

/** An interval of one thread, and how the thread fared in it. */
export interface ThreadPart {
  readonly part: IntervalPart;
  readonly health: ThreadHealth;
}

/** Merges the threads' accounts of each interval into one frame of the worker, in the order of the intervals. */
export class FrameMerge {
  readonly #identity: Omit<FrameIdentity, 'sequence'>;
  readonly #stage: Stage;
  readonly #intervalNs: number;
  readonly #usage: () => ProcessUsage;
  readonly #inserted: () => readonly WorkloadInserts[];
  readonly #frame: (sequence: number, bytes: Uint8Array) => void;
  /** Parts of the intervals from `#next` on, one list for each interval. */
  readonly #waiting: ThreadPart[][] = [];
  /** First interval that each thread has not reported; Infinity once it has finished. */
  readonly #reportedBelow: number[];
  readonly #totals = new Map<string, { workload: string; operation: string; counters: Counters }>();
  #next = 0;
  #firstSeen = false;

  constructor(options: {
    identity: Omit<FrameIdentity, 'sequence'>;
    stage: Stage;
    intervalNs: number;
    threads: number;
    usage: () => ProcessUsage;
    inserted: () => readonly WorkloadInserts[];
    frame: (sequence: number, bytes: Uint8Array) => void;
  }) {
    this.#identity = options.identity;
    this.#stage = options.stage;
    this.#intervalNs = options.intervalNs;
    this.#usage = options.usage;
    this.#inserted = options.inserted;
    this.#frame = options.frame;
    this.#reportedBelow = new Array<number>(options.threads).fill(0);
  }

  /** Parts of one thread come in the order of their intervals, none left out. */
  add(thread: number, part: ThreadPart): void {
    const place = part.part.interval - this.#next;
    while (this.#waiting.length <= place) this.#waiting.push([]);
    (this.#waiting[place] as ThreadPart[]).push(part);
    this.#reportedBelow[thread] = part.part.interval + 1;
    this.#emit();
  }

  finish(thread: number): void {
    this.#reportedBelow[thread] = Number.POSITIVE_INFINITY;
    this.#emit();
  }

  /** Sequence number of the last frame; -1: there was none. */
  get lastSequence(): number {
    return this.#next - 1;
  }

  get totals(): Totals[] {
    return [...this.#totals.values()].map(({ workload, operation, counters }) => ({
      workload,
      operation,
      sent: counters.sent,
      ok: counters.ok,
      hits: counters.hits,
      misses: counters.misses,
      errors: errorCount(counters),
      timeouts: counters.timeouts,
      aborted: counters.aborted,
      late: counters.late,
      dropped: counters.dropped,
    }));
  }

  #emit(): void {
    const complete = Math.min(...this.#reportedBelow);
    while (this.#waiting.length > 0 && this.#next < complete) {
      const parts = this.#waiting.shift() as ThreadPart[];
      this.#frame(this.#next, this.#encode(parts));
      this.#next++;
    }
  }

  #encode(parts: readonly ThreadPart[]): Uint8Array {
    const startNs = this.#next * this.#intervalNs;
    return encodeFrame({
      ...this.#identity,
      sequence: this.#next,
      interval: this.#next,
      startNs,
      endNs: Math.max(startNs, ...parts.map(({ part }) => part.endNs)),
      firstOperationNs: this.#firstOperation(parts),
      rows: this.#rows(parts),
      threads: parts.map(({ health }) => health),
      ...this.#usage(),
      inserted: this.#inserted(),
    });
  }

  #firstOperation(parts: readonly ThreadPart[]): number | null {
    const times = parts.flatMap(({ part }) =>
      part.firstOperationNs === null ? [] : [part.firstOperationNs],
    );
    if (this.#firstSeen || times.length === 0) return null;
    this.#firstSeen = true;
    return Math.min(...times);
  }

  #rows(parts: readonly ThreadPart[]): FrameRow[] {
    const groups = new Map<string, RowPart[]>();
    for (const { part } of parts) {
      for (const row of part.rows) {
        const name = `${row.workload} ${row.operation}`;
        const group = groups.get(name);
        if (group === undefined) groups.set(name, [row]);
        else group.push(row);
      }
    }
    return [...groups].map(([name, rows]) => this.#row(name, rows));
  }

  #row(name: string, rows: readonly RowPart[]): FrameRow {
    const { workload: index, operation } = rows[0] as RowPart;
    const workload = this.#stage.workloads[index]?.name ?? String(index);
    const counters = rows.reduce<Counters>((sum, row) => addCounters(sum, row), NO_COUNTERS);
    const total = this.#totals.get(name)?.counters ?? NO_COUNTERS;
    this.#totals.set(name, { workload, operation, counters: addCounters(total, counters) });
    return {
      workload,
      operation,
      ...counters,
      inFlight: rows.reduce((sum, row) => sum + row.inFlight, 0),
      service: merged(rows.map((row) => row.service)),
      response: merged(rows.map((row) => row.response)),
      failed: merged(rows.map((row) => row.failed)),
      ...pacingOf(rows),
    };
  }
}

/** Left out where there is no schedule. */
function pacingOf(rows: readonly RowPart[]): Pick<FrameRow, 'pacing'> {
  const some = rows.flatMap(({ pacing }) => (pacing.length > 1 ? [pacing] : []));
  return some.length === 0 ? {} : { pacing: merged(some) };
}

function merged(encoded: readonly Uint8Array[]): Uint8Array {
  if (encoded.length === 1) return encoded[0] as Uint8Array;
  const sum = new Distribution();
  for (const bytes of encoded) sum.addEncoded(bytes);
  return sum.encode();
}
