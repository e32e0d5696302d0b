import {
  type Plan,
  type ProbeJudgement,
  probeStage,
  type Search,
  type Stage,
  stageNumber,
} from '@pacecar/protocol';
import type { Outbox } from '../outbox.js';
import { SearchPath } from './search-path.js';

/** One probe as it is armed. */
export interface ProbeOrder {
  /** From 1. */
  readonly probe: number;
  readonly ratePerSec: number;
  readonly spec: Stage;
  readonly search: Search;
}

/** A search while it goes on: orders its probes, and tells of each as it goes. */
export class SearchRun {
  readonly #spec: Stage;
  readonly #search: Search;
  readonly #cell: number;
  /** Of its first probe. */
  readonly #number: number;
  readonly #path: SearchPath;
  readonly #outbox: Outbox;
  /** By rate, the number of the last probe that held it. */
  readonly #heldBy = new Map<number, number>();
  #made = 0;
  #ordered = 0;

  constructor(plan: Plan, place: { readonly cell: number; readonly stage: number }, outbox: Outbox) {
    const cell = plan.cells[place.cell];
    const spec = cell?.stages[place.stage];
    if (cell === undefined || spec === undefined || spec.search === null)
      throw new Error(`stage ${place.stage} of cell ${place.cell} has no search`);
    this.#spec = spec;
    this.#search = spec.search;
    this.#cell = place.cell;
    this.#number = stageNumber(cell, { stage: place.stage, probe: 0 });
    this.#path = new SearchPath(spec.search);
    this.#outbox = outbox;
  }

  /** The next probe, told once; null: the search has ended. */
  order(): ProbeOrder | null {
    const { next } = this.#path;
    if (next === null) return null;
    const { step, ratePerSec } = next;
    if (this.#ordered === this.#made) {
      this.#ordered++;
      this.#outbox.event({ type: 'search-probe', ...this.#place, step, ratePerSec });
    }
    return {
      probe: this.#made + 1,
      ratePerSec,
      spec: probeStage(this.#spec, ratePerSec),
      search: this.#search,
    };
  }

  /** The number of the probe at hand, for messages and frames. */
  get number(): number {
    return this.#number + this.#made;
  }

  /** The probe at hand has closed; null: a worker was lost in it, so that it counts for nothing. */
  judged(judgement: ProbeJudgement | null): void {
    const rate = this.#path.next?.ratePerSec;
    if (rate === undefined) throw new Error('a probe was judged after its search');
    this.#outbox.event({ type: 'search-judged', ...this.#place, judgement });
    if (judgement?.held === true) this.#heldBy.set(rate, this.number);
    const last = this.number;
    this.#made++;
    this.#path.judged(judgement === null ? 'void' : judgement.held ? 'held' : 'missed');
    const { end } = this.#path;
    if (end === null) return;
    const { outcome, ratePerSec, ceilingPerSec } = end;
    this.#outbox.event({
      type: 'search-ended',
      cell: this.#cell,
      stage: this.#number,
      outcome,
      ratePerSec,
      ceilingPerSec,
      result: (ratePerSec === null ? undefined : this.#heldBy.get(ratePerSec)) ?? last,
    });
  }

  get #place(): { cell: number; stage: number } {
    return { cell: this.#cell, stage: this.number };
  }
}
