import { stageSeed } from '@pacecar/coordinator';
import { type Plan, stageNumber } from '@pacecar/protocol';
import { dumpOperations } from '@pacecar/worker';
import { writeOut } from '../terminal/output.js';

/** Text is written in pieces of about this size: a dump may be larger than memory. */
const PIECE_BYTES = 64 * 1024;

/**
 * Prints the first `perConnection` operations of each connection of each stage, one JSON object a line, and sends
 * nothing.
 */
export async function printOperations(plan: Plan, perConnection: number): Promise<void> {
  let piece = '';
  for (const line of lines(plan, perConnection)) {
    piece += `${JSON.stringify(line)}\n`;
    if (piece.length < PIECE_BYTES) continue;
    await writeOut(piece);
    piece = '';
  }
  if (piece !== '') await writeOut(piece);
}

function* lines(plan: Plan, perConnection: number): Generator<object> {
  for (const cell of plan.cells)
    for (const [planned, spec] of cell.stages.entries()) {
      // Of a search its first probe.
      const stage = stageNumber(cell, { stage: planned, probe: spec.search === null ? null : 0 });
      const seed = stageSeed(plan.seed, cell.repetition, stage);
      for (const operation of dumpOperations(
        { spec, seed, stage, workers: workersOf(plan, spec.group) },
        perConnection,
      ))
        yield { cell: cell.index, stage: spec.name, ...operation };
    }
}

/** Indexes in the run of a group's workers. */
function workersOf(plan: Plan, group: string): number[] {
  let first = 0;
  for (const { name, size } of plan.groups) {
    if (name === group) return Array.from({ length: size }, (_, index) => first + index);
    first += size;
  }
  return [];
}
