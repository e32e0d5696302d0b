/**
 * `node tools/run.mjs bench/start-skew [workers] [barriers]`: how far apart the workers of one stage begin. Runs a plan of
 * many short stages over loopback, coordinator and workers in processes of their own, and prints the spread of the
 * workers' first operations per barrier, with the error bound of the clocks. Aim: a median of 2 ms or less.
 */
import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCoordinator } from '@pacecar/coordinator';
import {
  BUNDLE_FILES,
  CLOSED_MODEL,
  decodeFrame,
  EventSchema,
  type Plan,
  plainAction,
  RECONNECT,
  readFrameLog,
  type Stage,
} from '@pacecar/protocol';
import { runWorker, startTarget } from '@pacecar/worker';
import { pino } from 'pino';

const ME = fileURLToPath(import.meta.url);
const STAGE_MS = 100;
const logger = pino({ level: 'warn' }, pino.destination(2));

if (process.argv[2] === 'worker') {
  const ending = new AbortController();
  process.once('disconnect', () => ending.abort('SIGTERM'));
  const join = process.argv[3] as string;
  const end = await runWorker({
    join,
    token: null,
    name: null,
    group: null,
    index: null,
    afterRun: 'exit',
    caFile: null,
    logger,
    signal: ending.signal,
  });
  process.exitCode = end.exitCode;
  if (process.connected) process.disconnect();
} else if (process.argv[2] === 'target') {
  const target = await startTarget({ host: '127.0.0.1', port: 0 });
  process.once('disconnect', () => void target.close());
  process.send?.(target.port);
} else {
  await measure(Number(process.argv[2] ?? 10), Number(process.argv[3] ?? 50));
}

async function measure(workers: number, barriers: number): Promise<void> {
  const parent = await mkdtemp(join(tmpdir(), 'pacecar-start-skew-'));
  const directory = join(parent, 'bundle');
  const target = fork(ME, ['target']);
  try {
    const port = await new Promise<number>((resolve) =>
      target.once('message', (value) => resolve(Number(value))),
    );
    const coordinator = await startCoordinator({
      plan: plan(workers, barriers, port),
      scenarioText: '',
      bundleDirectory: directory,
      commandLine: [],
      listen: { host: '127.0.0.1', port: 0 },
      token: null,
      tls: null,
      logger,
    });
    for (let i = 0; i < workers; i++) fork(ME, ['worker', coordinator.url]);
    const end = await coordinator.finished;
    if (end.outcome !== 'complete') throw new Error(`the run was not complete: ${end.reason}`);
    await print(directory, workers, barriers);
  } finally {
    target.disconnect();
    await rm(parent, { recursive: true, force: true });
  }
}

async function print(directory: string, workers: number, barriers: number): Promise<void> {
  /** First operations of each stage, ms after the common start. */
  const firstMs = Array.from({ length: barriers }, (): number[] => []);
  for (let worker = 0; worker < workers; worker++)
    readFrameLog(await readFile(join(directory, BUNDLE_FILES.frames(worker))), (bytes) => {
      const { stage, firstOperationNs } = decodeFrame(bytes);
      if (firstOperationNs !== null) firstMs[stage]?.push(firstOperationNs / 1e6);
    });
  const spreadsMs = firstMs.map((times) => Math.max(...times) - Math.min(...times));
  const boundsMs: number[] = [];
  for (const line of (await readFile(join(directory, BUNDLE_FILES.events), 'utf8'))
    .split('\n')
    .slice(0, -1)) {
    const event = EventSchema.parse(JSON.parse(line));
    if (event.type === 'stage-go')
      boundsMs.push(Math.max(...event.workers.map(({ clockErrorMs }) => clockErrorMs)));
  }
  say(`start spread of ${workers} workers over ${barriers} barriers, first to last first operation:`);
  say(`  median ${show(spreadsMs, 0.5)}   p99 ${show(spreadsMs, 0.99)}   max ${show(spreadsMs, 1)}`);
  say('error bound of the worst clock at each start:');
  say(`  median ${show(boundsMs, 0.5)}   p99 ${show(boundsMs, 0.99)}   max ${show(boundsMs, 1)}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The smallest value that at least `ratio` of all are at or below. */
function show(values: readonly number[], ratio: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(ratio * sorted.length) - 1)] ?? Number.NaN;
  return `${value.toFixed(3)} ms`;
}

function plan(workers: number, barriers: number, port: number): Plan {
  const stages = Array.from(
    { length: barriers },
    (_, index): Stage => ({
      name: `stage ${index}`,
      kind: 'measure',
      group: 'clients',
      workloads: [
        {
          name: 'main',
          threads: { count: 1, scope: 'worker' },
          connections: { count: 1, scope: 'worker' },
          depth: 1,
          mix: [plainAction('get', 1)],
          mixMode: 'random',
          keys: {
            minimum: 0,
            maximum: 999,
            prefix: 'key:',
            suffix: '',
            order: 'numeric',
            width: 0,
            distribution: { kind: 'uniform' },
          },
          values: { size: { kind: 'fixed', bytes: 10 }, content: { kind: 'printable' } },
          records: null,
          checkValues: false,
          model: CLOSED_MODEL,
          reconnect: RECONNECT,
        },
      ],
      end: { kind: 'duration', durationMs: STAGE_MS },
      operationTimeoutMs: 5_000,
      connectTimeoutMs: 5_000,
      armTimeoutMs: 20_000,
      drainMs: 1_000,
      limitMs: 20_000,
      stopWhen: null,
      search: null,
    }),
  );
  return {
    pacecar: 1,
    name: 'start skew',
    seed: 1,
    groups: [{ name: 'clients', size: workers }],
    configurations: [
      {
        name: 'builtin',
        driver: 'resp',
        target: { kind: 'address', host: '127.0.0.1', port, username: null, password: null, database: 0 },
        settings: {},
      },
    ],
    cells: [{ index: 0, configuration: 'builtin', repetition: 0, coordinates: {}, stages }],
    order: 'interleaved',
    onWorkerLoss: 'fail',
    errorBudget: 0,
    missBudget: 1,
    startSkewLimitMs: 250,
    objectives: [],
    intervalMs: 1_000,
    liveness: {
      heartbeatMs: 500,
      lostAfterMs: 10_000,
      leaseMs: 10_000,
      joinTimeoutMs: 60_000,
      startLeadMs: 100,
    },
  };
}
