import type { LittlesLaw, Schedule, StageSummary } from '../summary/schema.js';
import { formatLatency, formatRate, signedPercent } from '../units.js';

/** What a stage says of its schedules, the generator and Little's law: for text and page alike. */

/** `5.00k/s asked, 4.99k/s sent (-0.2 %)`. */
export function scheduleText({ duePerSec, sentPerSec, deviation, judged }: Schedule): string {
  const by = deviation === null ? '' : ` (${signedPercent(deviation)}${judged ? '' : ', cut short'})`;
  return `${formatRate(duePerSec)}/s asked, ${formatRate(sentPerSec)}/s sent${by}`;
}

/** The generator's own error: how long after an operation could start it was sent. */
export function pacingText(stage: StageSummary): string | null {
  const { pacing } = stage.total;
  if (pacing === null) return null;
  return (
    `generator's own error p50 ${formatLatency(pacing.p50Ns)}, p99 ${formatLatency(pacing.p99Ns)}, ` +
    `max ${formatLatency(pacing.maxNs)} (due and room for it, to sent)`
  );
}

export function lawText({ inFlight, product, deviation, unjudged }: LittlesLaw): string {
  const figures =
    inFlight === null || product === null
      ? ''
      : `${formatRate(inFlight)} in flight on average, throughput x mean time ${formatRate(product)}`;
  if (unjudged !== null) return `${figures === '' ? '' : `${figures}; `}Little's law n/a: ${unjudged}`;
  return `${figures} (${signedPercent(deviation ?? 0)}, Little's law)`;
}
