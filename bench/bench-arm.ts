import { type Arm, CLOSED_MODEL, plainAction, RECONNECT, type Stage, type Workload } from '@pacecar/protocol';

/** What is asked of the engine, where a benchmark has no wishes of its own: 80 % reads on one engine thread. */
export function benchArm(wishes: {
  readonly driver: string;
  readonly port: number;
  readonly stage: number;
  readonly depth: number;
  readonly end: Stage['end'];
  readonly intervalMs: number;
  /** What differs from that workload. */
  readonly workload?: Partial<Workload>;
}): Arm {
  const { driver, port, stage, depth, end, intervalMs, workload } = wishes;
  return {
    type: 'arm',
    epoch: 1,
    cell: 0,
    stage,
    configuration: {
      name: 'bench',
      driver,
      target: { kind: 'address', host: '127.0.0.1', port, username: null, password: null, database: 0 },
      settings: {},
    },
    spec: {
      name: 'bench',
      kind: 'measure',
      group: 'clients',
      workloads: [
        {
          name: 'bench',
          threads: { count: 1, scope: 'worker' },
          connections: { count: 50, scope: 'worker' },
          depth,
          mix: [plainAction('get', 4), plainAction('put', 1)],
          mixMode: 'random',
          keys: {
            minimum: 0,
            maximum: 9_999,
            prefix: 'key:',
            suffix: '',
            order: 'numeric',
            width: 0,
            distribution: { kind: 'uniform' },
          },
          values: { size: { kind: 'fixed', bytes: 100 }, content: { kind: 'printable' } },
          records: null,
          checkValues: false,
          model: CLOSED_MODEL,
          reconnect: RECONNECT,
          ...workload,
        },
      ],
      end,
      operationTimeoutMs: 10_000,
      connectTimeoutMs: 5_000,
      armTimeoutMs: 10_000,
      drainMs: 5_000,
      limitMs: 600_000,
      stopWhen: null,
      search: null,
    },
    share: { index: 0, of: 1 },
    seed: 1,
    intervalMs,
  };
}
