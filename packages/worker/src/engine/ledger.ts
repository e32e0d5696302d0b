import { type Action, addNotes, CAN_MISS, LIMITS, type Note, type Notes, Recorder } from '@pacecar/protocol';

/** What happened to one operation of one workload on one thread in one interval; plain data that travels. */
export interface RowPart {
  readonly workload: number;
  /** The action's name. */
  readonly operation: string;
  readonly sent: number;
  readonly ok: number;
  readonly hits: number;
  readonly misses: number;
  readonly timeouts: number;
  readonly aborted: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly late: number;
  readonly dropped: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  readonly notes?: Notes;
  /** At the end of the interval. */
  readonly inFlight: number;
  /** Encoded histograms. */
  readonly service: Uint8Array;
  readonly response: Uint8Array;
  readonly failed: Uint8Array;
  readonly pacing: Uint8Array;
}

/** An empty histogram. */
const NO_VALUES = new Recorder().encode();

/** A kind past the limit of a row: hostile targets must not fill memory. */
export const OTHER_KIND = 'OTHER';

/** Counts one operation of one workload. Fields are public because a call for each would be the hot path's cost. */
export class Row {
  readonly workload: number;
  /** The action's name. */
  readonly operation: string;
  readonly weight: number;
  sent = 0;
  /** By item, of actions that do not simply hit or miss. */
  hits = 0;
  misses = 0;
  late = 0;
  dropped = 0;
  bytesSent = 0;
  bytesReceived = 0;
  /** Items that a near cache of the client answered. */
  #nearCache = 0;
  /** Succeeded with the times of the batch at hand, and not in `service` yet. */
  pending = 0;
  #notes: Notes | undefined;
  #ok = 0;
  #timeouts = 0;
  #aborted = 0;
  #inFlight = 0;
  readonly #canMiss: boolean;
  readonly #errors = new Map<string, number>();
  readonly #service = new Recorder();
  readonly #failed = new Recorder();
  /** Both null in the closed model. */
  readonly #response: Recorder | null;
  readonly #pacing: Recorder | null;

  constructor(workload: number, action: Action, isOpen: boolean) {
    this.workload = workload;
    this.operation = action.name;
    this.weight = action.weight;
    this.#canMiss = CAN_MISS.has(action.operation);
    this.#response = isOpen ? new Recorder() : null;
    this.#pacing = isOpen ? new Recorder() : null;
  }

  /** Records what is pending: all of it was under way for `latencyNs`. */
  settle(latencyNs: number): void {
    this.#ok += this.pending;
    this.#service.record(latencyNs, this.pending);
    this.pending = 0;
  }

  /** One that succeeded was due so long ago. */
  respond(responseNs: number): void {
    this.#response?.record(responseNs, 1);
  }

  /** One was sent so long after it could have been. */
  pace(errorNs: number): void {
    this.#pacing?.record(errorNs, 1);
  }

  /** Something happened on the way to an answer; `bytes`: of what came before it. */
  note(note: Note, count: number, bytes: number): void {
    this.bytesReceived += bytes;
    // Near caches answer millions of times a second.
    if (note === 'NEAR_CACHE') this.#nearCache += count;
    else this.#notes = addNotes(this.#notes, { [note]: count }).notes;
  }

  /** `kind` matches ERROR_KIND. */
  error(kind: string, latencyNs: number): void {
    const known = this.#errors.has(kind) || this.#errors.size < LIMITS.errorKindsPerRow - 1;
    const counted = known ? kind : OTHER_KIND;
    this.#errors.set(counted, (this.#errors.get(counted) ?? 0) + 1);
    this.#failed.record(latencyNs, 1);
  }

  timeout(latencyNs: number): void {
    this.#timeouts++;
    this.#failed.record(latencyNs, 1);
  }

  abort(): void {
    this.#aborted++;
  }

