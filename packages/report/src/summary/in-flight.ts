import type { Load, StageSummary } from './schema.js';
import type { ActivityTally } from './activity-tally.js';

/** What could be in flight at most, and what was at the ends of the whole intervals. */
export function inFlightOf(
  load: readonly Load[],
  activity: ActivityTally | null,
  wholeIntervals: number,
): StageSummary['inFlight'] {
  let samples = 0;
  let sum = 0;
  let maximum = 0;
  for (const [interval, { inFlight }] of activity?.intervals ?? []) {
    if (interval >= wholeIntervals) continue;
    samples++;
    sum += inFlight;
    maximum = Math.max(maximum, inFlight);
  }
  return {
    limit: load.reduce((total, { inFlightLimit }) => total + inFlightLimit.total, 0),
    samples,
    sampledMaximum: samples === 0 ? null : maximum,
    sampledMean: samples === 0 ? null : Math.round((sum / samples) * 1e3) / 1e3,
  };
}
