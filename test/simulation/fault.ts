import type { Plan } from '@pacecar/protocol';
import type { Weather } from './case.js';
import type { Random } from './random.js';

export const COORDINATOR = 'coordinator';

/** By time, or soon after the n-th report of the worker's engine, when something of it is under way. */
export type Moment = { readonly atMs: number } | { readonly report: number; readonly plusMs: number };

/** By time, or in the middle of the n-th step of a process. */
export type Death = { readonly atMs: number } | { readonly step: number; readonly effects: number };

export type Fault =
  /** null: that end never learns of it. */
  | {
      readonly kind: 'cut';
      readonly process: string;
      readonly when: Moment;
      /** Before the cut nothing of the worker arrives for so long, while it still hears the coordinator. */
      readonly muteMs: number;
      readonly downMs: number;
      readonly workerLearnsMs: number | null;
      readonly coordinatorLearnsMs: number | null;
    }
  | { readonly kind: 'stall'; readonly process: string; readonly atMs: number; readonly forMs: number }
  | { readonly kind: 'pause'; readonly process: string; readonly atMs: number; readonly forMs: number }
  | {
      readonly kind: 'kill';
      readonly process: string;
      readonly when: Death;
      readonly restartAfterMs: number | null;
    }
  | {
      readonly kind: 'interrupt';
      readonly process: string;
      readonly atMs: number;
      readonly signal: 'SIGINT' | 'SIGTERM';
    }
  | { readonly kind: 'stranger'; readonly atMs: number; readonly what: StrangerKind };

export const STRANGERS = [
  'garbage',
  'wrong-token',
  'wrong-version',
  'old-epoch',
  'old-frame',
  'unknown-group',
  'silent',
] as const;
export type StrangerKind = (typeof STRANGERS)[number];

/** What a worker may be away without being lost, with every delay of the simulation against it. */
function harmlessMs(plan: Plan): number {
  const { heartbeatMs, lostAfterMs, leaseMs } = plan.liveness;
  // Two heartbeats, the longest back-off, a failed dial, and six messages of 100 ms each.
  return Math.min(lostAfterMs - 2 * heartbeatMs - 500 - 300 - 600, leaseMs / 3);
}

/** How long the run is likely to take. */
function likelyMs(plan: Plan): number {
  let sum = 1_500;
  for (const cell of plan.cells)
    for (const { end, drainMs } of cell.stages)
      sum += plan.liveness.startLeadMs + drainMs + 400 + (end.kind === 'duration' ? end.durationMs : 1_500);
  return sum;
}

export function drawFaults(
  random: Random,
  weather: Weather,
  plan: Plan,
  workers: readonly string[],
): readonly Fault[] {
  if (weather === 'calm') return [];
  const latestMs = likelyMs(plan) * 1.1;
  const faults: Fault[] = [];
  const strangers = random.chance(0.3) ? random.integer(1, 3) : 0;
  for (let count = 0; count < strangers; count++)
    faults.push({ kind: 'stranger', atMs: random.between(0, latestMs), what: random.pick(STRANGERS) });
  if (weather === 'rough') {
    for (let count = random.integer(1, 3); count > 0; count--)
      faults.push(drawRough(random, random.pick([...workers, COORDINATOR]), latestMs));
    return faults;
  }
  const mostMs = harmlessMs(plan);
  // One each, so that two do not add up.
  for (const process of workers)
    if (random.chance(0.6)) faults.push(drawHarmless(random, process, latestMs, mostMs));
  if (random.chance(0.3))
    faults.push({
      kind: 'pause',
      process: COORDINATOR,
      atMs: random.between(0, latestMs),
      // Alone it may last almost as long as the lease, which is longer than a worker may be silent.
      forMs: random.between(
        0,
        faults.length === 0 ? plan.liveness.leaseMs - 1_000 : plan.liveness.leaseMs / 3,
      ),
    });
  return faults;
}

function drawHarmless(random: Random, process: string, latestMs: number, mostMs: number): Fault {
  const atMs = random.between(0, latestMs);
  const kind = random.pick(['cut', 'cut', 'stall', 'pause'] as const);
  if (kind !== 'cut') return { kind, process, atMs, forMs: random.between(0, mostMs) };
  const muteMs = random.chance(0.5) ? random.between(0, mostMs / 2) : 0;
  const forMs = random.between(0, mostMs - muteMs);
  return {
    kind,
    process,
    when: random.chance(0.5) ? { atMs } : drawReport(random),
    muteMs,
    downMs: forMs,
    workerLearnsMs: random.between(0, Math.min(100, forMs)),
    coordinatorLearnsMs: random.chance(0.3) ? null : random.between(0, 200),
  };
}

function drawReport(random: Random): Moment {
  return { report: random.integer(1, 20), plusMs: random.between(0, 60) };
}

function drawRough(random: Random, process: string, latestMs: number): Fault {
  const atMs = random.between(0, latestMs);
  const forMs = random.chance(0.5) ? random.between(0, 2_000) : random.between(0, 15_000);
  const kind = random.pick(['cut', 'stall', 'pause', 'kill', 'kill', 'kill', 'interrupt'] as const);
  switch (kind) {
    case 'cut':
      return {
        kind,
        process,
        when: process === COORDINATOR || random.chance(0.5) ? { atMs } : drawReport(random),
        muteMs: random.chance(0.3) ? random.between(0, 2_000) : 0,
        downMs: forMs,
        workerLearnsMs: random.chance(0.2) ? null : random.between(0, 500),
        coordinatorLearnsMs: random.chance(0.3) ? null : random.between(0, 500),
      };
    case 'stall':
    case 'pause':
      return { kind, process, atMs, forMs };
    case 'kill': {
      const when = random.chance(0.5)
        ? { atMs }
        : { step: random.integer(1, process === COORDINATOR ? 400 : 150), effects: random.integer(0, 4) };
      return { kind, process, when, restartAfterMs: random.chance(0.5) ? random.between(50, 4_000) : null };
    }
    case 'interrupt':
      return { kind, process, atMs, signal: random.pick(['SIGINT', 'SIGTERM'] as const) };
  }
}

export function describeFault(fault: Fault): string {
  const { kind, ...rest } = fault;
  return `${kind} ${JSON.stringify(rest)}`;
}
