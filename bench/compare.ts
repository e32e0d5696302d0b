/**
 * `npm run bench`: the RESP wire driver on one engine thread against redis-benchmark and memtier_benchmark, on one
 * freshly started Redis, interleaved: every round runs each contender once, each time in another order.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type BenchCase, caseName, type Contender, type Score } from './bench-case.js';
import { C_TOOLS, CContender, isInstalled } from './c-tool.js';
import { PacecarContender } from './pacecar-contender.js';
import { startRedisProcess } from './redis-process.js';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    depths: { type: 'string', default: '1,16' },
    sizes: { type: 'string', default: '3' },
    connections: { type: 'string', default: '50' },
    operations: { type: 'string', default: 'get,set' },
    keys: { type: 'string', default: '100000' },
    drivers: { type: 'string', default: 'resp' },
    json: { type: 'boolean', default: false },
  },
});

const list = (text: string) => text.split(',').map(Number);
const ROUNDS = Number(flags.rounds);
const SECONDS = Number(flags.seconds);

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

interface Line {
  readonly contender: string;
  readonly operationsPerSec: number;
  readonly cpuUsPerOperation: number;
}

/** Medians of each contender over the rounds. */
async function compare(what: BenchCase, contenders: readonly Contender[]): Promise<Line[]> {
  const [pacecar] = contenders;
  if (pacecar === undefined) return [];
  // Finds out how many operations a round takes, and warms what can be warmed.
  const probe = await pacecar.run(what, 20_000 * what.depth);
  const operations = Math.max(what.connections * what.depth, Math.round(probe.operationsPerSec * SECONDS));
  const scores = new Map<Contender, Score[]>(contenders.map((contender) => [contender, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const contender = contenders[(round + turn) % contenders.length] as Contender;
      scores.get(contender)?.push(await contender.run(what, operations));
    }
  }
  return contenders.map((contender) => {
    const own = scores.get(contender) ?? [];
    return {
      contender: contender.name,
      operationsPerSec: median(own.map((score) => score.operationsPerSec)),
      cpuUsPerOperation: median(own.map((score) => score.cpuUsPerOperation)),
    };
  });
}

function print(what: BenchCase, lines: readonly Line[]): void {
  const [pacecar] = lines;
  if (pacecar === undefined) return;
  process.stdout.write(`\n${caseName(what)}\n`);
  for (const line of lines) {
    const ratios =
      line === pacecar
        ? ''
        : `   pacecar: ${(pacecar.operationsPerSec / line.operationsPerSec).toFixed(2)} x ops/s, ` +
          `${(pacecar.cpuUsPerOperation / line.cpuUsPerOperation).toFixed(2)} x CPU/op`;
    process.stdout.write(
      `  ${line.contender.padEnd(20)} ${Math.round(line.operationsPerSec).toLocaleString('en').padStart(11)} ops/s ` +
        `${line.cpuUsPerOperation.toFixed(2).padStart(7)} us CPU/op${ratios}\n`,
    );
  }
}

const redis = await startRedisProcess();
const drivers = flags.drivers.split(',').map((driver) => new PacecarContender(driver, redis.port));
const tools = C_TOOLS.filter(isInstalled).map((tool) => new CContender(tool, redis.port));
const contenders: readonly Contender[] = [...drivers, ...tools];
const missing = C_TOOLS.filter((tool) => !isInstalled(tool)).map((tool) => tool.program);
process.stderr.write(
  `${ROUNDS} rounds of about ${SECONDS} s each, ${availableParallelism()} cores` +
    `${missing.length > 0 ? `; not on the PATH: ${missing.join(', ')}` : ''}\n`,
);
const results: { readonly what: BenchCase; readonly lines: readonly Line[] }[] = [];
for (const valueBytes of list(flags.sizes))
  for (const connections of list(flags.connections))
    for (const depth of list(flags.depths)) {
      const base: BenchCase = { operation: 'set', depth, connections, valueBytes, keys: Number(flags.keys) };
      await drivers[0]?.load(base);
      for (const operation of flags.operations.split(',') as BenchCase['operation'][]) {
        const what = { ...base, operation };
        const lines = await compare(what, contenders);
        results.push({ what, lines });
        if (!flags.json) print(what, lines);
      }
    }
if (flags.json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
for (const contender of contenders) await contender.close();
await redis.close();
