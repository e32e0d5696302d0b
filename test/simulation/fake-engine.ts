import {
  type Arm,
  amountFor,
  canMiss,
  encodeFrame,
  type FailureCode,
  type FrameRow,
  isBackground,
  Recorder,
  type Totals,
  type WorkerInserts,
} from '@pacecar/protocol';
import type { EngineReport, StagePlace } from '@pacecar/worker/core';
import { FakeInserts } from './fake-inserts.js';
import type { Deed, Ledger } from './ledger.js';
import type { SimulatedProcess } from './process.js';
import type { Random } from './random.js';

/** What an engine of this worker does wrong, if anything. */
export interface EngineFault {
  readonly kind: 'fails-to-arm' | 'arms-too-late' | 'fails-in-load' | 'never-drains' | 'lies';
  /** In the n-th stage that it is armed for, from 0. */
  readonly nth: number;
}

/** One for all: it is large, and a simulation has one thread. */
const recorder = new Recorder();
const EMPTY = encodeLatencies(0, 0);

function encodeLatencies(times: number, latencyNs: number): Uint8Array {
  if (times > 0) recorder.record(latencyNs, times);
  const encoded = recorder.encode();
  recorder.reset();
  return encoded;
}

/** Makes true frames of invented operations, and writes into the ledger what it did. */
export class FakeEngine {
  readonly #process: SimulatedProcess;
  readonly #random: Random;
  readonly #ledger: Ledger;
  readonly #report: (at: StagePlace, report: EngineReport) => void;
  readonly #fault: EngineFault | null;
  readonly #armMs: number;
  #armed = 0;
  readonly #stages = new Map<string, Stage>();

  constructor(
    process: SimulatedProcess,
    random: Random,
    ledger: Ledger,
    options: { readonly armMs: number; readonly fault: EngineFault | null },
    report: (at: StagePlace, report: EngineReport) => void,
  ) {
    this.#process = process;
    this.#random = random;
    this.#ledger = ledger;
    this.#armMs = options.armMs;
    this.#fault = options.fault;
    this.#report = report;
  }

