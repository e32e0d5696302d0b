import { Distribution } from '../distribution.js';
import { errorCount, type Frame, type FrameRow } from '../frame.js';
import { objectiveMet } from '../plan/objective.js';
import type { Search, Stage } from '../plan.js';
import { createSchedule } from '../schedule/create-schedule.js';
import { ObjectiveTally } from './objective-tally.js';
import type { PROBE_FAULTS, ProbeJudgement } from './probe-judgement.js';

/** How far what was sent may stay behind what was asked; also the share of late operations that is let pass. */
const TOLERANCE = 0.01;
/** Standard deviations that random arrivals may take. */
const CHANCE = 4;
/** An engine thread that is busier, or what is in flight nearer to its limit, is what held the rate down. */
const AT_LIMIT = 0.9;
/** This share of what was late had room in time: then the generator was late, and not the target. */
const OWN_DELAY = 0.5;

export interface ProbeQuestion {
  /** As the workers were told it, with the rate of this probe. */
  readonly stage: Stage;
  readonly search: Search;
  readonly intervalMs: number;
  readonly errorBudget: number;
  /** How many were told to arm. */
  readonly workers: number;
}

/**
 * Judges one probe from the frames of all workers, in any order, each once. Judged is what ended after the probe had
 * settled, up to the end of its drain: an operation that was due and took long must not be left out because the probe
 * was over. The rate is held against whole intervals only. The coordinator and whoever reads the bundle use the same.
 */
export class ProbeTally {
  readonly #question: ProbeQuestion;
  readonly #objectives: readonly ObjectiveTally[];
  readonly #own: ObjectiveTally;
  /** Intervals from the first up to but not including the end count for rates. */
  readonly #first: number;
  readonly #end: number;
  #sent = 0;
  #late = 0;
  #dropped = 0;
  #droppedInMid = 0;
  #ok = 0;
  #failed = 0;
  #inFlight = 0;
  /** The generator's own delays: due, with room for it, to sent. */
  readonly #pacing = new Distribution();
  /** By worker and thread. */
  readonly #busy = new Map<string, { utilisation: number; intervals: number }>();

