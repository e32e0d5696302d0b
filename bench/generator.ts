/**
 * The process that the comparison measures as Pacecar: control thread, one engine thread, everything recorded. It
 * lives through all rounds, as a worker lives through its stages. Jobs come and go by IPC.
 */
import { type Arm, CLOSED_MODEL, decodeFrame, plainAction, RECONNECT, type Stage } from '@pacecar/protocol';
import { createStageEngine } from '@pacecar/worker';
import { pino } from 'pino';

/** What the parent asks for. */
export interface Job {
  readonly driver: string;
  readonly port: number;
  readonly operation: 'get' | 'put';
  readonly depth: number;
  readonly connections: number;
  readonly valueBytes: number;
  readonly keys: number;
  /** Digits of a key, padded with zeros; 0: as they are. */
  readonly width: number;
  /** null: every key once. */
  readonly operations: number | null;
}

export interface JobDone {
  readonly operations: number;
  readonly ok: number;
  readonly elapsedNs: number;
  readonly cpuUs: number;
}

const originNs = process.hrtime.bigint();
const engine = createStageEngine({ originNs, logger: pino({ level: 'warn' }, pino.destination(2)) });
let stages = 0;

process.on('message', (job: Job) => void answer(job));
process.on('disconnect', () => process.exit(0));

async function answer(job: Job): Promise<void> {
  try {
    process.send?.(await run(job));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function run(job: Job): Promise<JobDone> {
  return new Promise((resolve, reject) => {
    let cpuUs = 0;
    engine.arm(armOf(job), 0, {
      armed: () => engine.go(Number(process.hrtime.bigint() - originNs) / 1e6 + 50),
      frame: (_sequence, bytes) => {
        const frame = decodeFrame(bytes);
        cpuUs += frame.cpuUserUs + frame.cpuSystemUs;
      },
      drained: ({ elapsedNs, totals }) => {
        const [total] = totals;
        resolve({ operations: total?.sent ?? 0, ok: total?.ok ?? 0, elapsedNs, cpuUs });
      },
      failed: (code, reason) => reject(new Error(`${code}: ${reason}`)),
    });
  });
}

function armOf(job: Job): Arm {
  const end: Stage['end'] =
    job.operations === null
      ? { kind: 'keys' }
      : { kind: 'operations', operations: { count: job.operations, scope: 'total' } };
  return {
    type: 'arm',
    epoch: 1,
    cell: 0,
    stage: stages++,
    configuration: {
      name: 'bench',
      driver: job.driver,
      target: {
        kind: 'address',
        host: '127.0.0.1',
        port: job.port,
        username: null,
        password: null,
        database: 0,
      },
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
          connections: { count: job.connections, scope: 'worker' },
          depth: job.depth,
          mix: [plainAction(job.operation, 1)],
          mixMode: 'random',
          keys: {
            minimum: 0,
            maximum: job.keys - 1,
            prefix: 'key:',
            suffix: '',
            order: 'numeric',
            width: job.width,
            distribution: { kind: 'uniform' },
          },
          values: { size: { kind: 'fixed', bytes: job.valueBytes }, content: { kind: 'printable' } },
          checkValues: false,
          records: null,
          model: CLOSED_MODEL,
          reconnect: RECONNECT,
        },
      ],
      end,
      operationTimeoutMs: 10_000,
      connectTimeoutMs: 5_000,
      armTimeoutMs: 10_000,
      drainMs: 5_000,
      limitMs: 120_000,
    },
    share: { index: 0, of: 1 },
    seed: 1,
    intervalMs: 1_000,
  };
}
