/**
 * The process that the comparison measures as Pacecar: control thread, one engine thread, everything recorded. It
 * lives through all rounds, as a worker lives through its stages. Jobs come and go by IPC.
 */
import {
  type Action,
  type Arm,
  CLOSED_MODEL,
  decodeFrame,
  Distribution,
  plainAction,
  RECONNECT,
  type Stage,
} from '@pacecar/protocol';
import { createStageEngine } from '@pacecar/worker';
import { pino } from 'pino';

/** What the parent asks for. */
export interface Job {
  readonly driver: string;
  /** Of the driver; its defaults where there are none. */
  readonly settings?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly port: number;
  /** One write and then four reads, over and over: `mix`. */
  readonly operation: 'get' | 'put' | 'mix';
  readonly depth: number;
  readonly connections: number;
  readonly valueBytes: number;
  readonly keys: number;
  /** Digits of a key, padded with zeros; 0: as they are. */
  readonly width: number;
  readonly end: Stage['end'];
}

export interface JobDone {
  readonly operations: number;
  readonly ok: number;
  /** Of reads. */
  readonly hits: number;
  readonly misses: number;
  /** How many service times were recorded, and what they say. */
  readonly serviceTimes: number;
  readonly serviceP50Ns: number;
  readonly serviceP99Ns: number;
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
    const service = new Distribution();
    let cpuUs = 0;
    let hits = 0;
    const load = engine.arm(armOf(job), 0, {
      armed: () => load.go(Number(process.hrtime.bigint() - originNs) / 1e6 + 50),
      frame: (_sequence, bytes) => {
        const frame = decodeFrame(bytes);
        cpuUs += frame.cpuUserUs + frame.cpuSystemUs;
        for (const row of frame.rows) {
          service.addEncoded(row.service);
          hits += row.hits;
        }
      },
      drained: ({ elapsedNs, totals }) => {
        const sum = (what: 'sent' | 'ok' | 'misses') => totals.reduce((all, row) => all + row[what], 0);
        resolve({
          operations: sum('sent'),
          ok: sum('ok'),
          hits,
          misses: sum('misses'),
          serviceTimes: service.count,
          serviceP50Ns: service.quantileNs(0.5) ?? 0,
          serviceP99Ns: service.quantileNs(0.99) ?? 0,
          elapsedNs,
          cpuUs,
        });
      },
      failed: (code, reason) => reject(new Error(`${code}: ${reason}`)),
    });
  });
}

function mixOf(operation: Job['operation']): Action[] {
  return operation === 'mix' ? [plainAction('put', 1), plainAction('get', 4)] : [plainAction(operation, 1)];
}

function armOf(job: Job): Arm {
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
      settings: job.settings ?? {},
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
          mix: mixOf(job.operation),
          mixMode: 'ratio',
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
      end: job.end,
      operationTimeoutMs: 10_000,
      connectTimeoutMs: 5_000,
      armTimeoutMs: 10_000,
      drainMs: 5_000,
      limitMs: 120_000,
      stopWhen: null,
      search: null,
    },
    share: { index: 0, of: 1 },
    seed: 1,
    intervalMs: 1_000,
  };
}
