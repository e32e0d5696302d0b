import { type BenchCase, caseName } from './bench-case.js';

/** Pacecar's figure divided by another contender's, in one cell: median of the ratios of its rounds. */
export interface CellRatio {
  readonly what: BenchCase;
  readonly against: string;
  readonly operationsPerSec: number;
  readonly cpuPerOperation: number;
}

type Figure = 'operationsPerSec' | 'cpuPerOperation';

/** Geometric mean of the ratios of some cells against one contender. */
export interface MeanRatio {
  readonly against: string;
  /** `all`, or a part of the grid: `depth 16`. */
  readonly part: string;
  readonly cells: number;
  readonly operationsPerSec: number;
  readonly cpuPerOperation: number;
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

function geometricMean(numbers: readonly number[]): number {
  return Math.exp(numbers.reduce((sum, each) => sum + Math.log(each), 0) / numbers.length);
}

const PARTS: readonly ((what: BenchCase) => string)[] = [
  () => 'all',
  ({ operation }) => operation,
  ({ depth }) => `depth ${depth}`,
  ({ valueBytes }) => `${valueBytes} B`,
  ({ connections }) => `${connections} connections`,
];

/** Means over the whole grid, and by operation, depth, size and connections. */
export function meanRatios(ratios: readonly CellRatio[]): MeanRatio[] {
  const means: MeanRatio[] = [];
  for (const against of new Set(ratios.map((ratio) => ratio.against))) {
    const own = ratios.filter((ratio) => ratio.against === against);
    for (const partOf of PARTS) {
      for (const part of new Set(own.map(({ what }) => partOf(what)))) {
        const inside = own.filter(({ what }) => partOf(what) === part);
        const mean = (figure: Figure) => geometricMean(inside.map((ratio) => ratio[figure]));
        means.push({
          against,
          part,
          cells: inside.length,
          operationsPerSec: mean('operationsPerSec'),
          cpuPerOperation: mean('cpuPerOperation'),
        });
      }
    }
  }
  return means;
}

const WORST_SHOWN = 5;

export function meansText(ratios: readonly CellRatio[]): string {
  const lines: string[] = [];
  const means = meanRatios(ratios);
  for (const against of new Set(means.map((mean) => mean.against))) {
    lines.push('', `pacecar divided by ${against}, geometric means   ops/s   CPU/op   cells`);
    for (const mean of means.filter((each) => each.against === against))
      lines.push(
        `  ${mean.part.padEnd(against.length + 36)}${mean.operationsPerSec.toFixed(2).padStart(8)}` +
          `${mean.cpuPerOperation.toFixed(2).padStart(9)}${String(mean.cells).padStart(8)}`,
      );
    const own = ratios.filter((ratio) => ratio.against === against);
    const slow = own.filter((ratio) => ratio.operationsPerSec < 1).length;
    const costly = own.filter((ratio) => ratio.cpuPerOperation > 1);
    lines.push(`  cells with fewer ops/s: ${slow}; with more CPU/op: ${costly.length}`);
    costly.sort((a, b) => b.cpuPerOperation - a.cpuPerOperation);
    for (const { what, cpuPerOperation } of costly.slice(0, WORST_SHOWN))
      lines.push(`    ${cpuPerOperation.toFixed(2)}  ${caseName(what)}`);
  }
  return `${lines.join('\n')}\n`;
}
