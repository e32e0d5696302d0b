import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HrtimeClock } from './hrtime-clock.js';
import { StageClock, type TimedRun } from './stage-clock.js';

const clock = new HrtimeClock(process.hrtime.bigint());

/** Starts at times that a test gives, until none is left. */
class Starts implements TimedRun {
  readonly due: number[] = [];
  readonly begun: { dueNs: number; atNs: number }[] = [];
  readonly isQuiet: boolean;
  readonly isTimed = true;
  ticks = 0;
  readonly #offsetsMs: readonly number[];
  readonly #until: number;
  readonly #over: () => void;

  constructor(offsetsMs: readonly number[], options: { isQuiet: boolean; until: number; over: () => void }) {
    this.#offsetsMs = offsetsMs;
    this.isQuiet = options.isQuiet;
    this.#until = options.until;
    this.#over = options.over;
  }

  get nextStartNs(): number {
    return this.due[0] ?? Number.POSITIVE_INFINITY;
  }

  startDue(): void {
    const atNs = clock.nowNs();
    while (this.nextStartNs <= atNs) this.begun.push({ dueNs: this.due.shift() as number, atNs });
  }

  tick(): number | null {
    // From the first tick on: the clock takes a while to make its waker.
    if (this.ticks++ === 0) this.due.push(...inMs(...this.#offsetsMs));
    if (this.begun.length < this.#until) return 20e6;
    this.#over();
    return null;
  }
}

function inMs(...offsets: readonly number[]): number[] {
  const nowNs = clock.nowNs();
  return offsets.map((offset) => nowNs + offset * 1e6);
}

describe('the clock of a stage', () => {
  for (const isQuiet of [true, false])
    test(`begins what is due, nothing before its time, ${isQuiet ? 'asleep' : 'while answers may come'}`, async () => {
      const stageClock = new StageClock(clock);
      const offsets = [0, 0.05, 0.3, 0.35, 1, 2.5, 2.6, 7, 30, 61];
      const starts = await new Promise<Starts>((resolve) => {
        const run = new Starts(offsets, {
          isQuiet,
          until: offsets.length,
          over: () => resolve(run),
        });
        stageClock.start(run);
      });
      assert.equal(starts.begun.length, offsets.length);
      for (const { dueNs, atNs } of starts.begun) assert.ok(atNs >= dueNs, `${dueNs - atNs} ns too soon`);
      assert.ok(starts.ticks >= 2);
    });

  test('a start that becomes due before the others is not missed', async () => {
    const stageClock = new StageClock(clock);
    const starts = await new Promise<Starts>((resolve) => {
      const run = new Starts([60_000], { isQuiet: true, until: 1, over: () => resolve(run) });
      stageClock.start(run);
      const [soonNs] = inMs(3) as [number];
      run.due.unshift(soonNs);
      stageClock.sooner(soonNs);
    });
    assert.equal(starts.begun.length, 1);
    assert.equal(starts.due.length, 1);
  });

  test('once stopped it does nothing more', async () => {
    const stageClock = new StageClock(clock);
    const run = new Starts([1, 2, 3], { isQuiet: false, until: 3, over: () => undefined });
    stageClock.start(run);
    stageClock.stop();
    stageClock.sooner(0);
    const { ticks } = run;
    const begun = run.begun.length;
    for (const [untilNs] = inMs(10) as [number]; clock.nowNs() < untilNs; )
      await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([run.begun.length, run.ticks], [begun, ticks]);
  });
});
