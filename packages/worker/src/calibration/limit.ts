import type { CalibrationCell } from '@pacecar/protocol';

/** So much of what there is counts as all of it: the rest goes to the system and to starting and ending. */
const ALL = 0.9;

/** Who kept a cell from more, by the CPU time that both sides used per second. */
export function limitOf(use: {
  readonly generatorCores: number;
  readonly targetCores: number;
  readonly threads: number;
  readonly cpuCount: number;
}): CalibrationCell['limitedBy'] {
  if (use.generatorCores >= ALL * Math.min(use.threads, use.cpuCount)) return 'generator';
  if (use.targetCores >= ALL) return 'target';
  if (use.generatorCores + use.targetCores >= ALL * use.cpuCount) return 'machine';
  return 'other';
}
