import type { Plan } from '@pacecar/protocol';

/** Which stage of which cell of the plan. */
export interface Place {
  readonly cell: number;
  readonly stage: number;
}

/** What follows in the plan, over all cells; null after the last stage of the last. */
export function placeAfter(plan: Plan, { cell, stage }: Place): Place | null {
  const stages = plan.cells[cell]?.stages.length ?? 0;
  if (stage + 1 < stages) return { cell, stage: stage + 1 };
  return cell + 1 < plan.cells.length ? { cell: cell + 1, stage: 0 } : null;
}

/** Whether a stage of this name comes in the cell, at `next` or later. */
export function isAhead(plan: Plan, cell: number, name: string, next: Place | null): boolean {
  if (next === null || next.cell !== cell) return false;
  const stages = plan.cells[cell]?.stages.slice(next.stage) ?? [];
  return stages.some((stage) => stage.name === name);
}
