/**
 * `node tools/run.mjs bench/scaling [--threads 1,2,4] [--targets null,redis] [--drivers resp] [--depth 16] [--seconds 2]
 * [--rounds 3]`: what 1, 2 and 4 engine threads do together, each on a server of its own, so that no server's one thread
 * is the limit. Generator and servers share the cores of this machine: a number of threads is judged only where both
 * have a core for each. Prints medians over the rounds; in each round every number of threads has its turn.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { createStageEngine, type StageEngine, type StageLoad } from '@pacecar/worker';
import { pino } from 'pino';
import { benchArm } from './bench-arm.js';
import { startRedisProcess } from './redis-process.js';
import { type ServerProcess, startNullTarget } from './server-process.js';

const { values: flags } = parseArgs({
  options: {
    threads: { type: 'string', default: '1,2,4' },
    targets: { type: 'string', default: 'null,redis' },
    drivers: { type: 'string', default: 'resp' },
    depth: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
  },
});
const THREADS = flags.threads.split(',').map(Number);
const MOST_THREADS = Math.max(...THREADS);
const CORES = availableParallelism();
const START: Readonly<Record<string, () => Promise<ServerProcess>>> = {
  null: startNullTarget,
  redis: startRedisProcess,
};

interface Score {
  readonly operationsPerSec: number;
  readonly cpuUsPerOperation: number;
}

const START_LEAD_MS = 50;
const originNs = process.hrtime.bigint();
let stages = 0;

/** One stage on one engine thread for each server, all at once. */
async function together(
  engine: StageEngine,
  driver: string,
  servers: readonly ServerProcess[],
  ms: number,
): Promise<Score> {
  const loads: StageLoad[] = [];
  let cpuBeforeUs = 0;
  const begin = () => {
    cpuBeforeUs = cpuUs();
    const startAtMs = Number(process.hrtime.bigint() - originNs) / 1e6 + START_LEAD_MS;
    for (const load of loads) load.go(startAtMs);
    setTimeout(() => {
      for (const load of loads) load.stop();
    }, START_LEAD_MS + ms);
  };
  let armed = 0;
  const rates = await Promise.all(
    servers.map(
      ({ port }) =>
        new Promise<number>((resolve, reject) => {
          const load = engine.arm(
            benchArm({
              driver,
              port,
              stage: stages++,
              depth: Number(flags.depth),
              // Background stages stand side by side, each on threads of its own, until they are told to stop.
              end: { kind: 'stage', stage: 'none' },
              intervalMs: 60_000,
            }),
            0,
            {
              armed: () => {
                if (++armed === servers.length) begin();
              },
              frame: () => undefined,
              drained: ({ elapsedNs, totals }) =>
                resolve(totals.reduce((sum, { ok }) => sum + ok, 0) / (elapsedNs / 1e9)),
              failed: (code, reason) => reject(new Error(`${code}: ${reason}`)),
            },
          );
          loads.push(load);
        }),
    ),
  );
  const operationsPerSec = rates.reduce((sum, rate) => sum + rate, 0);
  return { operationsPerSec, cpuUsPerOperation: (cpuUs() - cpuBeforeUs) / (operationsPerSec * (ms / 1e3)) };
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

async function measure(engine: StageEngine, driver: string, target: string): Promise<void> {
  const start = START[target];
  if (start === undefined)
    throw new Error(`there is no target ${target}; there are ${Object.keys(START).join(', ')}`);
  const servers: ServerProcess[] = [];
  try {
    for (let server = 0; server < MOST_THREADS; server++) servers.push(await start());
    // Every thread compiles its code, and every server gets its keys.
    await together(engine, driver, servers, 1_000);
    const scores = new Map<number, Score[]>(THREADS.map((threads) => [threads, []]));
    for (let round = 0; round < Number(flags.rounds); round++)
      for (const threads of THREADS)
        scores
          .get(threads)
          ?.push(await together(engine, driver, servers.slice(0, threads), Number(flags.seconds) * 1_000));
    const rateOf = (threads: number) =>
      median((scores.get(threads) ?? []).map(({ operationsPerSec }) => operationsPerSec));
    for (const threads of THREADS) {
      const cpu = median((scores.get(threads) ?? []).map(({ cpuUsPerOperation }) => cpuUsPerOperation));
      const gain = rateOf(threads) / rateOf(THREADS[0] ?? 1);
      const judged = 2 * threads <= CORES ? `x ${gain.toFixed(2)}` : `(x ${gain.toFixed(2)}: too few cores)`;
      process.stdout.write(
        `${driver.padEnd(8)} ${target.padEnd(6)} ${String(threads).padStart(7)} ` +
          `${Math.round(rateOf(threads)).toLocaleString('en').padStart(12)} ` +
          `${Math.round(1e6 / cpu)
            .toLocaleString('en')
            .padStart(12)} ${cpu.toFixed(2).padStart(7)}  ${judged}\n`,
      );
    }
  } finally {
    for (const server of servers) await server.close();
  }
}

process.stdout.write(
  `${CORES} cores for generator and servers together\n` +
    'driver   target threads        ops/s   ops/s/core   us/op  against the first\n',
);
for (const driver of flags.drivers.split(','))
  for (const target of flags.targets.split(',')) {
    const engine = createStageEngine({ originNs, logger: pino({ level: 'silent' }) });
    await measure(engine, driver, target);
    await engine.close();
  }
