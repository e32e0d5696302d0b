import assert from 'node:assert/strict';

/** Two-sided: one set of honest draws in 10,000 is this far off, and the seeds are fixed. */
const Z = 3.9;
/** Cells with fewer expected draws are put together. */
const LEAST_EXPECTED = 8;

/** Pearson's statistic and its degrees of freedom; cells are joined with their neighbours where too little is expected. */
export function chiSquare(observed: ArrayLike<number>, probabilities: ArrayLike<number>) {
  assert.equal(observed.length, probabilities.length);
  let draws = 0;
  let mass = 0;
  for (let cell = 0; cell < observed.length; cell++) {
    draws += observed[cell] as number;
    mass += probabilities[cell] as number;
  }
  assert.ok(Math.abs(mass - 1) < 1e-9, `the expected probabilities sum to ${mass}`);
  let statistic = 0;
  let cells = 0;
  let joinedObserved = 0;
  let joinedExpected = 0;
  let restExpected = draws;
  for (let cell = 0; cell < observed.length; cell++) {
    joinedObserved += observed[cell] as number;
    joinedExpected += (probabilities[cell] as number) * draws;
    restExpected -= (probabilities[cell] as number) * draws;
    const last = cell === observed.length - 1;
    if (!last && (joinedExpected < LEAST_EXPECTED || restExpected < LEAST_EXPECTED)) continue;
    statistic += (joinedObserved - joinedExpected) ** 2 / joinedExpected;
    cells++;
    joinedObserved = 0;
    joinedExpected = 0;
  }
  return { statistic, freedom: cells - 1 };
}

/** Bounds of the statistic by the approximation of Wilson and Hilferty. */
export function chiSquareBounds(freedom: number): { least: number; most: number } {
  const bound = (z: number) => freedom * (1 - 2 / (9 * freedom) + z * Math.sqrt(2 / (9 * freedom))) ** 3;
  return { least: Math.max(0, bound(-Z)), most: bound(Z) };
}

/** Whether counts per cell can be draws from these probabilities: neither too far off nor suspiciously near. */
export function fits(observed: ArrayLike<number>, probabilities: ArrayLike<number>): boolean {
  const { statistic, freedom } = chiSquare(observed, probabilities);
  const { least, most } = chiSquareBounds(freedom);
  return statistic >= least && statistic <= most;
}

export function assertFits(observed: ArrayLike<number>, probabilities: ArrayLike<number>): void {
  const { statistic, freedom } = chiSquare(observed, probabilities);
  const { least, most } = chiSquareBounds(freedom);
  assert.ok(
    statistic >= least && statistic <= most,
    `chi-square ${statistic.toFixed(1)} at ${freedom} degrees of freedom is not in ${least.toFixed(1)}..${most.toFixed(1)}`,
  );
}

/** How often each of 0..cells-1 comes up in `draws` draws. Fails on anything else. */
export function tally(cells: number, draws: number, draw: () => number): Float64Array {
  const counts = new Float64Array(cells);
  for (let done = 0; done < draws; done++) {
    const value = draw();
    if (!Number.isInteger(value) || value < 0 || value >= cells)
      assert.fail(`draw ${done} is ${value}, not in 0..${cells - 1}`);
    (counts[value] as number) += 1;
  }
  return counts;
}
