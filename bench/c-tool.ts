import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { BenchCase, Contender, Score } from './bench-case.js';

/** A benchmark written in C that stands on the PATH. */
interface CTool {
  readonly program: string;
  words(what: BenchCase, operations: number, port: number): string[];
  /** How many it does when asked for `operations`. */
  rounded(what: BenchCase, operations: number): number;
  /** Reads operations per second out of what it prints. */
  operationsPerSec(output: string): number;
}

/** Its key placeholder has twelve digits, and so do the keys of Pacecar in this comparison. */
const REDIS_BENCHMARK: CTool = {
  program: 'redis-benchmark',
  words: (what, operations, port) => [
    ...['-h', '127.0.0.1', '-p', String(port), '-t', what.operation, '-n', String(operations)],
    ...['-c', String(what.connections), '-P', String(what.depth), '-d', String(what.valueBytes)],
    ...['-r', String(what.keys), '--csv'],
  ],
  rounded: (what, operations) => Math.ceil(operations / what.depth) * what.depth,
  operationsPerSec: (output) => Number(/^"(?:GET|SET)","([\d.]+)"/m.exec(output)?.[1]),
};

const MEMTIER: CTool = {
  program: 'memtier_benchmark',
  words: (what, operations, port) => [
    ...['-s', '127.0.0.1', '-p', String(port), '-t', '1', '-c', String(what.connections)],
    ...['--pipeline', String(what.depth), '-d', String(what.valueBytes), '--hide-histogram'],
    ...['--ratio', what.operation === 'get' ? '0:1' : '1:0', '--key-prefix', 'key:'],
    ...['--key-minimum', '1', '--key-maximum', String(what.keys - 1), '--key-pattern', 'R:R'],
    ...['--distinct-client-seed', '-n', String(Math.ceil(operations / what.connections))],
  ],
  rounded: (what, operations) => Math.ceil(operations / what.connections) * what.connections,
  operationsPerSec: (output) => Number(/^Totals\s+([\d.]+)/m.exec(output)?.[1]),
};

export const C_TOOLS: readonly CTool[] = [REDIS_BENCHMARK, MEMTIER];

export function isInstalled(tool: CTool): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, tool.program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Runs a tool under a shell, whose `times` says afterwards what its children used. */
export class CContender implements Contender {
  readonly name: string;
  readonly #tool: CTool;
  readonly #port: number;

  constructor(tool: CTool, port: number) {
    this.name = tool.program;
    this.#tool = tool;
    this.#port = port;
  }

  async run(what: BenchCase, operations: number): Promise<Score> {
    const script = '"$@" 2>/dev/null; echo; echo "times:"; times';
    const words = [this.#tool.program, ...this.#tool.words(what, operations, this.#port)];
    const output = await new Promise<string>((resolve, reject) => {
      execFile('sh', ['-c', script, 'sh', ...words], { maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
        if (error !== null) reject(error);
        else resolve(stdout);
      });
    });
    const operationsPerSec = this.#tool.operationsPerSec(output);
    const cpuUs = childTimesUs(output);
    if (!(operationsPerSec > 0) || !(cpuUs > 0))
      throw new Error(`cannot read what ${this.name} printed:\n${output}`);
    const done = this.#tool.rounded(what, operations);
    return { operations: done, operationsPerSec, cpuUsPerOperation: cpuUs / done };
  }

  async close(): Promise<void> {
    // Each run is a process of its own, which has ended.
  }
}

/** `times` prints the shell's user and system time, and on a second line those of its children: `0m1.23s 0m0.45s`. */
function childTimesUs(output: string): number {
  const lines = output.slice(output.lastIndexOf('times:')).trim().split('\n');
  let seconds = 0;
  for (const [, minutes, rest] of (lines[2] ?? '').matchAll(/(\d+)m([\d.]+)s/g))
    seconds += Number(minutes) * 60 + Number(rest);
  return seconds * 1e6;
}
