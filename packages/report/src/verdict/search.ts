import type { ProbeJudgement } from '@pacecar/protocol';
import type { ProbeSource } from '../summary/search.js';
import { plural } from '../units.js';
import type { Evidence, Observation } from './evidence.js';

/** What the coordinator decided of each probe while the run went follows from the frames that it left. */
export function searchPath(evidence: Evidence): Observation[] {
  const found: Observation[] = [];
  let judged = 0;
  for (const { probes } of evidence.searches)
    for (const probe of probes) {
      const decided = probe.probe.judgement ?? null;
      if (decided === null) continue;
      judged++;
      const difference = differenceOf(decided, probe);
      if (difference === null) continue;
      found.push({
        level: 'INVALID',
        text: `${probe.stage.name}: ${difference}`,
        figures: { probe: probe.index },
        at: evidence.probes.find((other) => other === probe) ?? null,
      });
    }
  if (found.length > 0 || judged === 0) return found;
  return [
    {
      level: 'VALID',
      text: `${judged === 1 ? 'the probe' : `all ${plural(judged, 'probe')}`} of searches judged alike while the run went and from its record`,
      figures: { probes: judged },
      at: null,
    },
  ];
}

const COUNTS = ['sent', 'late', 'dropped', 'ok', 'failed'] as const;

function differenceOf(decided: ProbeJudgement, { judgement }: ProbeSource): string | null {
  if (judgement === null) return 'it was judged, but no frame of it stands in the record';
  for (const name of COUNTS)
    if (decided[name] !== judgement[name])
      return `it was judged by ${decided[name]} ${name}, its frames hold ${judgement[name]}`;
  const other = decided.objectives.find(
    ({ actual }, index) => actual !== (judgement.objectives[index]?.actual ?? null),
  );
  if (other !== undefined) return `${other.objective.text} was judged by another figure than its frames give`;
  if (decided.held !== judgement.held) return 'it was judged otherwise than its frames say';
  return null;
}
