import { type Plan, type Stage, stageNumber } from '@pacecar/protocol';
import type { Outbox } from './outbox.js';
import { type ProbeOrder, SearchRun } from './search/search-run.js';
import type { StageRun } from './stage-run.js';

/** A stage of a cell; `stage` is its number in messages and frames, where each probe of a search has its own. */
export interface Place {
  readonly cell: number;
  readonly stage: number;
}

/** What is to be armed. */
export interface Assignment extends Place {
  /** Position in the cell's list of stages. */
  readonly planned: number;
  /** What the workers are told. */
  readonly spec: Stage;
  /** null: the stage has no search. */
  readonly probe: ProbeOrder | null;
}

/** The stages of a run, one after the other over all cells; a stage with a search comes once for each probe. */
export class Programme {
  readonly #plan: Plan;
  readonly #outbox: Outbox;
  #search: SearchRun | null = null;

  constructor(plan: Plan, outbox: Outbox) {
    this.#plan = plan;
    this.#outbox = outbox;
  }

  first(): Assignment {
    return this.#at(0, 0);
  }

  /** What follows a stage that has closed, or that runs on in the background; null after the last one of all. */
  after(stage: StageRun): Assignment | null {
    const { cellIndex: cell, planned } = stage;
    const order = this.#search?.order() ?? null;
    if (order !== null) return this.#probe(cell, planned, order);
    this.#search = null;
    const stages = this.#plan.cells[cell]?.stages.length ?? 0;
    if (planned + 1 < stages) return this.#at(cell, planned + 1);
    return cell + 1 < this.#plan.cells.length ? this.#at(cell + 1, 0) : null;
  }

  /** A stage has closed by itself: a probe is judged. */
  closed(stage: StageRun): void {
    if (stage.probe !== null) this.#search?.judged(stage.judgement());
  }

  #at(cell: number, planned: number): Assignment {
    const planCell = this.#plan.cells[cell];
    const spec = planCell?.stages[planned];
    if (planCell === undefined || spec === undefined)
      throw new Error(`the plan has no stage ${planned} in cell ${cell}`);
    if (spec.search !== null) {
      this.#search = new SearchRun(this.#plan, { cell, stage: planned }, this.#outbox);
      const order = this.#search.order();
      if (order === null) throw new Error('a search begins with a probe');
      return this.#probe(cell, planned, order);
    }
    const stage = stageNumber(planCell, { stage: planned, probe: null });
    return { cell, stage, planned, spec, probe: null };
  }

  #probe(cell: number, planned: number, probe: ProbeOrder): Assignment {
    const stage = this.#search?.number ?? 0;
    return { cell, stage, planned, spec: probe.spec, probe };
  }
}

/** Whether a stage of this name comes in the cell, with `next` or later. */
export function isAhead(plan: Plan, cell: number, name: string, next: Assignment | null): boolean {
  if (next === null || next.cell !== cell) return false;
  const stages = plan.cells[cell]?.stages.slice(next.planned) ?? [];
  return stages.some((stage) => stage.name === name);
}
