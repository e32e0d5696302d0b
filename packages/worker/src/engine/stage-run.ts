import { endsByCount, PacecarError, type Stage } from '@pacecar/protocol';
import { Agenda } from './agenda.js';
import type { EngineClock, Refusal } from './driver-port.js';
import type { Lane } from './lane.js';
import type { LaneKeeper } from './lane-keeper.js';
import { type IntervalPart, Ledger } from './ledger.js';
import { type Link, Links } from './link.js';
import { makeLanes, type StageParts } from './stage-lanes.js';

/** How often a thread looks for timeouts, due reconnects and ends. */
const TICK_NS = 20e6;
/** Dropped operations that one thread looks at one by one when its stage ends: a few tenths of a second at most. */
const DROPS_LOOKED_AT = 1_000_000;

const MS = 1e6;

/** What a thread's part of a stage reports, in this order: armed or failed, parts, finished. */
export interface StageRunReport {
  armed(connections: number): void;
  part(part: IntervalPart): void;
  /** True extent of the stage on this thread, and why it did not do what it was told to, or null. */
  finished(elapsedNs: number, failure: PacecarError | null): void;
  failed(error: PacecarError): void;
  /** An operation may begin at `atNs`, sooner than `nextStartNs` was. */
  sooner(atNs: number): void;
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
  readonly #paced: readonly Link[];
  readonly #agenda = new Agenda();
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

  constructor(
    options: StageParts & {
      readonly intervalNs: number;
      readonly clock: EngineClock;
      readonly report: StageRunReport;
    },
  ) {
    this.#stage = options.stage;
    this.#clock = options.clock;
    this.#report = options.report;
    const { rows, pairs } = makeLanes(options, this);
    this.#ledger = new Ledger(rows, options.intervalNs, (part) => this.#report.part(part));
    this.#links = new Links(pairs);
    this.#paced = this.#links.all.filter(({ lane }) => lane.isPaced);
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
    const { drainMs } = this.#stage;
    this.#phase = 'sending';
    this.#startNs = startNs;
    this.#endNs = startNs + Math.round(longestMs(this.#stage) * MS);
    this.#drainedByNs = this.#endNs + drainMs * MS;
    this.#ledger.begin(startNs);
    this.sending = true;
    for (const link of this.#links.all) {
      link.lane.start(startNs, this.#endNs);
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
      this.#drain(nowNs, nowNs);
      this.#finishIfDone(nowNs);
    }
  }

  /** Drops everything; nothing is reported any more. */
  abandon(): void {
    this.#closeAll();
  }

  /** When the next operation may begin by its time; Infinity: none waits for a time. */
  get nextStartNs(): number {
    return this.#agenda.nextNs;
  }

  /** Nothing is in flight: no answer is waited for. */
  get isQuiet(): boolean {
    for (const { lane } of this.#links.all) if (lane.inFlight > 0) return false;
    return true;
  }

  /** Operations begin by time: a schedule, think time or a ramp. */
  get isTimed(): boolean {
    return this.#links.all.some(({ lane }) => lane.timing !== null);
  }

  /** Begins what is due. To be called at `nextStartNs`, never before; sooner than `tick` asks for. */
  startDue(): void {
    const nowNs = this.#clock.nowNs();
    while (this.#agenda.nextNs <= nowNs) {
      const lane = this.#agenda.take();
      lane.isQueued = false;
      const link = this.#links.of(lane);
      if (link.state === 'open') this.#pump(link);
    }
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
      if (this.sending) for (const { lane } of this.#paced) lane.shed(nowNs);
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
    if (nowNs >= this.#endNs && this.#phase === 'sending') this.#drain(this.#endNs, nowNs);
  }

  laneOpened(lane: Lane): void {
    const link = this.#links.opened(lane);
    lane.renew(this.#clock.nowNs());
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

  laneWaits(lane: Lane, atNs: number): void {
    const isFirst = atNs < this.#agenda.nextNs;
    this.#agenda.add(lane, atNs);
    if (isFirst) this.#report.sooner(atNs);
  }

  laneWornOut(lane: Lane): void {
    this.#links.renew(this.#links.of(lane), this.#clock.nowNs());
  }

  // --- inside ---

  #becomeArmed(): void {
    this.#phase = 'armed';
    this.#report.armed(this.#links.all.length);
  }

  #pump({ lane, channel }: Link): void {
    const nowNs = this.#clock.nowNs();
    this.advance(nowNs);
    // A schedule or a ramp puts first operations apart on purpose; the start line is judged by what comes on top.
    const plannedNs = this.#firstSeen ? 0 : (lane.timing?.nextNs(0) ?? this.#startNs);
    channel.pump(nowNs);
    if (!this.#firstSeen && lane.inFlight > 0) {
      this.#firstSeen = true;
      this.#ledger.first(nowNs - plannedNs);
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

  /** The stage's end, `endNs`, has come; it is `nowNs` now. */
  #drain(endNs: number, nowNs: number): void {
    this.#gaveUp = endsByCount(this.#stage) && endNs === this.#endNs;
    this.#phase = 'draining';
    this.#settleSchedule(endNs, nowNs);
    this.sending = false;
    this.#drainedByNs = Math.min(this.#drainedByNs, endNs + this.#stage.drainMs * MS);
    this.#endNs = Math.min(this.#endNs, endNs);
  }

  /** What was due before the end still begins if it can, however late this thread is; the rest is dropped. */
  #settleSchedule(endNs: number, nowNs: number): void {
    let looked = 0;
    for (const { lane, channel, state } of this.#paced) {
      lane.endAt(endNs);
      if (state === 'open') channel.pump(nowNs);
      looked += lane.dropRest(DROPS_LOOKED_AT - looked);
    }
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
    // Until a moment means until then, also when the connections have nothing to do.
    if (this.sending && !endsByCount(this.#stage)) return;
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

/** How long a stage sends at most; one of the background until it is told to stop. */
function longestMs({ end, limitMs }: Stage): number {
  if (end.kind === 'stage') return Number.POSITIVE_INFINITY;
  return end.kind === 'duration' ? end.durationMs : limitMs;
}
