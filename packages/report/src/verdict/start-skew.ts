import { formatMs } from '../units.js';
import { type Evidence, nameStage, type Observation } from './evidence.js';

/** The workers' first operations of a measure stage lie within the plan's limit. */
export function startSkew(evidence: Evidence): Observation[] {
  const limitMs = evidence.plan.startSkewLimitMs;
  const found: Observation[] = [];
  let worst: { spreadMs: number; errorBoundMs: number | null } | null = null;
  for (const at of evidence.stages) {
    const { spreadMs, errorBoundMs } = at.summary.startSkew;
    if (at.stage.kind !== 'measure' || spreadMs === null || at.summary.workers.length < 2) continue;
    if (worst === null || spreadMs > worst.spreadMs) worst = { spreadMs, errorBoundMs };
    if (spreadMs > limitMs)
      found.push({
        level: 'DEGRADED',
        text: `${nameStage(evidence, at)}: the workers started ${formatMs(spreadMs)} apart${bound(errorBoundMs)}, limit ${formatMs(limitMs)}`,
        figures: { spreadMs, errorBoundMs, limitMs },
        at,
      });
  }
  if (found.length > 0 || worst === null) return found;
  return [
    {
      level: 'VALID',
      text: `the workers started within ${formatMs(worst.spreadMs)}${bound(worst.errorBoundMs)}, limit ${formatMs(limitMs)}`,
      figures: { ...worst, limitMs },
      at: null,
    },
  ];
}

function bound(errorBoundMs: number | null): string {
  return errorBoundMs === null ? '' : ` (+/- ${formatMs(errorBoundMs)})`;
}
