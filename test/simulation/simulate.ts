/**
 * npm run simulate -- [--seeds 10000] [--first 1] [--seed N [--trace]]
 *
 * Many seeds: says how they ended, and stops at the first whose invariants do not hold, with its trace. One seed:
 * runs it again; --trace prints everything that happened in it. Exit code 1 when an invariant does not hold.
 */
import { parseArgs } from 'node:util';
import { failureText } from './failure.js';
import { simulate } from './simulation.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});

function wholeNumber(name: 'seeds' | 'first' | 'seed', text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  process.stderr.write(`--${name} ${text} is not a whole number\n`);
  process.exit(2);
}

function runOne(seed: number): void {
  const result = simulate(seed, { traced: values.trace });
  if (values.trace) process.stdout.write(`${result.trace.join('\n')}\n`);
  process.stdout.write(`seed ${seed}: ${result.weather}, ${result.outcome}, `);
  process.stdout.write(
    result.violations.length === 0 ? 'every invariant held\n' : `${result.violations[0]}\n`,
  );
  process.exitCode = result.violations.length === 0 ? 0 : 1;
}

function runMany(first: number, seeds: number): void {
  const outcomes = new Map<string, number>();
  const startedAt = performance.now();
  for (let seed = first; seed < first + seeds; seed++) {
    const result = simulate(seed);
    if (result.violations.length > 0) {
      process.stdout.write(failureText(result));
      process.exitCode = 1;
      return;
    }
    const outcome = `${result.weather}: ${result.outcome}`;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(`${seeds} seeds from ${first} on in ${seconds.toFixed(1)} s: every invariant held\n`);
  for (const [outcome, count] of [...outcomes].sort(([a], [b]) => (a < b ? -1 : 1)))
    process.stdout.write(`  ${String(count).padStart(6)}  ${outcome}\n`);
}

if (values.seed !== undefined) runOne(wholeNumber('seed', values.seed));
else runMany(wholeNumber('first', values.first), wholeNumber('seeds', values.seeds));
