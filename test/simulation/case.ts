import {
  isBackground,
  plainAction,
  plainStage,
  plainWorkload,
  type Plan,
  type Stage,
} from '@pacecar/protocol';
import type { RecordProfile } from './coordinator-node.js';
import type { EngineFault } from './fake-engine.js';
import { drawFaults, type Fault } from './fault.js';
import type { NetworkProfile } from './network.js';
import type { ClockFault } from './process.js';
import { Random } from './random.js';

/**
 * calm      nothing happens: the run must be VALID
 * harmless  cuts, stalls and pauses that are over before anybody is lost, slow disks, strangers: the same, but for a
 *           start that a cut made late
 * rough     anything at any moment
 */
export type Weather = 'calm' | 'harmless' | 'rough';

export interface WorkerCase {
  readonly name: string;
  readonly group: string;
  readonly clock: ClockFault;
  readonly startsAtMs: number;
  readonly armMs: number;
  readonly engineFault: EngineFault | null;
}

/** Everything that a seed decides. */
export interface SimulationCase {
  readonly seed: number;
  readonly weather: Weather;
  readonly plan: Plan;
  readonly token: string | null;
  readonly afterRun: 'exit' | 'wait';
  readonly coordinatorClock: ClockFault;
  readonly workers: readonly WorkerCase[];
  readonly network: NetworkProfile;
  readonly record: RecordProfile;
  readonly faults: readonly Fault[];
  /** Feeds everything that is decided on the way. */
  readonly random: Random;
}

export function drawCase(seed: number): SimulationCase {
  const random = new Random(seed);
  const weather: Weather = random.pick(['calm', 'harmless', 'harmless', 'rough', 'rough', 'rough'] as const);
  const plan = drawPlan(random.fork());
  const network = {
    baseMs: random.between(0.05, 20),
    jitterMs: random.between(0, 20),
    spikeMs: random.chance(0.5) ? random.between(0, 60) : 0,
  };
  const rough = weather === 'rough';
  const workers = plan.groups.flatMap(({ name: group, size }) =>
    Array.from({ length: size }, (_, position) => ({
      name: `${group}-${position}`,
      group,
      clock: drawClock(random),
      startsAtMs: random.between(0, 800),
      // One in a while is slow to prepare.
      armMs: random.chance(0.15) ? 3_000 : 200,
      engineFault: rough && random.chance(0.08) ? drawEngineFault(random) : null,
    })),
  );
  const flushMs = random.chance(0.2) ? 800 : 20;
  const failsAtFrame = rough && random.chance(0.05) ? random.integer(0, 40) : null;
  return {
    seed,
    weather,
    plan,
    token: random.chance(0.5) ? 'correct horse' : null,
    afterRun: random.pick(['exit', 'wait'] as const),
    coordinatorClock: drawClock(random),
    workers,
    network,
    record: { flushMs, failsAtFrame },
    faults: drawFaults(
      random.fork(),
      weather,
      plan,
      workers.map(({ name }) => name),
    ),
    random,
  };
}

/** Origins far apart, 200 ppm of drift, and now and then a wall clock that is four minutes off. */
function drawClock(random: Random): ClockFault {
  return {
    originMs: random.between(0, 1e9),
    drift: random.between(-0.0002, 0.0002),
    wallErrorMs: random.chance(0.3) ? random.pick([-240_000, 240_000]) : random.between(-50, 50),
  };
}

function drawEngineFault(random: Random): EngineFault {
  const kinds = ['fails-to-arm', 'arms-too-late', 'fails-in-load', 'never-drains', 'lies'] as const;
  return { kind: random.pick(kinds), nth: random.integer(0, 2) };
}

function drawPlan(random: Random): Plan {
  const groups = random.chance(0.7)
    ? [{ name: 'clients', size: random.integer(1, 4) }]
    : [
        { name: 'left', size: random.integer(1, 2) },
        { name: 'right', size: random.integer(1, 2) },
      ];
  const names = groups.map(({ name }) => name);
  const stages = Array.from({ length: random.integer(0, 2) }, (_, position) =>
    drawStage(
      random,
      `stage-${position}`,
      random.pick(['load', 'warm-up', 'verify'] as const),
      random.pick(names),
    ),
  );
  stages.push(drawStage(random, 'measure', 'measure', names[0] as string));
  if (random.chance(0.4)) addBackground(random, stages, names);
  const repetitions = random.integer(1, 2);
  const heartbeatMs = random.integer(100, 300);
  const lostAfterMs = random.integer(2_500, 4_000);
  return {
    pacecar: 1,
    name: 'simulated',
    seed: 1,
    groups,
    configurations: [
      {
        name: 'target',
        driver: 'resp',
        target: {
          kind: 'address',
          host: '127.0.0.1',
          port: 6379,
          username: null,
          password: null,
          database: 0,
        },
        settings: {},
      },
    ],
    cells: Array.from({ length: repetitions }, (_, index) => ({
      index,
      configuration: 'target',
      repetition: index,
      coordinates: {},
      stages,
    })),
    order: 'interleaved',
    onWorkerLoss: random.chance(0.6) ? 'fail' : 'continue',
    errorBudget: 0.1,
    missBudget: 1,
    startSkewLimitMs: 100,
    objectives: [],
    intervalMs: random.integer(100, 500),
    liveness: {
      heartbeatMs,
      lostAfterMs,
      leaseMs: lostAfterMs + random.integer(500, 4_000),
      joinTimeoutMs: 15_000,
      startLeadMs: random.integer(300, 600),
    },
  };
}

/** One or two stages that run beside those after them, each until one of these has closed. */
function addBackground(random: Random, stages: Stage[], groups: readonly string[]): void {
  for (let number = random.integer(1, 2); number > 0; number--) {
    const before = random.integer(0, stages.length - 1);
    const later = stages.slice(before).filter((stage) => !isBackground(stage));
    const end = { kind: 'stage', stage: random.pick(later).name } as const;
    const background = drawStage(random, `background-${number}`, 'measure', random.pick(groups));
    stages.splice(before, 0, { ...background, end });
  }
}

function drawStage(random: Random, name: string, kind: Stage['kind'], group: string): Stage {
  const end: Stage['end'] = random.pick([
    { kind: 'duration', durationMs: random.integer(300, 2_000) },
    { kind: 'duration', durationMs: random.integer(300, 2_000) },
    { kind: 'duration', durationMs: random.integer(3_000, 6_000) },
    { kind: 'operations', operations: { count: random.integer(1, 2_000), scope: 'total' } },
    { kind: 'operations', operations: { count: random.integer(1, 1_000), scope: 'worker' } },
    { kind: 'keys' },
  ] as const);
  const inserts = kind !== 'load' && end.kind !== 'keys' && random.chance(0.3);
  const workload = plainWorkload({
    connections: { count: 4, scope: 'worker' },
    mix:
      kind === 'load'
        ? [plainAction('put', 1)]
        : [plainAction('get', 4), plainAction(inserts ? 'insert' : 'put', 1)],
    keys: {
      prefix: 'key:',
      distribution: inserts ? { kind: 'latest', exponent: 0.99 } : { kind: 'uniform' },
    },
  });
  return plainStage({
    ...{ name, kind, group, workloads: [workload], end },
    armTimeoutMs: 8_000,
    drainMs: random.integer(0, 300),
    limitMs: 20_000,
  });
}
