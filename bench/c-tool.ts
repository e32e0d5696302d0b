import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type BenchCase, type Contender, caseName, type Score } from './bench-case.js';

/** A run that takes longer than this is stuck. */
const LONGEST_MS = 60_000;
/** Runs of almost nothing that say what starting and connecting cost; their median counts. */
const START_RUNS = 3;

/** Asking the server for its counts before and after, and starting a process. */
const SERVER_QUESTIONS_SEC = 0.1;

/** A benchmark written in C that stands on the PATH. */
export interface CTool {
  readonly program: string;
  readonly hasMix: boolean;
  /** It looks only so often whether it is done. */
  readonly stepSec: number;
  words(what: BenchCase, operations: number, port: number): string[];
  /** How many it does when asked for `operations`. */
  rounded(what: BenchCase, operations: number): number;
  /** Reads operations per second out of what it prints. */
  operationsPerSec(output: string): number;
}

/** Its key placeholder has twelve digits, and so do the keys of Pacecar in this comparison. */
const REDIS_BENCHMARK: CTool = {
  program: 'redis-benchmark',
  hasMix: false,
  stepSec: 0.01,
  words: (what, operations, port) => [
    ...['-h', '127.0.0.1', '-p', String(port), '-t', what.operation, '-n', String(operations)],
    ...['-c', String(what.connections), '-P', String(what.depth), '-d', String(what.valueBytes)],
    ...['-r', String(what.keys), '--csv'],
  ],
  rounded: (what, operations) => Math.ceil(operations / what.depth) * what.depth,
  operationsPerSec: (output) => Number(/^"(?:GET|SET)","([\d.]+)"/m.exec(output)?.[1]),
};

const RATIOS = { get: '0:1', set: '1:0', '80:20': '1:4' } as const;

const MEMTIER: CTool = {
  program: 'memtier_benchmark',
  hasMix: true,
  stepSec: 1,
  words: (what, operations, port) => [
    ...['-s', '127.0.0.1', '-p', String(port), '-t', '1', '-c', String(what.connections)],
    ...['--pipeline', String(what.depth), '-d', String(what.valueBytes), '--hide-histogram'],
    ...['--ratio', RATIOS[what.operation], '--key-prefix', 'key:'],
    ...['--key-minimum', '1', '--key-maximum', String(what.keys - 1), '--key-pattern', 'R:R'],
    ...['--distinct-client-seed', '-n', String(Math.ceil(operations / what.connections))],
  ],
  rounded: (what, operations) => Math.ceil(operations / what.connections) * what.connections,
  operationsPerSec: (output) => Number(/^Totals\s+([\d.]+)/m.exec(output)?.[1]),
};

export const C_TOOLS: readonly CTool[] = [REDIS_BENCHMARK, MEMTIER];

/** Where a program stands on the PATH; null: nowhere. */
function pathOf(program: string): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // In another folder, perhaps.
    }
  }
  return null;
}

export function isInstalled(tool: CTool): boolean {
  return pathOf(tool.program) !== null;
}

/** Runs a tool under bash, whose `time` says what it used, in milliseconds. */
export class CContender implements Contender {
  readonly name: string;
  readonly #tool: CTool;
  readonly #port: number;
  /** What starting, connecting and ending cost, in us, by number of connections. */
  readonly #startUs = new Map<number, number>();

  constructor(tool: CTool, port: number) {
    this.name = tool.program;
    this.#tool = tool;
    this.#port = port;
  }

  takes(what: BenchCase): boolean {
    return what.operation !== '80:20' || this.#tool.hasMix;
  }

  lastsSec(seconds: number): number {
    return Math.ceil((seconds + SERVER_QUESTIONS_SEC) / this.#tool.stepSec) * this.#tool.stepSec;
  }

  async probe(what: BenchCase): Promise<null> {
    if (this.#startUs.has(what.connections)) return null;
    const runs: number[] = [];
    for (let run = 0; run < START_RUNS; run++)
      runs.push((await this.#measure({ ...what, depth: 1 }, what.connections)).cpuUs);
    runs.sort((a, b) => a - b);
    this.#startUs.set(what.connections, runs[START_RUNS >> 1] as number);
    return null;
  }

  async run(what: BenchCase, operations: number): Promise<Score | null> {
    const { printed, operationsPerSec, cpuUs } = await this.#measure(what, operations);
    if (!(operationsPerSec > 0)) {
      process.stderr.write(`${this.name}, ${caseName(what)}: no operations per second in\n${printed}\n`);
      return null;
    }
    return {
      operations: this.#tool.rounded(what, operations),
      operationsPerSec,
      cpuUs: cpuUs - (this.#startUs.get(what.connections) ?? 0),
    };
  }

  async close(): Promise<void> {
    // Each run is a process of its own, which has ended.
  }

  async #measure(
    what: BenchCase,
    operations: number,
  ): Promise<{ printed: string; operationsPerSec: number; cpuUs: number }> {
    const script = 'TIMEFORMAT="cpu: %3U %3S"; time "$@" 2>/dev/null';
    const words = [this.#tool.program, ...this.#tool.words(what, operations, this.#port)];
    const options = { maxBuffer: 64 * 1024 * 1024, timeout: LONGEST_MS };
    const [printed, timed] = await new Promise<[string, string]>((resolve, reject) => {
      execFile('bash', ['-c', script, 'bash', ...words], options, (error, stdout, stderr) => {
        if (error !== null) reject(error);
        else resolve([stdout, stderr]);
      });
    });
    const operationsPerSec = this.#tool.operationsPerSec(printed);
    const [, user, system] = /cpu: ([\d.]+) ([\d.]+)/.exec(timed) ?? [];
    const cpuUs = (Number(user) + Number(system)) * 1e6;
    if (!(cpuUs > 0)) throw new Error(`cannot read the time of ${this.name}:\n${timed}`);
    return { printed, operationsPerSec, cpuUs };
  }
}
