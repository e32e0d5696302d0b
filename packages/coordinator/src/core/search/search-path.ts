import type { ProbeStep, Search, SearchOutcome } from '@pacecar/protocol';
import { Ballot } from './ballot.js';

export interface Probe {
  readonly step: ProbeStep;
  readonly ratePerSec: number;
}

export interface SearchEnd {
  readonly outcome: SearchOutcome;
  /** Confirmed, unless the outcome is `unsettled`: then it held once. null: none held. */
  readonly ratePerSec: number | null;
  /** The lowest rate above it that does not hold; null: none is known. */
  readonly ceilingPerSec: number | null;
}

/** Digits of the rates between the ends: enough for any precision that is allowed, and readable. */
const DIGITS = 5;

/**
 * The way to the highest rate that holds, as a state machine without time and workers: it is told what each probe came
 * to, and says which is next.
 *
 *   first         the lowest rate, until it holds once, or is voted down
 *   growth        a factor above the last rate that held, until one does not hold or the range ends
 *   bisection     between the highest that held and the lowest that did not, in log space, down to the precision
 *   ceiling       the one that did not, again: a single hiccup must not cap the answer
 *   confirmation  the one that held, again: what held once by luck is voted down and becomes the ceiling
 *
 * It ends after at most `mostProbes`, and keeps enough of them to confirm what it has.
 */
export class SearchPath {
  readonly #search: Search;
  readonly #first: Ballot;
  /** Rates that held at least once and were not voted down, rising. */
  #held: number[] = [];
  /** Rates that did not hold and were not rehabilitated; with the votes on each. */
  readonly #missed = new Map<number, Ballot>();
  #confirmation: Ballot | null = null;
  #made = 0;
  #next: Probe | null;
  #end: SearchEnd | null = null;

  constructor(search: Search) {
    this.#search = search;
    this.#first = new Ballot(search.confirmations);
    this.#next = { step: 'first', ratePerSec: search.minimumPerSec };
  }

  /** The probe to make now; null once the search has ended. */
  get next(): Probe | null {
    return this.#next;
  }

  get end(): SearchEnd | null {
    return this.#end;
  }

  /** What the probe `next` came to; void: nothing can be said, so that it is made again. */
  judged(result: 'held' | 'missed' | 'void'): void {
    const probe = this.#next;
    if (probe === null) throw new Error('a search that has ended asks for no probe');
    this.#made++;
    if (result !== 'void') this.#count(probe, result === 'held');
    if (this.#end === null) this.#next = this.#choose();
    if (this.#next === null && this.#end === null) this.#finish('unsettled');
  }

  #count({ step, ratePerSec }: Probe, held: boolean): void {
    switch (step) {
      case 'first':
        this.#first.vote(held);
        if (held) this.#held = [ratePerSec];
        else if (this.#first.result === 'fails') this.#finish('none', ratePerSec);
        return;
      case 'growth':
      case 'bisection':
        if (held) this.#hold(ratePerSec);
        else this.#miss(ratePerSec);
        return;
      case 'ceiling': {
        const ballot = this.#missed.get(ratePerSec);
        ballot?.vote(held);
        if (ballot?.result === 'holds') this.#hold(ratePerSec);
        return;
      }
      case 'confirmation':
        this.#confirmation?.vote(held);
        if (this.#confirmation?.result === 'holds')
          this.#finish(ratePerSec === this.#search.maximumPerSec ? 'at-least' : 'found');
        else if (this.#confirmation?.result === 'fails') this.#refute(ratePerSec);
    }
  }

  #hold(ratePerSec: number): void {
    this.#missed.delete(ratePerSec);
    this.#held.push(ratePerSec);
    this.#held.sort((a, b) => a - b);
  }

  #miss(ratePerSec: number): void {
    const ballot = new Ballot(this.#search.confirmations);
    ballot.vote(false);
    this.#missed.set(ratePerSec, ballot);
  }

  /** Voted down by its confirmations: no ballot on it any more. */
  #refute(ratePerSec: number): void {
    this.#confirmation = null;
    this.#held = this.#held.filter((rate) => rate < ratePerSec);
    const { needed, of } = this.#search.confirmations;
    const ballot = new Ballot(this.#search.confirmations);
    for (let votes = of - needed + 1; votes > 0; votes--) ballot.vote(false);
    this.#missed.set(ratePerSec, ballot);
    if (this.#held.length === 0) this.#finish('none', ratePerSec);
  }

  /** null: there are no probes left that could settle anything. */
  #choose(): Probe | null {
    const { mostProbes, confirmations, minimumPerSec } = this.#search;
    const left = mostProbes - this.#made;
    if (left === 0) return null;
    const floor = this.#held.at(-1);
    if (floor === undefined) return { step: 'first', ratePerSec: minimumPerSec };
    const confirm: Probe = { step: 'confirmation', ratePerSec: floor };
    if (this.#confirmation !== null) return confirm;
    const closer = left > confirmations.of ? this.#closer(floor) : null;
    if (closer !== null) return closer;
    if (left < confirmations.needed) return null;
    this.#confirmation = new Ballot(confirmations);
    return confirm;
  }

  /** A probe that narrows the range down; null: it is narrow enough, and its upper end was voted down. */
  #closer(floor: number): Probe | null {
    const { growth, precision, maximumPerSec } = this.#search;
    const ceiling = this.#ceiling(floor);
    if (ceiling === null) {
      if (floor >= maximumPerSec) return null;
      return { step: 'growth', ratePerSec: Math.min(rounded(floor * growth), maximumPerSec) };
    }
    const middle = between(floor, ceiling);
    if (ceiling > floor * (1 + precision) && middle !== null)
      return { step: 'bisection', ratePerSec: middle };
    if (this.#missed.get(ceiling)?.result === 'fails') return null;
    return { step: 'ceiling', ratePerSec: ceiling };
  }

  /** The lowest rate above `floor` that did not hold. */
  #ceiling(floor: number): number | null {
    const above = [...this.#missed.keys()].filter((rate) => rate > floor);
    return above.length === 0 ? null : Math.min(...above);
  }

  #finish(outcome: SearchOutcome, failed: number | null = null): void {
    const ratePerSec = outcome === 'none' ? null : (this.#held.at(-1) ?? null);
    const ceilingPerSec = ratePerSec === null ? failed : this.#ceiling(ratePerSec);
    this.#end = { outcome, ratePerSec, ceilingPerSec };
    this.#next = null;
  }
}

function rounded(rate: number): number {
  return Number(rate.toPrecision(DIGITS));
}

/** The geometric mean; null where no number of so many digits lies between. */
function between(low: number, high: number): number | null {
  const middle = rounded(Math.sqrt(low * high));
  return middle > low && middle < high ? middle : null;
}
