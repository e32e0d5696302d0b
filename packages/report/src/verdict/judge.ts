import { type Finding, LEVELS, type Level, type Verdict } from '../summary/schema.js';
import { plural } from '../units.js';
import { acknowledgement } from './acknowledgement.js';
import { conservation } from './conservation.js';
import type { Evidence, Observation, Rule } from './evidence.js';
import { generatorCeiling } from './generator-ceiling.js';
import { littlesLaw } from './littles-law.js';
import { targetSilent, workerStoodStill } from './silence.js';
import { errorBudget, missBudget, success } from './outcomes.js';
import { runComplete, workersPresent } from './participation.js';
import { schedule } from './schedule.js';
import { searchPath } from './search.js';
import { startSkew } from './start-skew.js';
import { targetIdentity } from './target-identity.js';
import { damage, statisticsWhole } from './statistics.js';

/** In the order in which findings of one level are read: what ended the run first, then what it means. */
export const RULES: readonly Rule[] = [
  { name: 'workers', judge: workersPresent },
  { name: 'run-complete', judge: runComplete },
  { name: 'success', judge: success },
  { name: 'conservation', judge: conservation },
  { name: 'statistics', judge: statisticsWhole },
  { name: 'damage', judge: damage },
  { name: 'search-path', judge: searchPath },
  { name: 'target-identity', judge: targetIdentity },
  { name: 'acknowledgement', judge: acknowledgement },
  { name: 'target-silent', judge: targetSilent },
  { name: 'worker-standstill', judge: workerStoodStill },
  { name: 'error-budget', judge: errorBudget },
  { name: 'miss-budget', judge: missBudget },
  { name: 'start-skew', judge: startSkew },
  { name: 'schedule', judge: schedule },
  { name: 'generator-ceiling', judge: generatorCeiling },
  { name: 'littles-law', judge: littlesLaw },
];

/** Findings listed of one rule and level; the rest is counted. */
const LISTED = 5;

/** Applies every rule. The status is the worst level found; a run without any finding would be VALID. */
export function judge(evidence: Evidence): Verdict {
  const findings: Finding[] = [];
  for (const rule of RULES) {
    const observations = rule.judge(evidence);
    for (const level of LEVELS) {
      const own = observations.filter((observation) => observation.level === level);
      findings.push(...own.slice(0, LISTED).map((observation) => findingOf(rule.name, observation)));
      if (own.length > LISTED) findings.push(restOf(rule.name, level, own.length - LISTED));
    }
  }
  const reasons = findings.filter((finding) => finding.level !== 'VALID');
  // Stable: within a level the order of the rules stays.
  reasons.sort((a, b) => LEVELS.indexOf(b.level) - LEVELS.indexOf(a.level));
  return {
    status: reasons[0]?.level ?? 'VALID',
    reasons,
    evidence: findings.filter((finding) => finding.level === 'VALID'),
  };
}

function findingOf(rule: string, { level, text, figures, at }: Observation): Finding {
  return { rule, level, text, figures, cell: at?.cell.index ?? null, stage: at?.stage.name ?? null };
}

function restOf(rule: string, level: Level, count: number): Finding {
  return {
    rule,
    level,
    text: `${plural(count, 'more finding')} of this rule`,
    figures: { count },
    cell: null,
    stage: null,
  };
}
