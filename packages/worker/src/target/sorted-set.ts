interface Ranked {
  readonly member: string;
  readonly score: number;
}

/** Members with scores, in the order of score and then of member. */
export class SortedSet {
  readonly #scores = new Map<string, number>();
  readonly #ranked: Ranked[] = [];

  get size(): number {
    return this.#ranked.length;
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  /** True if the member is new. */
  set(member: string, score: number): boolean {
    const before = this.#scores.get(member);
    if (before === score) return false;
    if (before !== undefined) this.#ranked.splice(this.#place(before, member), 1);
    this.#scores.set(member, score);
    this.#ranked.splice(this.#place(score, member), 0, { member, score });
    return before === undefined;
  }

  popFirst(count: number): readonly Ranked[] {
    const popped = this.#ranked.splice(0, count);
    for (const { member } of popped) this.#scores.delete(member);
    return popped;
  }

  /** From the first with a score of at least `from`, or above it if `after`, to the last by the same rule. */
  range(from: Bound, to: Bound): { readonly start: number; readonly end: number } {
    const start = this.#count(
      ({ score }) => score < from.score || (from.isExclusive && score === from.score),
    );
    const end = this.#count(({ score }) => score < to.score || (!to.isExclusive && score === to.score));
    return { start, end };
  }

  at(rank: number): Ranked {
    return this.#ranked[rank] as Ranked;
  }

  #place(score: number, member: string): number {
    return this.#count((each) => each.score < score || (each.score === score && each.member < member));
  }

  /** How many come first that are `before`; all of those do. */
  #count(before: (ranked: Ranked) => boolean): number {
    let low = 0;
    let high = this.#ranked.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (before(this.#ranked[middle] as Ranked)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export interface Bound {
  readonly score: number;
  readonly isExclusive: boolean;
}

/** `5`, `(5`, `-inf`, `+inf`; null: none of these. */
export function boundOf(written: string): Bound | null {
  const isExclusive = written.startsWith('(');
  const score = scoreOf(isExclusive ? written.slice(1) : written);
  return score === null ? null : { score, isExclusive };
}

export function scoreOf(written: string): number | null {
  const infinity = /^([+-]?)inf(inity)?$/i.exec(written);
  if (infinity !== null) return infinity[1] === '-' ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(written) ? Number(written) : null;
}

export function scoreText(score: number): string {
  if (score === Infinity) return 'inf';
  if (score === -Infinity) return '-inf';
  return Object.is(score, -0) ? '-0' : String(score);
}
