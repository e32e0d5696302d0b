import { BytesInvalid, encodedCount, type Frame, type Plan, ProbeTally, type Stage } from '@pacecar/protocol';
import { EarlyStop, type StopReason } from './early-stop.js';
import type { ProbeOrder } from './search/search-run.js';

/**
 * Looks into the frames of a stage while it runs, only where its course depends on them: a probe of a search, or a
 * stage that an objective may end.
 */
export class StageJudge {
  readonly #probe: ProbeTally | null;
  readonly #stop: EarlyStop | null;

  constructor(plan: Plan, spec: Stage, probe: ProbeOrder | null, workers: number) {
    const { intervalMs, errorBudget } = plan;
    const { stopWhen } = spec;
    this.#stop = stopWhen === null ? null : new EarlyStop(stopWhen, spec, intervalMs);
    this.#probe =
      probe === null
        ? null
        : new ProbeTally({ stage: spec, search: probe.search, intervalMs, errorBudget, workers });
  }

  /** Returns what is wrong with a histogram of the frame, of which nothing is taken then; else null. */
  add(frame: Frame): string | null {
    if (this.#probe === null && this.#stop === null) return null;
    try {
      for (const { service, response } of frame.rows)
        for (const histogram of [service, response]) encodedCount(histogram);
    } catch (thrown) {
      if (thrown instanceof BytesInvalid) return thrown.message;
      throw thrown;
    }
    this.#probe?.add(frame);
    this.#stop?.add(frame);
    return null;
  }

  /** `running`: indexes of the workers that have more to send. */
  stopReason(running: readonly number[]): StopReason | null {
    return this.#stop?.judge(running) ?? null;
  }

  judgement() {
    return this.#probe?.judge() ?? null;
  }
}