  /** What was counted since the last call. */
  take(): RowPart {
    let errors = 0;
    for (const count of this.#errors.values()) errors += count;
    this.#inFlight += this.sent - this.#ok - errors - this.#timeouts - this.#aborted;
    const part: RowPart = {
      workload: this.workload,
      operation: this.operation,
      sent: this.sent,
      ok: this.#ok,
      hits: this.#canMiss ? this.#ok - this.misses : this.hits,
      misses: this.misses,
      timeouts: this.#timeouts,
      aborted: this.#aborted,
      errors: Object.fromEntries(this.#errors),
      late: this.late,
      dropped: this.dropped,
      bytesSent: this.bytesSent,
      bytesReceived: this.bytesReceived,
      ...addNotes(this.#nearCache > 0 ? { NEAR_CACHE: this.#nearCache } : undefined, this.#notes),
      inFlight: this.#inFlight,
      service: this.#service.encode(),
      response: this.#response?.encode() ?? NO_VALUES,
      failed: this.#failed.encode(),
      pacing: this.#pacing?.encode() ?? NO_VALUES,
    };
    this.sent = 0;
    this.hits = 0;
    this.misses = 0;
    this.late = 0;
    this.dropped = 0;
    this.bytesSent = 0;
    this.bytesReceived = 0;
    this.#nearCache = 0;
    this.#notes = undefined;
    this.#ok = 0;
    this.#timeouts = 0;
    this.#aborted = 0;
    this.#errors.clear();
    this.#service.reset();
    this.#response?.reset();
    this.#failed.reset();
    this.#pacing?.reset();
    return part;
  }
}

/** Books operations as dropped that nobody looked at: of each action as many as its weight says. */
export function dropByWeight(rows: readonly Row[], count: number): void {
  const total = rows.reduce((sum, row) => sum + row.weight, 0);
  let weight = 0;
  let before = 0;
  for (const row of rows) {
    weight += row.weight;
    const upTo = Math.round((count * weight) / total);
    row.dropped += upTo - before;
    before = upTo;
  }
}

/** One thread's account of one interval. */
export interface IntervalPart {
  readonly interval: number;
  /** ns since the stage's start; the last one may end before its interval does. */
  readonly endNs: number;
  readonly firstOperationNs: number | null;
  readonly rows: readonly RowPart[];
}

/**
 * Cuts a thread's account into intervals of equal length. Whoever counts something calls `advance` first with its
 * time, and so everything lands in the interval that it happened in: index = floor((time - start) / length).
 */
export class Ledger {
  readonly rows: readonly Row[];
  readonly #intervalNs: number;
  readonly #closed: (part: IntervalPart) => void;
  #startNs = 0;
  #interval = 0;
  #endsNs = Number.POSITIVE_INFINITY;
  #firstNs: number | null = null;

  constructor(rows: readonly Row[], intervalNs: number, closed: (part: IntervalPart) => void) {
    this.rows = rows;
    this.#intervalNs = intervalNs;
    this.#closed = closed;
  }

  begin(startNs: number): void {
    this.#startNs = startNs;
    this.#endsNs = startNs + this.#intervalNs;
  }

  advance(nowNs: number): void {
    if (nowNs >= this.#endsNs) this.#close(nowNs);
  }

  /** The first operation of the stage on this thread was sent so long after it was to be. */
  first(lateNs: number): void {
    this.#firstNs = Math.max(0, lateNs);
  }

  /** Closes the interval at hand, which ends now. */
  finish(nowNs: number): void {
    this.advance(nowNs);
    this.#report(Math.max(0, nowNs - this.#startNs));
    this.#endsNs = Number.POSITIVE_INFINITY;
  }

  #close(nowNs: number): void {
    while (nowNs >= this.#endsNs) {
      this.#report(this.#endsNs - this.#startNs);
      this.#interval++;
      this.#endsNs = this.#startNs + (this.#interval + 1) * this.#intervalNs;
    }
  }

  #report(endNs: number): void {
    this.#closed({
      interval: this.#interval,
      endNs,
      firstOperationNs: this.#firstNs,
      rows: this.rows.map((row) => row.take()),
    });
    this.#firstNs = null;
  }
}
