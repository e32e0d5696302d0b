import { besideOf, isBackground, stageNumber, stagePlace } from '@pacecar/protocol';
import { stageKey } from './record.js';
import type { StageSource } from './stage-summary.js';

/**
 * Names of the stages that ran beside one: of a background stage those of the foreground, of any other the background
 * stages. In the order of the plan; only those that began.
 */
export function besideNames({ cell, index, stage, run }: StageSource): string[] {
  const { stages } = cell;
  const own = stagePlace(cell, index)?.stage ?? index;
  const beside = isBackground(stage)
    ? besideOf(stages, own)
    : [...stages.keys()].filter((position) => besideOf(stages, position).includes(own));
  return beside.flatMap((position) => {
    const other = stages[position];
    if (other === undefined) return [];
    const probe = other.search === null ? null : 0;
    const key = stageKey(cell.index, stageNumber(cell, { stage: position, probe }));
    return run.stages.has(key) ? [other.name] : [];
  });
}
