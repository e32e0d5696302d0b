import { PacecarError, type Stage } from '@pacecar/protocol';
import type { Channel, EngineClock, Refusal } from './driver-port.js';
import { Lane, type LaneKeeper } from './lane.js';
import { type IntervalPart, Ledger, Row } from './ledger.js';
import { type Link, Links } from './link.js';
import { OperationStream, type StreamIdentity } from './operation-stream.js';
import type { LanePortion } from './portion.js';

/** How often a thread looks for timeouts, due reconnects and ends. */
const TICK_NS = 20e6;

const MS = 1e6;

/** What a thread's part of a stage reports, in this order: armed or failed, parts, finished. */
export interface StageRunReport {
  armed(connections: number): void;
  part(part: IntervalPart): void;
  /** True extent of the stage on this thread, and why it did not do what it was told to, or null. */
  finished(elapsedNs: number, failure: PacecarError | null): void;
  failed(error: PacecarError): void;
}

type Phase = 'new' | 'arming' | 'armed' | 'sending' | 'draining' | 'over';

/**
 * One engine thread's part of a stage: opens its connections, starts and ends on time, cuts what hangs, connects anew
 * what was cut. Time is given: `tick` says when it wants to be called again.
 */
export class StageRun implements LaneKeeper {
  /** Read for every operation. */
  sending = false;
  readonly #stage: Stage;
  readonly #clock: EngineClock;
  readonly #report: StageRunReport;
  readonly #ledger: Ledger;
  readonly #links: Links;
  #phase: Phase = 'new';
  #openedOnce = 0;
  #startNs = 0;
  #endNs = Number.POSITIVE_INFINITY;
  #drainedByNs = Number.POSITIVE_INFINITY;
  #armedByNs = 0;
  /** Connections below this index have nothing in flight and nothing to send, and that stays so. */
  #doneBelow = 0;
  #firstSeen = false;
  #gaveUp = false;

  constructor(options: {
    stage: Stage;
    lanes: readonly LanePortion[];
    identity: StreamIdentity;
    intervalNs: number;
    clock: EngineClock;
    /** For each workload of the stage that has lanes here. */
    channels: ReadonlyMap<number, (lane: Lane) => Channel>;
    report: StageRunReport;
  }) {
    const { stage, clock } = options;
    this.#stage = stage;
    this.#clock = clock;
    this.#report = options.report;
    const rowsOf = rowsByWorkload(stage, options.lanes);
    const rows = [...rowsOf.values()].flatMap((each) => [...new Set(each)]);
    this.#ledger = new Ledger(rows, options.intervalNs, (part) => this.#report.part(part));
    const pairs = options.lanes.map((portion, index) => {
      const workload = stage.workloads[portion.workload];
      const makeChannel = options.channels.get(portion.workload);
      const ownRows = rowsOf.get(portion.workload);
      if (workload === undefined || makeChannel === undefined || ownRows === undefined)
        throw new PacecarError(
          'INTERNAL',
          `workload ${portion.workload} of stage ${stage.name} was not prepared`,
        );
      const lane = new Lane({
        index,
        depth: workload.depth,
        operations: portion.operations,
        stream: new OperationStream(workload, portion, options.identity),
        rows: ownRows,
        keeper: this,
      });
      return { lane, channel: makeChannel(lane) };
    });
    this.#links = new Links(pairs);
  }

  // --- for the thread ---

