import type { Cell, Stage } from './plan.js';

/**
 * A stage with a search runs once for each probe, and every run has a number of its own in messages, frames and
 * events. The numbers follow from the plan alone: a stage takes one, a stage with a search takes as many as it may
 * have probes, of which it uses the first ones. Numbers of a cell only grow while it runs.
 */
export interface StagePlace {
  /** Position in the cell's list of stages. */
  readonly stage: number;
  /** Which probe of the stage's search, from 0; null for a stage without one. */
  readonly probe: number | null;
}

/** The number of a stage, or of a probe of it. */
export function stageNumber(cell: Pick<Cell, 'stages'>, { stage, probe }: StagePlace): number {
  let number = 0;
  for (const before of cell.stages.slice(0, stage)) number += runsOf(before);
  return number + (probe ?? 0);
}

/** Where a number stands in the cell; null where the plan has no such stage. */
export function stagePlace(cell: Pick<Cell, 'stages'>, number: number): StagePlace | null {
  let left = number;
  for (const [stage, spec] of cell.stages.entries()) {
    const runs = runsOf(spec);
    if (left < runs) return { stage, probe: spec.search === null ? null : left };
    left -= runs;
  }
  return null;
}

/** The stage of the plan that a number stands for; of a probe, the stage with the search. */
export function stageOfNumber(cell: Pick<Cell, 'stages'>, number: number): Stage | null {
  const place = stagePlace(cell, number);
  return place === null ? null : (cell.stages[place.stage] as Stage);
}

function runsOf({ search }: Stage): number {
  return search?.mostProbes ?? 1;
}

/** What workers are told to do for a probe: the stage of a search at one rate. */
export function probeStage(stage: Stage, ratePerSec: number): Stage {
  const { search } = stage;
  if (search === null) throw new Error(`stage ${stage.name} has no search`);
  return {
    ...stage,
    search: null,
    workloads: stage.workloads.map((workload) =>
      workload.name === search.workload && workload.model.kind === 'open'
        ? { ...workload, model: { ...workload.model, rate: { kind: 'constant', ratePerSec } } }
        : workload,
    ),
  };
}
