import { type MonotonicMs, monotonicMs } from '@pacecar/protocol';
import type { Random } from './random.js';
import type { World } from './world.js';

export interface ClockFault {
  /** What the monotonic clock shows at the start of the world. */
  readonly originMs: number;
  /** Runs so much too fast, ms per ms. */
  readonly drift: number;
  /** How wrong the wall clock is. */
  readonly wallErrorMs: number;
}

/** 2026-01-01, as good as any. */
const WALL_ORIGIN_MS = 1_767_225_600_000;

/** An operating-system process: it has clocks, it can stand still and it can die. */
export class SimulatedProcess {
  readonly name: string;
  readonly world: World;
  readonly #clock: ClockFault;
  readonly #held: (() => void)[] = [];
  readonly #onDeath: (() => void)[] = [];
  #state: 'running' | 'paused' | 'dead' = 'running';
  /** True time of the last awakening; before that it could do nothing. */
  resumedAtMs = Number.NEGATIVE_INFINITY;
  pausedForMs = 0;
  diedAtMs: number | null = null;
  #pausedAtMs = 0;

  constructor(world: World, name: string, clock: ClockFault) {
    this.world = world;
    this.name = name;
    this.#clock = clock;
  }

  get alive(): boolean {
    return this.#state !== 'dead';
  }

  get paused(): boolean {
    return this.#state === 'paused';
  }

  /** Its own monotonic clock, which goes on while it stands still. */
  nowMs(): MonotonicMs {
    return this.localMs(this.world.nowMs);
  }

  /** What its clock shows at a moment of true time. */
  localMs(trueMs: number): MonotonicMs {
    return monotonicMs(this.#clock.originMs + trueMs * (1 + this.#clock.drift));
  }

  /** The true time at which its clock shows `localMs`. */
  trueMs(localMs: number): number {
    return (localMs - this.#clock.originMs) / (1 + this.#clock.drift);
  }

  wallTime(): string {
    return new Date(WALL_ORIGIN_MS + this.world.nowMs + this.#clock.wallErrorMs).toISOString();
  }

  /** Does it now; when it can again, if it stands still; never, if it is dead. */
  run(act: () => void): void {
    if (this.#state === 'dead') return;
    if (this.#state === 'paused') this.#held.push(act);
    else act();
  }

  /** After so long on its own clock. Returns how to call it off. */
  after(localMs: number, act: () => void): () => void {
    let wanted = true;
    this.world.after(localMs / (1 + this.#clock.drift), () => {
      if (wanted)
        this.run(() => {
          if (wanted) act();
        });
    });
    return () => {
      wanted = false;
    };
  }

  pause(forMs: number): void {
    if (this.#state !== 'running') return;
    this.#state = 'paused';
    this.#pausedAtMs = this.world.nowMs;
    this.world.say(this.name, () => `stands still for ${forMs.toFixed(0)} ms`);
    this.world.after(forMs, () => this.#resume());
  }

  onDeath(act: () => void): void {
    this.#onDeath.push(act);
  }

  die(how: string): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#held.length = 0;
    this.diedAtMs = this.world.nowMs;
    this.world.say(this.name, () => how);
    for (const act of this.#onDeath) act();
  }

  #resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    this.resumedAtMs = this.world.nowMs;
    this.pausedForMs += this.world.nowMs - this.#pausedAtMs;
    this.world.say(this.name, () => 'goes on');
    // Whatever it does may make it stand still or die again.
    for (let act = this.#held.shift(); act !== undefined; act = this.#held.shift()) {
      act();
      if ((this.#state as string) !== 'running') return;
    }
  }
}

interface Core<Input, Effect> {
  step(input: Input, nowMs: MonotonicMs): readonly Effect[];
  nextDeadlineMs(): MonotonicMs | null;
}

/** What a shell does around a core: steps, effects in order, and the timer. */
export class CoreShell<Input extends { readonly kind: string }, Effect> {
  /** Dies in its step number `step`, after so many effects. */
  crashAt: { readonly step: number; readonly effects: number } | null = null;
  steps = 0;
  readonly #process: SimulatedProcess;
  readonly #core: Core<Input, Effect>;
  readonly #carryOut: (effect: Effect) => void;
  readonly #tick: Input;
  readonly #random: Random;
  #callOff: () => void = () => undefined;
  #dueMs: number | null = null;

  constructor(
    process: SimulatedProcess,
    core: Core<Input, Effect>,
    tick: Input,
    carryOut: (effect: Effect) => void,
    random: Random,
  ) {
    this.#process = process;
    this.#core = core;
    this.#tick = tick;
    this.#carryOut = carryOut;
    this.#random = random;
  }

  /** To be called by what happens to the process, never by an effect. */
  give(input: Input): void {
    if (!this.#process.alive) return;
    this.steps++;
    const effects = this.#core.step(input, this.#process.nowMs());
    const crash = this.crashAt?.step === this.steps ? this.crashAt : null;
    for (let index = 0; index < effects.length; index++) {
      if (crash?.effects === index) break;
      this.#carryOut(effects[index] as Effect);
      if (!this.#process.alive) return;
    }
    if (crash !== null) {
      this.#process.die(`is killed in its step ${crash.step}, after ${crash.effects} effects`);
      return;
    }
    this.#setTimer();
  }

  #setTimer(): void {
    const dueMs = this.#core.nextDeadlineMs();
    if (dueMs === this.#dueMs) return;
    this.#callOff();
    this.#dueMs = dueMs;
    if (dueMs === null) return;
    // Timers come late, never early.
    const lateMs = this.#random.next() * 2;
    this.#callOff = this.#process.after(Math.max(0, dueMs - this.#process.nowMs()) + lateMs, () => {
      this.#dueMs = null;
      this.give(this.#tick);
    });
  }
}
