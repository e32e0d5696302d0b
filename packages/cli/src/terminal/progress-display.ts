import type { Progress } from '@pacecar/coordinator';
import { type Plan, workerCount } from '@pacecar/protocol';
import { estimateMs } from '@pacecar/scenario';
import { liveBlock, placeOf, plainLine } from './progress-line.js';
import type { Screen } from './screen.js';

/** Between redraws: smooth to the eye, nothing to the processor. */
const REDRAW_MS = 200;
/** Between plain lines: often at first, when a person looks, then seldom enough for the log of a long run. */
const EARLY_LINE_MS = 2_000;
const LATE_LINE_MS = 5_000;
const EARLY_MS = 30_000;

/** Shows how a run goes: a live block on a terminal, plain lines elsewhere. */
export class ProgressDisplay {
  readonly #screen: Screen;
  readonly #name: string;
  readonly #estimateMs: number;
  readonly #timer: NodeJS.Timeout | null;
  #latest: Progress | null = null;
  #latestAtMs = 0;
  #lastLineMs = 0;
  #lastState = '';

  constructor(screen: Screen, plan: Plan) {
    this.#screen = screen;
    this.#name = plan.name;
    this.#estimateMs = estimateMs(plan);
    this.#timer = screen.live ? setInterval(() => this.#redraw(), REDRAW_MS) : null;
    this.#timer?.unref();
  }

  /** Shows that the run waits for its workers, before the coordinator has anything to say. */
  begin(plan: Plan): void {
    this.update({
      runElapsedMs: 0,
      state: 'joining',
      cell: { index: 0, of: plan.cells.length, label: plan.cells[0]?.configuration ?? '' },
      stage: null,
      beside: [],
      operationsPerSec: 0,
      p50Ns: null,
      p99Ns: null,
      operations: 0,
      errors: 0,
      workers: {
        joined: 0,
        of: workerCount(plan),
        lost: 0,
        waitingFor: plan.groups.map(({ name, size }) => `group ${name}: 0 of ${size} workers joined`),
      },
    });
  }

  update(progress: Progress): void {
    this.#latest = progress;
    this.#latestAtMs = performance.now();
    if (this.#screen.live) this.#redraw();
    else this.#line(progress);
  }

  /** Takes the display away; later updates show nothing. */
  end(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#latest = null;
    this.#screen.clear();
  }

  #redraw(): void {
    const progress = this.#latest;
    if (progress === null || progress.state === 'ended') return;
    const sinceMs = performance.now() - this.#latestAtMs;
    this.#screen.show(liveBlock(this.#name, progress, sinceMs, this.#estimateMs, this.#screen.columns));
  }

  #line(progress: Progress): void {
    const state = `${progress.state} ${placeOf(progress)} ${progress.cell.index} ${progress.workers.lost}`;
    const pauseMs = progress.runElapsedMs < EARLY_MS ? EARLY_LINE_MS : LATE_LINE_MS;
    const now = performance.now();
    if (state === this.#lastState && now - this.#lastLineMs < pauseMs) return;
    this.#lastState = state;
    this.#lastLineMs = now;
    if (progress.state !== 'ended') this.#screen.print(plainLine(progress));
  }
}
