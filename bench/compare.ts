/**
 * `npm run bench`: the RESP wire driver on one engine thread against redis-benchmark and memtier_benchmark, on one
 * freshly started Redis, over a grid of cases. Every round goes through the whole grid; in each case all contenders run
 * one after the other, in another order each round, and what is compared are the ratios of runs that stood side by side.
 */
import { availableParallelism } from 'node:os';
import { type BenchCase, type BenchOperation, type Contender, caseName, type Score } from './bench-case.js';
import { C_TOOLS, CContender, isInstalled } from './c-tool.js';
import { type CompareOptions, readOptions } from './compare-options.js';
import { PacecarContender } from './pacecar-contender.js';
import { type CellRatio, meanRatios, meansText, median } from './ratio-table.js';
import { startRedisProcess } from './redis-process.js';
import { readCounts, resetCounts, type ServerCounts } from './server-counts.js';

/** Its count and the server's may differ by what a C tool sends beyond what it was asked for. */
const COUNT_TOLERANCE = 0.02;
const MOST_ATTEMPTS = 3;

interface Run extends Score {
  readonly contender: string;
  readonly round: number;
  readonly cpuUsPerOperation: number;
}

/** A case and all that was measured in it. */
class Cell {
  readonly what: BenchCase;
  readonly contenders: readonly Contender[];
  readonly runs: Run[] = [];
  /** Operations of a run, by contender. */
  readonly #operations = new Map<Contender, number>();

  constructor(what: BenchCase, contenders: readonly Contender[]) {
    this.what = what;
    this.contenders = contenders.filter((contender) => contender.takes(what));
  }

  async round(round: number, port: number, seconds: number): Promise<void> {
    if (round === 0) await this.#size(seconds);
    const { contenders } = this;
    for (let turn = 0; turn < contenders.length; turn++) {
      const contender = contenders[(round + turn) % contenders.length] as Contender;
      const { score, counts } = await this.#run(contender, port);
      const cpuUsPerOperation = score.cpuUs / (counts.get + counts.set);
      this.runs.push({ contender: contender.name, round, ...score, cpuUsPerOperation });
    }
  }

  async #run(contender: Contender, port: number): Promise<{ score: Score; counts: ServerCounts }> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      await resetCounts(port);
      const score = await contender.run(this.what, this.#operations.get(contender) as number);
      if (score === null) continue;
      const counts = await readCounts(port);
      this.#check(contender, score, counts.get, counts.set);
      return { score, counts };
    }
    throw new Error(`${contender.name} never said how it did in ${caseName(this.what)}`);
  }

  /** Done so far. */
  get rounds(): number {
    return this.runs.length / this.contenders.length;
  }

  /** Ratios of the first contender's runs to those of each other, round by round. */
  ratios(): CellRatio[] {
    const [own, ...others] = this.contenders;
    const by = (contender: Contender | undefined) =>
      this.runs.filter((run) => run.contender === contender?.name);
    const ours = by(own);
    return others.map((other) => {
      const theirs = by(other);
      const ratio = (figure: (run: Run) => number) =>
        median(theirs.map((run, index) => figure(ours[index] as Run) / figure(run)));
      return {
        what: this.what,
        against: other.name,
        operationsPerSec: ratio((run) => run.operationsPerSec),
        cpuPerOperation: ratio((run) => run.cpuUsPerOperation),
      };
    });
  }

  text(): string {
    const ratios = this.ratios();
    const lines = [caseName(this.what)];
    for (const { name } of this.contenders) {
      const runs = this.runs.filter(({ contender }) => contender === name);
      const middle = (figure: (run: Run) => number) => median(runs.map(figure));
      const ratio = ratios.find(({ against }) => against === name);
      const compared =
        ratio === undefined
          ? ''
          : `   pacecar: ${ratio.operationsPerSec.toFixed(2)} x ops/s, ${ratio.cpuPerOperation.toFixed(2)} x CPU/op`;
      lines.push(
        `  ${name.padEnd(18)}` +
          `${Math.round(middle((run) => run.operationsPerSec))
            .toLocaleString('en')
            .padStart(11)} ops/s ` +
          `${middle((run) => run.cpuUsPerOperation)
            .toFixed(2)
            .padStart(7)} us CPU/op${compared}`,
      );
    }
    return `\n${lines.join('\n')}\n`;
  }

  /** How many operations a run takes; warms what can be warmed. */
  async #size(seconds: number): Promise<void> {
    let perSec = 0;
    for (const contender of this.contenders) {
      perSec = (await contender.probe(this.what)) ?? perSec;
      const fewest = this.what.connections * this.what.depth;
      this.#operations.set(contender, Math.max(fewest, Math.round(perSec * seconds)));
    }
  }

  /** Nobody may count what the server did not do. */
  #check(contender: Contender, score: Score, gets: number, sets: number): void {
    const counted = gets + sets;
    const exact = score.recorded !== undefined;
    const off = Math.abs(counted - score.operations);
    if (off > (exact ? 0 : score.operations * COUNT_TOLERANCE))
      throw new Error(`${contender.name} says ${score.operations} operations, the server ${counted}`);
    if (this.what.operation === 'get' ? sets > 0 : this.what.operation === 'set' && gets > 0)
      throw new Error(
        `${contender.name} did ${gets} GET and ${sets} SET in a case of ${this.what.operation}`,
      );
    if ((score.recorded?.misses ?? 0) > 0)
      throw new Error(`${contender.name} read ${score.recorded?.misses} keys that were not there`);
  }
}

