import {
  type Configuration,
  type Liveness,
  plainAction,
  plainStage,
  plainWorkload,
  type Plan,
  type Stage,
  type Target,
  type Workload,
} from '@pacecar/protocol';

/** Patient limits: these tests are about the protocol, and share a machine with others. */
const LIVENESS: Liveness = {
  heartbeatMs: 200,
  lostAfterMs: 8_000,
  leaseMs: 10_000,
  joinTimeoutMs: 30_000,
  startLeadMs: 200,
};

const WORKLOAD = plainWorkload({
  connections: { count: 4, scope: 'worker' },
  depth: 2,
  mix: [plainAction('get', 4), plainAction('put', 1)],
  keys: { prefix: 'key:' },
});

export function stage(
  name: string,
  kind: Stage['kind'],
  end: Stage['end'],
  workload: Partial<Workload> = {},
): Stage {
  return plainStage({
    ...{ name, kind, end, workloads: [{ ...WORKLOAD, ...workload }] },
    operationTimeoutMs: 5_000,
    connectTimeoutMs: 5_000,
    armTimeoutMs: 20_000,
    drainMs: 2_000,
  });
}

export function loadStage(): Stage {
  const keys = { ...WORKLOAD.keys, distribution: { kind: 'partitioned' as const } };
  return stage('load', 'load', { kind: 'keys' }, { keys, mix: [plainAction('put', 1)] });
}

export function measureStage(durationMs: number): Stage {
  return stage('measure', 'measure', { kind: 'duration', durationMs });
}

export interface SmallPlan {
  readonly workers: number;
  readonly target: { readonly host: string; readonly port: number };
  readonly stages: readonly Stage[];
  readonly password?: string;
  readonly liveness?: Partial<Liveness>;
  readonly more?: Partial<Plan>;
}

/** One group `clients`, one configuration, one cell. */
export function smallPlan(options: SmallPlan): Plan {
  const target: Target = {
    kind: 'address',
    ...options.target,
    username: null,
    password: options.password ?? null,
    database: 0,
  };
  const configuration: Configuration = { name: 'sut', driver: 'resp', target, settings: {} };
  return {
    pacecar: 1,
    name: 'protocol test',
    seed: 7,
    groups: [{ name: 'clients', size: options.workers }],
    configurations: [configuration],
    cells: [{ index: 0, configuration: 'sut', repetition: 0, coordinates: {}, stages: options.stages }],
    order: 'interleaved',
    onWorkerLoss: 'fail',
    errorBudget: 0,
    missBudget: 1,
    startSkewLimitMs: 250,
    objectives: [],
    intervalMs: 250,
    liveness: { ...LIVENESS, ...options.liveness },
    ...options.more,
  };
}
