import { formatPercent, formatRate, signedPercent } from '../units.js';
import { type Evidence, nameStage, type Observation } from './evidence.js';

/** What is exactly at the limit may be rounded past it. */
const ROUNDING = 1e-9;

/** What frames say was in flight is throughput x mean time, within 5 %, wherever that can be judged. */
export function littlesLaw(evidence: Evidence): Observation[] {
  const found: Observation[] = [];
  let worst: { deviation: number; inFlight: number; product: number } | null = null;
  for (const at of evidence.stages) {
    const { deviation, inFlight, product, tolerance } = at.summary.littlesLaw;
    if (deviation === null || inFlight === null || product === null || tolerance === null) continue;
    if (worst === null || Math.abs(deviation) > Math.abs(worst.deviation))
      worst = { deviation, inFlight, product };
    if (Math.abs(deviation) <= tolerance + ROUNDING) continue;
    found.push({
      level: 'DEGRADED',
      text:
        `${nameStage(evidence, at)}: ${formatRate(inFlight)} operations were in flight on average, but throughput x mean time ` +
        `is ${formatRate(product)} (${signedPercent(deviation)}, allowed ${formatPercent(tolerance)}): times or counts are wrong`,
      figures: { inFlight, product, deviation, tolerance },
      at,
    });
  }
  if (found.length > 0 || worst === null) return found;
  return [
    {
      level: 'VALID',
      text: `Little's law holds: ${formatRate(worst.inFlight)} in flight on average, throughput x mean time is ${formatRate(worst.product)} (${signedPercent(worst.deviation)})`,
      figures: worst,
      at: null,
    },
  ];
}