  /** Opens every connection. */
  arm(): void {
    this.#phase = 'arming';
    this.#armedByNs = this.#clock.nowNs() + this.#stage.armTimeoutMs * MS;
    if (this.#links.all.length === 0) this.#becomeArmed();
    else this.#openDue(this.#clock.nowNs());
  }

  /** Starts sending. `startNs` is the common start on the clock; intervals and ends count from it. */
  begin(startNs: number): void {
    if (this.#phase !== 'armed') return;
    const { end, drainMs, limitMs } = this.#stage;
    this.#phase = 'sending';
    this.#startNs = startNs;
    this.#endNs = startNs + Math.round((end.kind === 'duration' ? end.durationMs : limitMs) * MS);
    this.#drainedByNs = this.#endNs + drainMs * MS;
    this.#ledger.begin(startNs);
    this.sending = true;
    for (const link of this.#links.all) {
      if (link.state === 'open') this.#pump(link);
    }
    this.#finishIfDone(this.#clock.nowNs());
  }

  /** Ends the stage now: what is in flight has the drain limit to come back. */
  stop(): void {
    const nowNs = this.#clock.nowNs();
    if (this.#phase === 'new' || this.#phase === 'arming' || this.#phase === 'armed') {
      this.#closeAll();
      this.#report.finished(0, null);
    } else if (this.#phase === 'sending') {
      this.#ledger.advance(nowNs);
      this.#drain(nowNs);
      this.#finishIfDone(nowNs);
    }
  }

  /** Drops everything; nothing is reported any more. */
  abandon(): void {
    this.#closeAll();
  }

  /** Does what time asks for. Returns in how many ns it wants to be called again, or null when it is over. */
  tick(): number | null {
    if (this.#phase === 'over') return null;
    const nowNs = this.#clock.nowNs();
    if (this.#phase === 'arming' && nowNs >= this.#armedByNs) {
      this.#fail(this.#notArmed());
      return null;
    }
    if (this.#phase === 'sending' || this.#phase === 'draining') {
      this.advance(nowNs);
      this.#expire(nowNs);
      if (this.#phase === 'draining' && nowNs >= this.#drainedByNs) this.#cutShort();
      this.#finishIfDone(nowNs);
    }
    if (this.isOver) return null;
    if (this.#phase !== 'draining') this.#openDue(nowNs);
    const next =
      this.#phase === 'draining'
        ? this.#drainedByNs
        : this.#phase === 'sending'
          ? this.#endNs
          : nowNs + TICK_NS;
    return Math.max(0, Math.min(TICK_NS, next - nowNs));
  }

  get isOver(): boolean {
    return this.#phase === 'over';
  }

  // --- for the lanes ---

  advance(nowNs: number): void {
    this.#ledger.advance(nowNs);
    if (nowNs >= this.#endNs && this.sending) this.#drain(this.#endNs);
  }

  laneOpened(lane: Lane): void {
    const link = this.#links.opened(lane);
    if (this.#phase === 'arming') {
      this.#openedOnce++;
      if (this.#openedOnce === this.#links.all.length) this.#becomeArmed();
      else this.#openDue(this.#clock.nowNs());
    } else if (this.#phase === 'sending') {
      this.#pump(link);
    }
  }

  laneRefused(lane: Lane, refusal: Refusal): void {
    this.#links.refused(lane, this.#clock.nowNs());
    if (this.#phase === 'arming') this.#fail(refusal);
  }

  laneCut(lane: Lane): void {
    const nowNs = this.#clock.nowNs();
    this.#links.gone(this.#links.of(lane), nowNs);
    if (this.#phase === 'arming')
      this.#fail(
        new PacecarError(
          'TARGET_UNREACHABLE',
          `the target closed connection ${lane.index} while the stage was armed`,
        ),
      );
    else this.#finishIfDone(nowNs);
  }

  laneIdle(lane: Lane): void {
    if (!this.sending || lane.left === 0) this.#finishIfDone(this.#clock.nowNs());
  }

  // --- inside ---

  #becomeArmed(): void {
    this.#phase = 'armed';
    this.#report.armed(this.#links.all.length);
  }

  #pump({ lane, channel }: Link): void {
    const nowNs = this.#clock.nowNs();
    this.advance(nowNs);
    channel.pump(nowNs);
    if (!this.#firstSeen && lane.inFlight > 0) {
      this.#firstSeen = true;
      this.#ledger.first(nowNs);
    }
  }

  #openDue(nowNs: number): void {
    // A connection that was cut with nothing left to send is of no use any more.
    const isSending = this.#phase === 'sending';
    this.#links.openDue(nowNs, ({ lane }) => !isSending || lane.left > 0);
  }

  #expire(nowNs: number): void {
    const beforeNs = nowNs - this.#stage.operationTimeoutMs * MS;
    for (const link of this.#links.all) {
      if (!link.lane.isOverdue(beforeNs, nowNs)) continue;
      link.channel.close();
      link.lane.expire(beforeNs, nowNs);
      this.#links.gone(link, nowNs);
    }
  }

  #drain(endNs: number): void {
    this.#gaveUp = this.#stage.end.kind !== 'duration' && endNs === this.#endNs;
    this.#phase = 'draining';
    this.sending = false;
    this.#drainedByNs = Math.min(this.#drainedByNs, endNs + this.#stage.drainMs * MS);
    this.#endNs = Math.min(this.#endNs, endNs);
  }

  #cutShort(): void {
    for (const { lane, channel } of this.#links.all) {
      if (lane.inFlight === 0) continue;
      channel.close();
      lane.abort();
    }
  }

  #finishIfDone(nowNs: number): void {
    if (this.#phase !== 'sending' && this.#phase !== 'draining') return;
    for (; this.#doneBelow < this.#links.all.length; this.#doneBelow++) {
      const lane = (this.#links.all[this.#doneBelow] as Link).lane;
      if (lane.inFlight > 0 || (this.sending && lane.left > 0)) return;
    }
    // A stage by time lasts its time, also when its connections have nothing to do.
    if (this.sending && this.#stage.end.kind === 'duration') return;
    this.#finish(nowNs);
  }

  #finish(nowNs: number): void {
    const unsent = this.#links.all.reduce((sum, { lane }) => sum + lane.left, 0);
    this.#ledger.finish(nowNs);
    this.#closeAll();
    const failure =
      this.#gaveUp && unsent > 0
        ? new PacecarError(
            'DEADLINE_PASSED',
            `stage ${this.#stage.name} was given up after its limit of ${this.#stage.limitMs} ms with ${unsent} operations ` +
              'still to send on an engine thread; raise the limit, or ask for fewer operations',
          )
        : null;
    this.#report.finished(nowNs - this.#startNs, failure);
  }

  #fail(error: PacecarError): void {
    this.#closeAll();
    this.#report.failed(error);
  }

  #closeAll(): void {
    this.#phase = 'over';
    this.sending = false;
    this.#links.closeAll();
  }

  #notArmed(): PacecarError {
    return new PacecarError(
      'DEADLINE_PASSED',
      `stage ${this.#stage.name}: ${this.#openedOnce} of ${this.#links.all.length} connections of an engine thread were ` +
        `open after ${this.#stage.armTimeoutMs} ms; raise the arm timeout, or ask for fewer connections`,
    );
  }
}

/** For each workload with a lane here: the row of each entry of its mix. */
function rowsByWorkload(stage: Stage, lanes: readonly LanePortion[]): Map<number, Row[]> {
  const result = new Map<number, Row[]>();
  for (const { workload } of lanes) {
    if (result.has(workload)) continue;
    const byOperation = new Map<string, Row>();
    const rows: Row[] = [];
    for (const { operation } of stage.workloads[workload]?.mix ?? []) {
      const row = byOperation.get(operation) ?? new Row(workload, operation);
      byOperation.set(operation, row);
      rows.push(row);
    }
    result.set(workload, rows);
  }
  return result;
}
