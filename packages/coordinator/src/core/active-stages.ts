import type { MonotonicMs } from '@pacecar/protocol';
import type { Member } from './membership.js';
import type { Refusal } from './outbox.js';
import type { Place } from './programme.js';
import type { StageRun } from './stage-run.js';

/**
 * The stages under way: the one that the run goes by, and before it those of the background, which run beside it. A
 * stage is open from its arming until its barrier has closed or it was given up.
 */
export class ActiveStages {
  #open: readonly StageRun[] = [];
  #foreground: StageRun | null = null;

  /** The stage that the run goes by, or went by last; null before the first. */
  get foreground(): StageRun | null {
    return this.#foreground;
  }

  /** In the order of their arming. */
  get open(): readonly StageRun[] {
    return this.#open;
  }

  /** Those that go on while the run goes by another stage. */
  get beside(): readonly StageRun[] {
    return this.#open.filter((stage) => stage !== this.#foreground);
  }

  /** From now on the run goes by this stage. */
  begin(stage: StageRun): void {
    this.#foreground = stage;
    this.#open = [...this.#open, stage];
  }

  /** The stage that a message speaks of; `past`: one that has closed; `ahead`: one that was never armed. */
  at(place: Place): StageRun | 'past' | 'ahead' {
    const stage = this.#open.find((open) => open.compare(place) === 0);
    if (stage !== undefined) return stage;
    return this.#foreground === null || this.#foreground.compare(place) > 0 ? 'ahead' : 'past';
  }

  /** The worker takes no further part in any of them. */
  drop(member: Member): void {
    for (const stage of this.#open) stage.drop(member);
  }

  /** One that has lost all its workers; null: there is none. */
  get deserted(): StageRun | null {
    return this.#open.find(({ liveCount }) => liveCount === 0) ?? null;
  }

  resume(member: Member): void {
    for (const stage of this.#open) stage.resume(member);
  }

  /** Everyone drains, in every stage. */
  stopAll(reason: string): void {
    for (const stage of this.#open) stage.stop(reason);
  }

  close(stage: StageRun, givenUp: 'failed' | 'interrupted' | null): void {
    stage.close(givenUp);
    this.#open = this.#open.filter((open) => open !== stage);
  }

  closeAll(givenUp: 'failed' | 'interrupted'): void {
    for (const stage of this.#open) this.close(stage, givenUp);
  }

  get settled(): boolean {
    return this.#open.every(({ settled }) => settled);
  }
}

/** When all of these, told to stop now, must have closed. */
export function drainedByMs(
  stages: readonly StageRun[],
  lostAfterMs: number,
  nowMs: MonotonicMs,
): MonotonicMs {
  const withinMs = stages.map((stage) => stage.drainedWithinMs(lostAfterMs));
  return (nowMs + Math.max(0, ...withinMs)) as MonotonicMs;
}

/** A deadline has passed: who in these stages is to blame, in words. At least one is not settled. */
export function latenessOf(stages: readonly StageRun[]): Refusal {
  const late = stages.filter(({ settled }) => !settled).map((stage) => stage.lateness());
  const code = late[0]?.code ?? 'DEADLINE_PASSED';
  return { code, reason: late.map(({ reason }) => reason).join('; ') };
}
