/**
 * `node build/bench/hazelcast.js --port 5701`: the driver hazelcast on one engine thread against a bare loop over the same
 * library, on a member that runs already (cluster name dev). Both do the same gets on the same keys, in processes of their
 * own, one after the other in each round; what is compared are ratios within a round.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import hazelcast, { type ClientConfig } from 'hazelcast-client';
import type { Job, JobDone } from './generator.js';
import { median } from './ratio-table.js';

const { values: flags } = parseArgs({
  options: {
    port: { type: 'string', default: '5701' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    bare: { type: 'string' },
  },
});
const PORT = Number(flags.port);
const SECONDS = Number(flags.seconds);
const KEYS = 1_000;
const VALUE_BYTES = 100;

interface Case {
  readonly name: string;
  readonly nearCache: boolean;
  /** Connections of the plan, and promises on each; the bare loop is so many loops on one client. */
  readonly connections: number;
  readonly depth: number;
  readonly shareClient: boolean;
}

const CASES: readonly Case[] = [
  { name: 'get, 1 x depth 1', nearCache: false, connections: 1, depth: 1, shareClient: true },
  { name: 'get, 1 x depth 16', nearCache: false, connections: 1, depth: 16, shareClient: true },
  { name: 'get, 16 x depth 1', nearCache: false, connections: 16, depth: 1, shareClient: true },
  { name: 'the same, 16 clients', nearCache: false, connections: 16, depth: 1, shareClient: false },
  { name: 'near-cache hits, depth 1', nearCache: true, connections: 1, depth: 1, shareClient: true },
  { name: 'near-cache hits, depth 16', nearCache: true, connections: 1, depth: 16, shareClient: true },
];

interface Score {
  readonly operationsPerSec: number;
  readonly cpuUsPerOperation: number;
}

/** The library alone, as an application has it. */
async function bareLoop(what: Case): Promise<Score> {
  const config: ClientConfig = {
    network: { clusterMembers: [`127.0.0.1:${PORT}`] },
    properties: { 'hazelcast.logging.level': 'OFF' },
    nearCaches: what.nearCache ? { pacecar: {} } : {},
  };
  const client = await hazelcast.Client.newHazelcastClient(config);
  const map = await client.getMap<string, string>('pacecar');
  const loop = async (endMs: number): Promise<number> => {
    let count = 0;
    for (; (count & 63) !== 0 || performance.now() < endMs; count++) {
      const key = `key:${Math.floor(Math.random() * KEYS)}`;
      if ((await map.get(key)) === null) throw new Error(`nothing under ${key}`);
      // As the engine does: others must have their turn.
      if ((count & 1_023) === 1_023) await new Promise((resolve) => setImmediate(resolve));
    }
    return count;
  };
  const loops = async (forMs: number): Promise<number> => {
    const endMs = performance.now() + forMs;
    const counts = Array.from({ length: what.connections * what.depth }, async () => loop(endMs));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  };
  await loops(1_000);
  const startMs = performance.now();
  const cpu = process.cpuUsage();
  const count = await loops(SECONDS * 1_000);
  const { user, system } = process.cpuUsage(cpu);
  const elapsedMs = performance.now() - startMs;
  await client.shutdown();
  return { operationsPerSec: (count / elapsedMs) * 1e3, cpuUsPerOperation: (user + system) / count };
}

async function bareProcess(what: Case): Promise<Score> {
  const child = fork(fileURLToPath(import.meta.url), [
    ...['--bare', what.name, '--port', String(PORT), '--seconds', String(SECONDS)],
  ]);
  return asked<Score>(child, null);
}

async function asked<Answer>(child: ChildProcess, question: Job | null): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`a process ended with code ${code}`));
    child.once('exit', ended);
    child.once('message', (answer) => {
      child.removeListener('exit', ended);
      resolve(answer as Answer);
    });
    if (question !== null) child.send(question);
  });
}

function jobOf(what: Case, end: Job['end'], operation: Job['operation']): Job {
  const { connections, depth, nearCache, shareClient } = what;
  return {
    ...{
      driver: 'hazelcast',
      settings: { nearCache, shareClient },
      port: PORT,
      operation,
      depth,
      connections,
    },
    ...{ valueBytes: VALUE_BYTES, keys: KEYS, width: 0, end },
  };
}

async function engine(generator: ChildProcess, what: Case): Promise<Score> {
  const run = async (end: Job['end'], operation: Job['operation']) =>
    asked<JobDone>(generator, jobOf(what, end, operation));
  await run({ kind: 'duration', durationMs: 1_000 }, 'get');
  const { ok, operations, misses, elapsedNs, cpuUs } = await run(
    { kind: 'duration', durationMs: SECONDS * 1_000 },
    'get',
  );
  if (ok !== operations || misses > 0) throw new Error(`${operations} gets, ${ok} ok, ${misses} misses`);
  return { operationsPerSec: ok / (elapsedNs / 1e9), cpuUsPerOperation: cpuUs / ok };
}

async function main(): Promise<void> {
  const only = CASES.find(({ name }) => name === flags.bare);
  if (only !== undefined) {
    process.send?.(await bareLoop(only));
    process.disconnect();
    return;
  }
  const generator = fork(fileURLToPath(new URL('./generator.js', import.meta.url)));
  const [first] = CASES as [Case, ...Case[]];
  await asked(generator, jobOf(first, { kind: 'keys' }, 'put'));
  const scores = CASES.map((what) => ({ what, bare: [] as Score[], own: [] as Score[] }));
  for (let round = 0; round < Number(flags.rounds); round++)
    for (const { what, bare, own } of scores) {
      const turns = [
        async () => bare.push(await bareProcess(what)),
        async () => own.push(await engine(generator, what)),
      ];
      for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
    }
  generator.disconnect();
  for (const { what, bare, own } of scores) {
    const of = (figure: keyof Score, all: readonly Score[]) => median(all.map((score) => score[figure]));
    const ratio = (figure: keyof Score) =>
      median(own.map((score, round) => score[figure] / (bare[round] as Score)[figure]));
    process.stdout.write(
      `${what.name.padEnd(26)} bare ${Math.round(of('operationsPerSec', bare))}/s ${of('cpuUsPerOperation', bare).toFixed(2)} us CPU/op` +
        ` | engine ${Math.round(of('operationsPerSec', own))}/s ${of('cpuUsPerOperation', own).toFixed(2)} us CPU/op` +
        ` | engine/bare ${ratio('operationsPerSec').toFixed(2)} ops/s, ${ratio('cpuUsPerOperation').toFixed(2)} CPU/op\n`,
    );
  }
}

await main();
