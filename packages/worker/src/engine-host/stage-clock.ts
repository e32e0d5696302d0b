import type { EngineClock } from '../engine/driver-port.js';
import { Waker } from './waker.js';

/** What is to be done in time: a stage run. */
export interface TimedRun {
  /** Does what time asks for; in how many ns again, or null when it is over. */
  tick(): number | null;
  /** When the next operation may begin by its time; Infinity: none waits. */
  readonly nextStartNs: number;
  /** Begins what is due. */
  startDue(): void;
  /** No answer is waited for. */
  readonly isQuiet: boolean;
  /** Operations begin by time. */
  readonly isTimed: boolean;
}

/** Timers come up to a millisecond late: they end this long before a start. */
const TIMER_MARGIN_NS = 1.2e6;
/** From here on a start is not left to a timer. */
const WATCHED_NS = 2e6;
/** A sleep ends this long before a start: what the system may be late by, most of the time. */
const SLEEP_MARGIN_NS = 150e3;
const SHORTEST_SLEEP_NS = 100e3;
/** A waker is asked this long before a start: it is up to twice as late as a sleep, since it has to wake another. */
const WAKER_MARGIN_NS = 200e3;
/** A turn of the event loop that takes no longer did nothing. */
const IDLE_TURN_NS = 10e3;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps without looking at anything else, for a time that is right to about 60 us. */
export function sleep(lengthNs: number): void {
  Atomics.wait(sleeper, 0, 0, lengthNs / 1e6);
}

/**
 * Wakes a stage run in time. Ticks are a timer's business; operations that are due at a time are begun within
 * microseconds of it. Far from it a timer waits. Near it, while nothing is in flight, the thread sleeps, and wakes a
 * little before; while an answer may come, its event loop waits for that, and another thread wakes it. The last part of
 * a millisecond it goes round the event loop.
 */
export class StageClock {
  /** By how much a timer was late at most; and for how long the thread only waited, though it was not idle to others. */
  longestDelayNs = 0;
  waitedNs = 0;
  readonly #clock: EngineClock;
  #run: TimedRun | null = null;
  #waker: Waker | null = null;
  #timer: NodeJS.Timeout | null = null;
  #immediate: NodeJS.Immediate | null = null;
  #timerDueNs = 0;
  #tickAtNs = 0;
  #wakesAtNs = 0;
  #restedNs = 0;
  #isTurning = false;

  constructor(clock: EngineClock) {
    this.#clock = clock;
  }

  /** Ticks now, and from then on when it is time, until the run is over. */
  start(run: TimedRun): void {
    this.stop();
    this.#run = run;
    if (run.isTimed) this.#waker ??= new Waker(this.#woken);
    this.#tickAtNs = 0;
    this.#turn();
  }

  stop(): void {
    this.#run = null;
    this.#clear();
  }

  /** A start has become due before the one that was next. */
  sooner(atNs: number): void {
    // Within a turn the next start is looked at when it ends.
    if (this.#run === null || this.#isTurning || atNs >= this.#wakesAtNs) return;
    // Not now: whoever says so may have something to send yet, and a rest may be a sleep.
    this.#clear();
    this.#wakesAtNs = 0;
    this.#immediate = setImmediate(this.#next);
  }

  #turn(): void {
    const run = this.#run;
    if (run === null) return;
    const nowNs = this.#clock.nowNs();
    if (nowNs >= this.#tickAtNs || run.nextStartNs <= nowNs) this.#work(run, nowNs);
    else if (nowNs - this.#restedNs < IDLE_TURN_NS) this.waitedNs += nowNs - this.#restedNs;
    if (this.#run === run) this.#rest();
  }

  #work(run: TimedRun, nowNs: number): void {
    this.#isTurning = true;
    if (run.nextStartNs <= nowNs) run.startDue();
    if (nowNs >= this.#tickAtNs) {
      const inNs = run.tick();
      if (inNs === null) this.stop();
      else this.#tickAtNs = nowNs + inNs;
    }
    this.#isTurning = false;
  }

  /** Until the next start or tick. */
  #rest(): void {
    this.#clear();
    const run = this.#run as TimedRun;
    const nowNs = this.#clock.nowNs();
    const startNs = run.nextStartNs;
    const leftNs = startNs - nowNs;
    this.#wakesAtNs = Math.min(startNs, this.#tickAtNs);
    if (leftNs > WATCHED_NS || startNs >= this.#tickAtNs) {
      const untilTimerNs = Math.min(leftNs - TIMER_MARGIN_NS, this.#tickAtNs - nowNs);
      this.#wait(Math.max(0, Math.ceil(untilTimerNs / 1e6)), nowNs);
      return;
    }
    if (leftNs > SLEEP_MARGIN_NS + SHORTEST_SLEEP_NS && run.isQuiet) {
      sleep(leftNs - SLEEP_MARGIN_NS);
      this.waitedNs += this.#clock.nowNs() - nowNs;
    } else if (leftNs > WAKER_MARGIN_NS + SHORTEST_SLEEP_NS) {
      // The timer is for the case that the waker is not given a core.
      if (this.#waker?.wakeIn(leftNs - WAKER_MARGIN_NS) === true) {
        this.#wait(Math.ceil(leftNs / 1e6), nowNs);
        return;
      }
    }
    this.#restedNs = this.#clock.nowNs();
    this.#immediate = setImmediate(this.#next);
  }

  #wait(ms: number, nowNs: number): void {
    this.#timerDueNs = nowNs + Math.max(1, ms) * 1e6;
    this.#timer = setTimeout(this.#late, ms);
  }

  readonly #late = (): void => {
    this.longestDelayNs = Math.max(this.longestDelayNs, this.#clock.nowNs() - this.#timerDueNs);
    this.#turn();
  };

  readonly #next = (): void => this.#turn();

  /** By the waker, which may have been asked by a rest that is over. */
  readonly #woken = (): void => {
    if (this.#timer !== null) this.#turn();
  };

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#immediate !== null) clearImmediate(this.#immediate);
    this.#timer = null;
    this.#immediate = null;
  }
}