  /** Load is going on, or an operation is in flight. */
  get loading(): boolean {
    return [...this.#stages.values()].some(({ loading }) => loading);
  }

  arm(arm: Arm, worker: number): void {
    for (const { spec } of this.#stages.values())
      if (!isBackground(spec)) throw new Error(`the engine was armed before it had ended stage ${spec.name}`);
    const { epoch, cell, stage } = arm;
    const at = { cell, stage };
    const deed = this.#ledger.begin({ epoch, cell, stage, worker }, arm.share, this.#process.name);
    const inserts = new FakeInserts(arm, deed, this.#ledger, this.#random);
    const fault = this.#fault?.nth === this.#armed ? this.#fault.kind : null;
    this.#armed++;
    const load = new Stage(this.#process, this.#random, arm, { deed, inserts, fault }, (report) => {
      if (report.kind === 'engine-drained' || report.kind === 'engine-failed') this.#stages.delete(keyOf(at));
      this.#report(at, report);
    });
    this.#stages.set(keyOf(at), load);
    const slow = fault === 'arms-too-late' ? arm.spec.armTimeoutMs + 1_000 : 0;
    load.prepare(this.#random.between(0, this.#armMs) + slow);
  }

  go(at: StagePlace, startAtMs: number): void {
    this.#stages.get(keyOf(at))?.go(startAtMs);
  }

  stop(at: StagePlace): void {
    this.#stages.get(keyOf(at))?.stop();
  }

  inserted(at: StagePlace, inserts: readonly WorkerInserts[]): void {
    this.#stages.get(keyOf(at))?.inserts.learn(inserts, this.#process.world);
  }

  abandon(at: StagePlace): void {
    this.#stages.get(keyOf(at))?.abandon();
    this.#stages.delete(keyOf(at));
  }

  abandonAll(): void {
    for (const load of this.#stages.values()) load.abandon();
    this.#stages.clear();
  }
}

const keyOf = ({ cell, stage }: StagePlace): string => `${cell}/${stage}`;

class Stage {
  readonly inserts: FakeInserts;
  readonly #process: SimulatedProcess;
  readonly #random: Random;
  readonly #arm: Arm;
  readonly #deed: Deed;
  readonly #fault: EngineFault['kind'] | null;
  readonly #report: (report: EngineReport) => void;
  readonly #totals = new Map<string, Record<string, number>>();
  #callOff: () => void = () => undefined;
  #left: number;
  readonly #perInterval: number;
  #startAtMs = 0;
  #previousNs = 0;
  #inFlight = 0;
  #stopping = false;
  loading = false;

  constructor(
    process: SimulatedProcess,
    random: Random,
    arm: Arm,
    own: { readonly deed: Deed; readonly inserts: FakeInserts; readonly fault: EngineFault['kind'] | null },
    report: (report: EngineReport) => void,
  ) {
    this.#process = process;
    this.#random = random;
    this.#arm = arm;
    this.#deed = own.deed;
    this.inserts = own.inserts;
    this.#fault = own.fault;
    this.#report = report;
    const { end, workloads } = arm.spec;
    const { of, index } = arm.share;
    const keys = workloads[0]?.keys;
    this.#left = Number.POSITIVE_INFINITY;
    if (end.kind === 'operations') this.#left = amountFor(end.operations, of, index);
    if (end.kind === 'keys' && keys !== undefined)
      this.#left = amountFor({ count: keys.maximum - keys.minimum + 1, scope: 'total' }, of, index);
    // A counted stage takes some four intervals.
    this.#perInterval = Number.isFinite(this.#left) ? Math.ceil(this.#left / 4) : random.integer(20, 400);
  }

  get spec(): Arm['spec'] {
    return this.#arm.spec;
  }

  prepare(afterMs: number): void {
    this.#callOff = this.#process.after(afterMs, () => {
      if (this.#fault === 'fails-to-arm') this.#fail('TARGET_UNREACHABLE', 'nothing listens at target:6379');
      else this.#report({ kind: 'engine-armed', connections: 4, target: null });
    });
  }

  go(startAtMs: number): void {
    this.#startAtMs = startAtMs;
    const waitMs = startAtMs - this.#process.nowMs();
    this.#callOff = this.#process.after(Math.max(0, waitMs), () => this.#begin());
  }

  stop(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#deed.stopped = true;
    this.#callOff();
    // Before the start there is nothing to wait for.
    this.#drain(this.#deed.startedAtMs === null ? 0 : this.#random.between(0, this.#drainMs()));
  }

  abandon(): void {
    this.#callOff();
    this.#end();
  }

  #begin(): void {
    this.#deed.startedAtMs = this.#process.world.nowMs;
    this.#deed.lateMs = Math.max(0, this.#process.nowMs() - this.#startAtMs);
    this.loading = true;
    this.#nextInterval();
  }

  #nextInterval(): void {
    const { intervalMs, spec } = this.#arm;
    const elapsedMs = this.#process.nowMs() - this.#startAtMs;
    const boundaryMs = (Math.floor(elapsedMs / intervalMs + 1e-9) + 1) * intervalMs;
    const endMs = spec.end.kind === 'duration' ? spec.end.durationMs : Number.POSITIVE_INFINITY;
    const untilMs = Math.min(boundaryMs, endMs);
    this.#callOff = this.#process.after(Math.max(0, untilMs - elapsedMs), () => {
      if (this.#fault === 'fails-in-load') {
        this.#fail('TARGET_UNREACHABLE', 'the target went away');
        return;
      }
      const over = untilMs === endMs || this.#left <= this.#perInterval;
      // The last frame comes after the drain, with nothing in flight.
      if (over) this.#drain(this.#random.between(0, this.#drainMs()));
      else {
        this.#frame(
          this.#perInterval,
          this.#random.integer(0, Math.min(4, Math.floor(this.#perInterval / 2))),
        );
        this.#nextInterval();
      }
    });
  }

  #drain(waitMs: number): void {
    if (this.#fault === 'never-drains') return;
    this.#callOff = this.#process.after(waitMs, () => {
      // Nothing was sent where the end came before the start.
      if (this.#deed.startedAtMs !== null) this.#frame(Math.min(this.#left, this.#perInterval), 0);
      this.#end();
      const totals = this.#sums();
      this.#deed.totals = totals;
      this.#deed.lied = this.#fault === 'lies' && totals.length > 0;
      this.#report({
        kind: 'engine-drained',
        lastSequence: this.#deed.frames.length - 1,
        elapsedNs: this.#previousNs,
        totals: this.#fault === 'lies' ? totals.map((row) => ({ ...row, sent: row.sent + 1 })) : totals,
      });
    });
  }

  #drainMs(): number {
    return this.#arm.spec.drainMs * 0.8;
  }

  #fail(code: FailureCode, reason: string): void {
    this.#end();
    this.#report({ kind: 'engine-failed', code, reason });
  }

  #end(): void {
    this.loading = false;
    this.#deed.endedAtMs ??= this.#process.world.nowMs;
  }

  /** `sent` operations since the last frame, of which `inFlight` are not answered yet. */
  #frame(sent: number, inFlight: number): void {
    const { epoch, cell, stage, intervalMs, spec } = this.#arm;
    const elapsedNs = Math.max(0, Math.round((this.#process.nowMs() - this.#startAtMs) * 1e6));
    const workload = spec.workloads[0];
    if (workload === undefined) throw new Error('a stage without a workload');
    if (Number.isFinite(this.#left)) this.#left -= sent;
    const rows: FrameRow[] = [];
    const [first, second] = workload.mix;
    const some = second === undefined ? 0 : Math.floor(sent / 3);
    // Only the first operation leaves anything in flight.
    if (first !== undefined) rows.push(this.#row(first.name, workload.name, sent - some, inFlight));
    if (second !== undefined) rows.push(this.#row(second.name, workload.name, some, 0));
    const sequence = this.#deed.frames.length;
    const bytes = encodeFrame({
      epoch,
      worker: this.#deed.worker,
      cell,
      stage,
      sequence,
      interval: Math.max(0, Math.floor(elapsedNs / 1e6 / intervalMs - 1e-6)),
      startNs: this.#previousNs,
      endNs: Math.max(this.#previousNs, elapsedNs),
      firstOperationNs: sequence === 0 ? Math.round(this.#deed.lateMs * 1e6) : null,
      rows,
      threads: [{ utilisation: 0.25, delayNs: 1_000_000 }],
      cpuUserUs: 1_000,
      cpuSystemUs: 500,
      residentBytes: 50_000_000,
      inserted: this.inserts.report(),
    });
    this.#previousNs = Math.max(this.#previousNs, elapsedNs);
    this.#deed.frames.push(bytes);
    this.#report({ kind: 'engine-frame', sequence, bytes });
  }

  #row(operation: string, workload: string, sent: number, inFlight: number): FrameRow {
    const open = operation === this.#arm.spec.workloads[0]?.mix[0]?.name ? this.#inFlight : 0;
    const ended = open + sent - inFlight;
    if (inFlight > 0 || open > 0) this.#inFlight = inFlight;
    const errors = this.#random.chance(0.1) ? Math.floor(ended / 100) : 0;
    const ok = ended - errors;
    const looksUp = canMiss(this.#arm.spec, { workload, operation });
    const misses = looksUp ? Math.floor(ok / 10) : 0;
    const counts = { sent, ok, hits: looksUp ? ok - misses : 0, misses, errors };
    const key = `${workload}\n${operation}`;
    const sum = this.#totals.get(key) ?? { sent: 0, ok: 0, hits: 0, misses: 0, errors: 0 };
    for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count;
    this.#totals.set(key, sum);
    // What was in flight at the end of an interval was so all the time: Little's law holds.
    const latencyNs = Math.round((inFlight * this.#arm.intervalMs * 1e6) / Math.max(1, ended)) + 1_000;
    return {
      ...counts,
      workload,
      operation,
      inFlight,
      timeouts: 0,
      aborted: 0,
      errors: errors > 0 ? { WRONGTYPE: errors } : {},
      late: 0,
      dropped: 0,
      bytesSent: sent * 30,
      bytesReceived: ended * 20,
      service: ok > 0 ? encodeLatencies(ok, latencyNs) : EMPTY,
      response: EMPTY,
      failed: errors > 0 ? encodeLatencies(errors, latencyNs) : EMPTY,
    };
  }

  #sums(): Totals[] {
    return [...this.#totals].map(([key, sum]) => {
      const [workload = '', operation = ''] = key.split('\n');
      const zero = { sent: 0, ok: 0, hits: 0, misses: 0, errors: 0, timeouts: 0, aborted: 0 };
      return { workload, operation, ...zero, ...sum, late: 0, dropped: 0 };
    });
  }
}
