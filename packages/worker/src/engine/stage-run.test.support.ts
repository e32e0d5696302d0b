import assert from 'node:assert/strict';
import { PacecarError, plainAction, plainStage, plainWorkload, type Stage } from '@pacecar/protocol';
import type { Channel } from './driver-port.js';
import type { Lane } from './lane.js';
import type { IntervalPart } from './ledger.js';
import { InsertExchange } from './insert-exchange.js';
import { portionOf } from './portion.js';
import { StageRun } from './stage-run.js';

export const MS = 1e6;

export function stage(changes: {
  end?: Stage['end'];
  connections?: number;
  depth?: number;
  drainMs?: number;
  operationTimeoutMs?: number;
  limitMs?: number;
}): Stage {
  return plainStage({
    workloads: [
      plainWorkload({
        connections: { count: changes.connections ?? 1, scope: 'worker' },
        depth: changes.depth ?? 1,
        mix: [plainAction('get', 1), plainAction('put', 1)],
      }),
    ],
    end: changes.end ?? { kind: 'duration', durationMs: 1_000 },
    operationTimeoutMs: changes.operationTimeoutMs ?? 60_000,
    drainMs: changes.drainMs ?? 500,
    limitMs: changes.limitMs ?? 60_000,
  });
}

/** What a fake target does with one connection. */
interface Behaviour {
  /** Time from an operation to its answer, ms; null: never. */
  latencyMs?: (atMs: number) => number | null;
  /** Whether an attempt to connect succeeds. */
  accepts?: (attempt: number, atMs: number) => boolean;
}

/** A channel without a network: answers after a latency, in order, on the fake clock. */
class FakeChannel implements Channel {
  readonly opens: number[] = [];
  isOpen = false;
  readonly #world: World;
  readonly #lane: Lane;
  readonly #behaviour: Behaviour;
  #turn = 0;

  constructor(world: World, lane: Lane, behaviour: Behaviour) {
    this.#world = world;
    this.#lane = lane;
    this.#behaviour = behaviour;
  }

  open(): void {
    const turn = ++this.#turn;
    this.opens.push(this.#world.nowMs);
    const accepted = this.#behaviour.accepts?.(this.opens.length, this.#world.nowMs) ?? true;
    this.#world.after(1, () => {
      if (turn !== this.#turn) return;
      if (accepted) {
        this.isOpen = true;
        this.#lane.opened();
      } else {
        this.#lane.refused(new PacecarError('TARGET_UNREACHABLE', 'refused'));
      }
    });
  }

  pump(nowNs: number): void {
    if (!this.isOpen) return;
    const turn = this.#turn;
    while (this.#lane.take(nowNs)) {
      const { slot } = this.#lane;
      this.#lane.wrote(10);
      const latencyMs = this.#behaviour.latencyMs?.(this.#world.nowMs) ?? null;
      if (latencyMs === null) continue;
      this.#world.after(latencyMs, () => {
        if (turn !== this.#turn) return;
        const now = this.#world.nowNs();
        this.#lane.begin(now);
        this.#lane.succeed(slot, false, 5);
        this.#lane.end();
        this.pump(now);
      });
    }
  }

  /** The target cuts the connection. */
  cut(): void {
    this.close();
    this.#lane.cut(this.#world.nowNs());
  }

  close(): void {
    this.#turn++;
    this.isOpen = false;
  }
}

/** A clock that moves only by `run`, and what is due on it. */
class World {
  #nowNs = 5_000 * MS;
  readonly #due: { atNs: number; order: number; run: () => void }[] = [];
  #order = 0;

  nowNs(): number {
    return this.#nowNs;
  }
  get nowMs(): number {
    return this.#nowNs / MS;
  }
  after(ms: number, run: () => void): void {
    this.#due.push({ atNs: this.#nowNs + Math.round(ms * MS), order: this.#order++, run });
  }
  at(atNs: number, run: () => void): void {
    this.#due.push({ atNs: Math.max(atNs, this.#nowNs), order: this.#order++, run });
  }
  /** Runs everything that is due until `until` says so or nothing is left. */
  run(until: () => boolean): void {
    for (let steps = 0; !until(); steps++) {
      assert.ok(steps < 1_000_000, 'the world never comes to an end');
      this.#due.sort((a, b) => a.atNs - b.atNs || a.order - b.order);
      const next = this.#due.shift();
      assert.ok(next !== undefined, 'nothing is due any more');
      this.#nowNs = next.atNs;
      next.run();
    }
  }
}

interface Result {
  readonly parts: IntervalPart[];
  readonly elapsedMs: number;
  readonly failure: PacecarError | null;
  readonly channels: FakeChannel[];
}

/** Arms and runs a stage on one thread to its end; `script` may do things on the way. */
export function runStage(
  of: Stage,
  behaviour: Behaviour,
  script?: (world: World, channels: FakeChannel[], run: StageRun, startMs: number) => void,
): Result {
  const world = new World();
  const channels: FakeChannel[] = [];
  const parts: IntervalPart[] = [];
  let armed = false;
  let result: { elapsedMs: number; failure: PacecarError | null } | null = null;
  const lanes = portionOf(of, { index: 0, of: 1 }).threads.flat();
  const run = new StageRun({
    stage: of,
    lanes,
    identity: { seed: 1, stage: 0, worker: 0 },
    intervalNs: 100 * MS,
    clock: world,
    channels: new Map(
      of.workloads.map((_, index) => [
        index,
        (lane: Lane) => {
          const channel = new FakeChannel(world, lane, behaviour);
          channels.push(channel);
          return channel;
        },
      ]),
    ),
    insertMemory: new Map(new InsertExchange(of, lanes).memory),
    report: {
      armed: () => {
        armed = true;
      },
      part: (part) => parts.push(part),
      finished: (elapsedNs, failure) => {
        result = { elapsedMs: elapsedNs / MS, failure };
      },
      failed: (failure) => {
        result = { elapsedMs: 0, failure };
      },
      sooner: (atNs) => wake(atNs),
    },
  });
  let wakesAtNs = Number.POSITIVE_INFINITY;
  const wake = (atNs: number): void => {
    if (atNs >= wakesAtNs) return;
    wakesAtNs = atNs;
    world.at(atNs, () => {
      if (wakesAtNs !== atNs) return;
      wakesAtNs = Number.POSITIVE_INFINITY;
      run.startDue();
      wake(run.nextStartNs);
    });
  };
  const tick = () => {
    const inNs = run.tick();
    if (inNs !== null) world.after(Math.max(inNs / MS, 0.001), tick);
  };
  run.arm();
  tick();
  world.run(() => armed || result !== null);
  if (result === null) {
    const startNs = world.nowNs();
    run.begin(startNs);
    script?.(world, channels, run, startNs / MS);
    world.run(() => result !== null);
  }
  const { elapsedMs, failure } = result as unknown as { elapsedMs: number; failure: PacecarError | null };
  return { parts, elapsedMs, failure, channels };
}
