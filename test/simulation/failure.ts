import { type SimulationResult, simulate } from './simulation.js';

/** A trace is read from its end. */
const LINES_SHOWN = 150;

/** What a person needs of a failing seed: what is wrong, how it came to that, and how to run it again. */
export function failureText(result: SimulationResult): string {
  const { trace } = simulate(result.seed, { traced: true });
  const shown = trace.slice(-LINES_SHOWN);
  const left = trace.length - shown.length;
  return [
    `seed ${result.seed} (${result.weather}) breaks an invariant: ${result.violations[0]}`,
    ...(left > 0 ? [`... ${left} lines before`] : []),
    ...shown,
    `again: npm run simulate -- --seed ${result.seed} --trace`,
    '',
  ].join('\n');
}
