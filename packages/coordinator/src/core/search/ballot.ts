import type { Search } from '@pacecar/protocol';

/** Votes on one rate: `needed` of at most `of` probes have to hold. */
export class Ballot {
  readonly #needed: number;
  readonly #of: number;
  #held = 0;
  #missed = 0;

  constructor({ needed, of }: Search['confirmations']) {
    this.#needed = needed;
    this.#of = of;
  }

  vote(held: boolean): void {
    if (held) this.#held++;
    else this.#missed++;
  }

  /** null: it takes more votes. */
  get result(): 'holds' | 'fails' | null {
    if (this.#held >= this.#needed) return 'holds';
    return this.#missed > this.#of - this.#needed ? 'fails' : null;
  }
}
