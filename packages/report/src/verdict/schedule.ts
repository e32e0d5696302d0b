import { formatCount, formatPercent, formatRate, signedPercent } from '../units.js';
import { type Evidence, nameStage, type Observation, type StageEvidence } from './evidence.js';

/** What is exactly at the limit may be rounded past it. */
const ROUNDING = 1e-9;

/** Open workloads sent what their schedules asked for, within 1 %. */
export function schedule(evidence: Evidence): Observation[] {
  const found: Observation[] = [];
  let worst: { deviation: number; sent: number; due: number } | null = null;
  for (const at of evidence.stages)
    for (const load of at.summary.load) {
      const asked = load.schedule;
      if (asked === null || !asked.judged || asked.deviation === null || asked.tolerance === null) continue;
      const { deviation, sent, due, tolerance } = asked;
      if (worst === null || Math.abs(deviation) > Math.abs(worst.deviation)) worst = { deviation, sent, due };
      if (Math.abs(deviation) <= tolerance + ROUNDING) continue;
      const { late, dropped } = heldUp(at, load.workload);
      const name = at.summary.load.length > 1 ? `${load.workload} of ` : '';
      found.push({
        level: 'DEGRADED',
        text:
          `${name}${nameStage(evidence, at)}: ${formatRate(asked.sentPerSec)} operations/s were sent of ` +
          `${formatRate(asked.duePerSec)}/s asked (${signedPercent(deviation)}, allowed ${formatPercent(tolerance)}); ` +
          `${formatCount(late)} late, ${formatCount(dropped)} dropped`,
        figures: { sent, due, deviation, tolerance, late, dropped },
        at,
      });
    }
  if (found.length > 0 || worst === null) return found;
  return [
    {
      level: 'VALID',
      text: `the schedule was kept: ${formatCount(worst.sent)} of ${formatCount(Math.round(worst.due))} due operations were sent (${signedPercent(worst.deviation)})`,
      figures: worst,
      at: null,
    },
  ];
}

function heldUp(at: StageEvidence, workload: string): { late: number; dropped: number } {
  const rows = at.summary.rows.filter((row) => row.workload === workload);
  return {
    late: rows.reduce((sum, row) => sum + row.late, 0),
    dropped: rows.reduce((sum, row) => sum + row.dropped, 0),
  };
}