  constructor(question: ProbeQuestion) {
    this.#question = question;
    this.#objectives = question.search.objectives.map((objective) => new ObjectiveTally(objective));
    this.#own = new ObjectiveTally({
      text: 'p99',
      operation: 'total',
      metric: 'p99',
      comparison: '<',
      threshold: 0,
    });
    [this.#first, this.#end] = judgedIntervals(question.stage, question.search.settleMs, question.intervalMs);
  }

  /** Throws BytesInvalid for a histogram that is none. */
  add(frame: Frame): void {
    if (frame.interval < this.#first) return;
    const inWindow = frame.interval < this.#end;
    for (const row of frame.rows) {
      this.#addRow(row, inWindow);
      for (const tally of this.#objectives) addTo(tally, row, inWindow);
    }
    if (!inWindow) return;
    frame.threads.forEach(({ utilisation }, thread) => {
      const key = `${frame.worker} ${thread}`;
      const busy = this.#busy.get(key) ?? { utilisation: 0, intervals: 0 };
      this.#busy.set(key, { utilisation: busy.utilisation + utilisation, intervals: busy.intervals + 1 });
    });
  }

  judge(): ProbeJudgement {
    const windowMs = Math.max(0, this.#end - this.#first) * this.#question.intervalMs;
    const due = this.#due();
    const objectives = this.#objectives.map((tally) => {
      const actual = tally.figure(windowMs * 1e6);
      return { objective: tally.objective, actual, met: objectiveMet(tally.objective, actual) };
    });
    const rateFaults = this.#rateFaults(due);
    const faults: (typeof PROBE_FAULTS)[number][] = [];
    if (this.#ok === 0) faults.push('nothing');
    if (objectives.some(({ met }) => !met)) faults.push('objective');
    faults.push(...rateFaults);
    const ended = this.#ok + this.#failed;
    if (ended > 0 && this.#failed / ended > this.#question.errorBudget) faults.push('errors');
    const utilisation = this.#utilisation();
    const inFlight = this.#inFlightShare();
    return {
      held: faults.length === 0,
      faults,
      limit: rateFaults.length === 0 ? null : this.#limit(utilisation, inFlight),
      windowMs,
      due: Math.round(due * 1e3) / 1e3,
      sent: this.#sent,
      late: this.#late,
      dropped: this.#dropped,
      ok: this.#ok,
      failed: this.#failed,
      objectives,
      p99Ns: this.#own.figure(0),
      utilisation,
      inFlight,
    };
  }

  #addRow(row: FrameRow, inWindow: boolean): void {
    this.#ok += row.ok;
    this.#failed += errorCount(row) + row.timeouts + row.aborted;
    if (row.workload !== this.#question.search.workload) return;
    this.#own.add(row);
    this.#dropped += row.dropped;
    if (!inWindow) return;
    this.#sent += row.sent;
    this.#late += row.late;
    this.#droppedInMid += row.dropped;
    this.#inFlight += row.inFlight;
    if (row.pacing !== undefined) this.#pacing.addEncoded(row.pacing);
  }

  #due(): number {
    const model = this.#model();
    if (model === null) return 0;
    const schedule = createSchedule(model.rate);
    const { intervalMs } = this.#question;
    const until = (interval: number) => schedule.expectedCount(interval * intervalMs * 1e6);
    return Math.max(0, until(this.#end) - until(this.#first));
  }

  /**
   * What is due at the very end of a probe and finds no room is dropped, which says nothing; in mid-probe a drop is a
   * gap in the load.
   */
  #rateFaults(due: number): ('rate' | 'dropped' | 'late')[] {
    const faults: ('rate' | 'dropped' | 'late')[] = [];
    // An operation at either end of the window may fall on the other side of it.
    const chance = this.#model()?.arrivals === 'poisson' ? CHANCE * Math.sqrt(due) : 2;
    const allowed = Math.max(TOLERANCE * due, chance);
    if (this.#sent < due - allowed) faults.push('rate');
    if (this.#droppedInMid > 0 || this.#dropped > allowed) faults.push('dropped');
    if (this.#late > Math.max(TOLERANCE * this.#sent, 1)) faults.push('late');
    return faults;
  }

  #limit(utilisation: number | null, inFlight: number | null): ProbeJudgement['limit'] {
    // A thread that is busy all the time reads answers late, so that its connections are full as well.
    if (utilisation !== null && utilisation >= AT_LIMIT) return 'generator';
    const lateAfterNs = (this.#model()?.lateAfterMs ?? 0) * 1e6;
    const own = this.#pacing.count - this.#pacing.countAtOrBelow(lateAfterNs);
    if (own > 0 && own >= OWN_DELAY * this.#late) return 'pacing';
    return inFlight !== null && inFlight >= AT_LIMIT ? 'in-flight' : null;
  }

  #utilisation(): number | null {
    let busiest: number | null = null;
    for (const { utilisation, intervals } of this.#busy.values())
      busiest = Math.max(busiest ?? 0, utilisation / intervals);
    return busiest === null ? null : Math.min(1, Math.round(busiest * 1e4) / 1e4);
  }

  #inFlightShare(): number | null {
    const intervals = this.#end - this.#first;
    const workload = this.#workload();
    if (workload === undefined || intervals <= 0) return null;
    const { count, scope } = workload.connections;
    const most = count * (scope === 'worker' ? this.#question.workers : 1) * workload.depth;
    return most === 0 ? null : Math.round((this.#inFlight / intervals / most) * 1e4) / 1e4;
  }

  #workload() {
    return this.#question.stage.workloads.find(({ name }) => name === this.#question.search.workload);
  }

  #model() {
    const model = this.#workload()?.model;
    return model?.kind === 'open' ? model : null;
  }
}

/** The whole intervals of a probe that has settled: the first, and the one after the last. */
export function judgedIntervals(
  { end }: Pick<Stage, 'end'>,
  settleMs: number,
  intervalMs: number,
): [first: number, end: number] {
  const lengthMs = end.kind === 'duration' ? end.durationMs : 0;
  return [Math.ceil(settleMs / intervalMs), Math.floor(lengthMs / intervalMs)];
}

/** A throughput counts what ended in the window; everything else what ended at all. */
function addTo(tally: ObjectiveTally, row: FrameRow, inWindow: boolean): void {
  if (inWindow || tally.objective.metric !== 'throughput') tally.add(row);
}
