import { plural } from '../units.js';
import { type Evidence, everyStage, nameStage, type Observation, type StageEvidence } from './evidence.js';

/** Every frame that a worker numbered stands in the record, and every worker said which was its last. */
export function statisticsWhole(evidence: Evidence): Observation[] {
  const found: Observation[] = [];
  for (const at of everyStage(evidence))
    found.push(...missingFrames(evidence, at), ...missingEnds(evidence, at));
  if (found.length > 0 || evidence.frames === 0) return found;
  return [
    {
      level: 'VALID',
      text: `all ${plural(evidence.frames, 'frame')} of statistics stand in the record, each counted once`,
      figures: { frames: evidence.frames },
      at: null,
    },
  ];
}

function missingFrames(evidence: Evidence, at: StageEvidence): Observation[] {
  const found: Observation[] = [];
  for (const { worker, name } of at.summary.workers) {
    const sequences = at.tally?.workers.get(worker)?.sequences ?? null;
    const drain = at.record?.drains.get(worker) ?? null;
    const last = drain?.lastSequence ?? sequences?.highest ?? -1;
    const missing = sequences === null ? last + 1 : sequences.missingUpTo(last);
    if (missing > 0)
      found.push({
        level: 'INVALID',
        text: `${nameStage(evidence, at)}: ${missing} of ${plural(last + 1, 'frame')} of worker ${name} are lost`,
        figures: { worker, missing, of: last + 1 },
        at,
      });
    else if (drain !== null && (sequences?.highest ?? -1) > drain.lastSequence)
      found.push({
        level: 'INVALID',
        text: `${nameStage(evidence, at)}: worker ${name} called frame ${drain.lastSequence} its last, but frame ${sequences?.highest} stands in the record`,
        figures: { worker, lastSequence: drain.lastSequence, highest: sequences?.highest ?? -1 },
        at,
      });
  }
  return found;
}

/** A worker that neither drained nor was lost left an end that nobody knows. Lost ones have a rule of their own. */
function missingEnds(evidence: Evidence, at: StageEvidence): Observation[] {
  if (at.record === null)
    return [
      {
        level: 'INVALID',
        text: `${nameStage(evidence, at)}: its events are missing from the record`,
        figures: {},
        at,
      },
    ];
  if (at.record.go === null) return [];
  const open = at.record.workers.filter(
    (worker) =>
      !at.record?.drains.has(worker) && (evidence.record.workers.get(worker)?.lost ?? null) === null,
  );
  if (open.length === 0) return [];
  const names = open
    .slice(0, 5)
    .map((worker) => evidence.record.workers.get(worker)?.name ?? `worker ${worker}`);
  const more = open.length > names.length ? ` and ${open.length - names.length} more` : '';
  return [
    {
      level: 'INVALID',
      text: `${nameStage(evidence, at)}: ${names.join(', ')}${more} never reported the end of the stage, so the last statistics may be lost`,
      figures: { workers: open.length, of: at.record.workers.length },
      at,
    },
  ];
}

/** Whatever of the bundle could not be read may have held figures. */
export function damage(evidence: Evidence): Observation[] {
  return evidence.damage.map((text) => ({
    level: 'INVALID',
    text: `the record is damaged: ${text}`,
    figures: {},
    at: null,
  }));
}
