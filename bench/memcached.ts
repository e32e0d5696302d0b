/**
 * `node build/bench/memcached.js`: the memcached wire driver on one engine thread, in both of its protocols, against
 * memtier_benchmark, and the client driver beside it, on one freshly started memcached. Every round goes through all
 * cases; in each all contenders run one after the other, in another order each round, and what is compared are the
 * ratios of runs that stood side by side.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CContender, type CTool, isInstalled } from './c-tool.js';
import type { Job, JobDone } from './generator.js';
import { type MemcachedProcess, startMemcachedProcess } from './memcached-process.js';
import { median } from './ratio-table.js';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    depths: { type: 'string', default: '1,16' },
    sizes: { type: 'string', default: '32' },
    connections: { type: 'string', default: '50' },
    keys: { type: 'string', default: '100000' },
    'server-threads': { type: 'string', default: '1' },
  },
});
const list = (text: string) => text.split(',').map(Number);
const ROUNDS = Number(flags.rounds);
const SECONDS = Number(flags.seconds);
/** A count of the server may differ from that of a C tool by what it sends beyond what it was asked for. */
const COUNT_TOLERANCE = 0.02;
const PROBE_OPERATIONS = 20_000;
const MOST_ATTEMPTS = 3;

interface Case {
  readonly operation: 'get' | 'set';
  readonly depth: number;
  readonly connections: number;
  readonly valueBytes: number;
  readonly keys: number;
}

interface Score {
  readonly operationsPerSec: number;
  readonly cpuUsPerOperation: number;
}

interface Contender {
  readonly name: string;
  run(what: Case, operations: number, server: MemcachedProcess): Promise<Score>;
  close(): Promise<void>;
}

const RATIOS = { get: '0:1', set: '1:0' } as const;
const MEMTIER: CTool = {
  program: 'memtier_benchmark',
  hasMix: true,
  stepSec: 1,
  words: (what, operations, port) => [
    ...['-P', 'memcache_text', '-s', '127.0.0.1', '-p', String(port), '-t', '1'],
    ...['-c', String(what.connections), '--pipeline', String(what.depth), '-d', String(what.valueBytes)],
    ...['--ratio', what.operation === '80:20' ? '1:4' : RATIOS[what.operation], '--key-prefix', 'key:'],
    ...['--key-minimum', '1', '--key-maximum', String(what.keys - 1), '--key-pattern', 'R:R'],
    ...['--distinct-client-seed', '-n', String(Math.ceil(operations / what.connections))],
    '--hide-histogram',
  ],
  rounded: (what, operations) => Math.ceil(operations / what.connections) * what.connections,
  operationsPerSec: (output) => Number(/^Totals\s+([\d.]+)/m.exec(output)?.[1]),
};

class Tool implements Contender {
  readonly name = 'memtier_benchmark text';
  readonly #tool: CContender;

  constructor(port: number) {
    this.#tool = new CContender(MEMTIER, port);
  }

  async run(what: Case, operations: number, server: MemcachedProcess): Promise<Score> {
    await this.#tool.probe(what);
    let score = null;
    for (let attempt = 0; score === null; attempt++) {
      if (attempt === MOST_ATTEMPTS) throw new Error(`${this.name} never said how it did`);
      await server.newCounts();
      score = await this.#tool.run(what, operations);
    }
    const { get, set } = await server.newCounts();
    const counted = get + set;
    if (Math.abs(counted - score.operations) > score.operations * COUNT_TOLERANCE)
      throw new Error(`${this.name} says ${score.operations} operations, the server ${counted}`);
    return { operationsPerSec: score.operationsPerSec, cpuUsPerOperation: score.cpuUs / counted };
  }

  close(): Promise<void> {
    return this.#tool.close();
  }
}

/** A driver on one engine thread, in a process of its own that lives through all rounds. */
class Pacecar implements Contender {
  readonly name: string;
  readonly #driver: string;
  readonly #settings: Job['settings'];
  readonly #generator: ChildProcess;

  constructor(driver: string, settings: NonNullable<Job['settings']>) {
    this.name = ['pacecar', driver, ...Object.values(settings)].join(' ');
    this.#driver = driver;
    this.#settings = settings;
    this.#generator = fork(fileURLToPath(new URL('./generator.js', import.meta.url)));
  }

  async run(what: Case, operations: number, server: MemcachedProcess): Promise<Score> {
    await server.newCounts();
    const count = { count: operations, scope: 'total' } as const;
    const done = await this.do(what, { kind: 'operations', operations: count }, server.port);
    const { get, set, misses } = await server.newCounts();
    if (done.ok !== operations || done.serviceTimes !== operations || get + set !== operations || misses > 0)
      throw new Error(
        `${this.name}: ${done.ok} succeeded, ${done.serviceTimes} service times, the server counted ${get} gets, ` +
          `${misses} of them misses, and ${set} sets; ${operations} were asked for`,
      );
    return {
      operationsPerSec: operations / (done.elapsedNs / 1e9),
      cpuUsPerOperation: done.cpuUs / operations,
    };
  }