/** Values of one size are in the server at a time. */
function cellsOf(options: CompareOptions, valueBytes: number, contenders: readonly Contender[]): Cell[] {
  const keys = Math.max(1, Math.min(options.keys, Math.floor(options.dataBytes / valueBytes)));
  return options.connections.flatMap((connections) =>
    options.depths.flatMap((depth) =>
      options.operations.map(
        (operation: BenchOperation) =>
          new Cell({ operation, depth, connections, valueBytes, keys }, contenders),
      ),
    ),
  );
}

function say(text: string): void {
  process.stderr.write(text);
}

const options = readOptions(process.argv.slice(2));
const redis = await startRedisProcess();
const wire = new PacecarContender('resp', redis.port);
const beside = options.beside.map(
  (driver) => new PacecarContender(driver, redis.port, { connections: options.besideConnections }),
);
const tools = C_TOOLS.filter(isInstalled).map((tool) => new CContender(tool, redis.port));
const contenders: readonly Contender[] = [wire, ...tools, ...beside];
try {
  const grid = options.sizes.map((size) => cellsOf(options, size, contenders));
  const cells = grid.flat();
  const runs = cells.reduce((sum, cell) => sum + cell.contenders.length, 0);
  const roundSec = cells
    .flatMap((cell) => cell.contenders)
    .reduce((sum, contender) => sum + contender.lastsSec(options.seconds), 0);
  const minutes = (options.rounds * roundSec) / 60;
  const missing = C_TOOLS.filter((tool) => !isInstalled(tool)).map((tool) => tool.program);
  say(
    `${cells.length} cases, ${options.rounds} rounds of ${runs} runs of about ${options.seconds} s: about ` +
      `${minutes.toFixed(1)} minutes on a quiet machine, at most ${options.minutes} and one case; ${availableParallelism()} cores` +
      `${missing.length > 0 ? `; not on the PATH: ${missing.join(', ')}` : ''}\n`,
  );
  const startMs = performance.now();
  const minutesGone = () => (performance.now() - startMs) / 60_000;
  const isLate = () => minutesGone() >= options.minutes;
  for (let round = 0; round < options.rounds && !isLate(); round++) {
    for (const ofOneSize of grid) {
      const [first] = ofOneSize;
      if (first === undefined || isLate()) continue;
      await wire.load(first.what);
      for (const cell of ofOneSize) if (!isLate()) await cell.round(round, redis.port, options.seconds);
    }
    say(`round ${round + 1} of ${options.rounds}: ${minutesGone().toFixed(1)} minutes gone\n`);
  }
  const done = cells.filter((cell) => cell.runs.length > 0);
  const rounds = Math.min(...done.map((cell) => cell.rounds));
  if (done.length < cells.length || rounds < options.rounds)
    say(
      `--minutes ${options.minutes} are over: ${done.length} of ${cells.length} cases, the last of them with ` +
        `${rounds} of ${options.rounds} rounds\n`,
    );
  const ratios = done.flatMap((cell) => cell.ratios());
  const text = `${done.map((cell) => cell.text()).join('')}${meansText(ratios)}`;
  if (options.json) {
    say(text);
    const found = { rounds, cores: availableParallelism(), node: process.version, means: meanRatios(ratios) };
    const data = { ...found, ratios, cells: done.map(({ what, runs: all }) => ({ what, runs: all })) };
    process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
  } else {
    process.stdout.write(text);
  }
} finally {
  for (const contender of contenders) await contender.close();
  await redis.close();
}