  do(what: Case, end: Job['end'], port: number): Promise<JobDone> {
    const { operation, ...rest } = what;
    const job: Job = {
      ...{ ...rest, driver: this.#driver, settings: this.#settings, port, end, width: 0 },
      operation: operation === 'get' ? 'get' : 'put',
    };
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error('the generator ended in the middle of a job'));
      this.#generator.once('exit', fail);
      this.#generator.once('message', (done) => {
        this.#generator.removeListener('exit', fail);
        resolve(done as JobDone);
      });
      this.#generator.send(job);
    });
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#generator.once('exit', resolve));
    this.#generator.disconnect();
    await ended;
  }
}

/** Runs all rounds of all cases and returns what each contender reached, round by round. */
async function compare(
  cases: readonly Case[],
  contenders: readonly Contender[],
  { wire, text, server }: { wire: Pacecar; text: Pacecar; server: MemcachedProcess },
): Promise<Map<Case, Map<Contender, Score[]>>> {
  const scores = new Map(
    cases.map((what) => [what, new Map(contenders.map((each) => [each, [] as Score[]]))]),
  );
  const sizes = new Map<string, number>();
  /** How many operations take so many seconds. A tool says too little of a short run: it does as many as the text driver. */
  const sizeOf = async (contender: Contender, what: Case) => {
    const sized = contender instanceof Pacecar ? contender : text;
    const name = JSON.stringify([sized.name, what]);
    const fewest = what.connections * what.depth;
    const known = sizes.get(name);
    if (known !== undefined) return known;
    const probe = await sized.run(what, Math.max(PROBE_OPERATIONS, fewest), server);
    const size = Math.max(fewest, Math.round(probe.operationsPerSec * SECONDS));
    sizes.set(name, size);
    return size;
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const what of cases) {
      await wire.do({ ...what, operation: 'set' }, { kind: 'keys' }, server.port);
      for (let turn = 0; turn < contenders.length; turn++) {
        const contender = contenders[(round + turn) % contenders.length] as Contender;
        const operations = await sizeOf(contender, what);
        scores
          .get(what)
          ?.get(contender)
          ?.push(await contender.run(what, operations, server));
      }
    }
    process.stderr.write(`round ${round + 1} of ${ROUNDS}\n`);
  }
  return scores;
}

function print(scores: Map<Case, Map<Contender, Score[]>>, wire: Contender): void {
  for (const [what, byContender] of scores) {
    const { operation, valueBytes, connections, depth } = what;
    process.stdout.write(`\n${operation} ${valueBytes} B, ${connections} connections, depth ${depth}\n`);
    const own = byContender.get(wire) ?? [];
    for (const [contender, theirs] of byContender) {
      const middle = (figure: keyof Score) => median(theirs.map((score) => score[figure]));
      const ratio = (figure: keyof Score) =>
        median(theirs.map((score, round) => (own[round] as Score)[figure] / score[figure])).toFixed(2);
      const compared =
        contender === wire
          ? ''
          : `   the first: ${ratio('operationsPerSec')} x ops/s, ${ratio('cpuUsPerOperation')} x CPU/op`;
      process.stdout.write(
        `  ${contender.name.padEnd(23)}${Math.round(middle('operationsPerSec')).toLocaleString('en').padStart(11)} ops/s ` +
          `${middle('cpuUsPerOperation').toFixed(2).padStart(7)} us CPU/op${compared}\n`,
      );
    }
  }
}

const server = await startMemcachedProcess(Number(flags['server-threads']));
const wire = new Pacecar('memcached', { protocol: 'meta' });
const text = new Pacecar('memcached', { protocol: 'text' });
const contenders: readonly Contender[] = [
  wire,
  text,
  ...(isInstalled(MEMTIER) ? [new Tool(server.port)] : []),
  new Pacecar('memjs', {}),
];
try {
  const missing = isInstalled(MEMTIER) ? '' : '; not on the PATH: memtier_benchmark';
  process.stderr.write(
    `${ROUNDS} rounds, runs of about ${SECONDS} s, ${availableParallelism()} cores${missing}\n`,
  );
  const cases = list(flags.sizes).flatMap((valueBytes) =>
    list(flags.connections).flatMap((connections) =>
      list(flags.depths).flatMap((depth) =>
        (['get', 'set'] as const).map((operation) => ({
          ...{ operation, depth, connections, valueBytes, keys: Number(flags.keys) },
        })),
      ),
    ),
  );
  print(await compare(cases, contenders, { wire, text, server }), wire);
} finally {
  for (const contender of contenders) await contender.close();
  await server.close();
}
