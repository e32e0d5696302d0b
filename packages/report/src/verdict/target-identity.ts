import { stageOfNumber, type TargetFacts } from '@pacecar/protocol';
import { type Evidence, nameStage, type Observation } from './evidence.js';

/** One stage's answers of the server at one address. */
interface Answers {
  readonly stage: string;
  readonly facts: TargetFacts[];
}

/** The same server answered at an address as long as the run took, for all that servers say of themselves. */
export function targetIdentity(evidence: Evidence): Observation[] {
  return [...answersByServer(evidence)].flatMap(([, { address, stages }]) => {
    const observation = split(address, stages) ?? replaced(address, stages);
    return observation === null ? [] : [observation];
  });
}

function replaced(address: string, stages: readonly Answers[]): Observation | null {
  const changes: string[] = [];
  let first: string | null = null;
  for (const [index, { stage, facts }] of stages.entries()) {
    const before = stages[index - 1];
    const [earlier] = before?.facts ?? [];
    const [now] = facts;
    if (before === undefined || earlier === undefined || now === undefined) continue;
    const what = differences(earlier, now);
    if (what.length === 0) continue;
    first ??= what.join(', ');
    changes.push(`${what.join(', ')} changed between ${before.stage} and ${stage}`);
  }
  if (changes.length === 0) return null;
  const more = changes.length === 1 ? '' : `, and ${changes.length - 1} more changes`;
  return {
    level: 'DEGRADED',
    text: `the target at ${address} was restarted or replaced during the run (${changes[0]}${more})`,
    figures: { address, changes: changes.length, what: first },
    at: null,
  };
}

/** Several servers behind one address: what changes from stage to stage is then chance. */
function split(address: string, stages: readonly Answers[]): Observation | null {
  for (const { stage, facts } of stages) {
    const [one] = facts;
    const other = facts.find((each) => one !== undefined && differences(one, each).length > 0);
    if (one === undefined || other === undefined) continue;
    const what = differences(one, other).join(', ');
    return {
      level: 'DEGRADED',
      text: `workers reached different servers at ${address}, or it was restarted while they connected (${what} in ${stage})`,
      figures: { address, changes: 1, what },
      at: null,
    };
  }
  return null;
}

/** In the order of the stages. A loopback address is another server on every host. */
function answersByServer(evidence: Evidence): Map<string, { address: string; stages: Answers[] }> {
  const servers = new Map<string, { address: string; stages: Answers[] }>();
  for (const record of evidence.record.stages.values()) {
    const cell = evidence.plan.cells[record.cell];
    const stage = cell === undefined ? null : stageOfNumber(cell, record.stage);
    if (cell === undefined || stage === null) continue;
    const here = new Map<string, Answers>();
    for (const [worker, facts] of record.targets) {
      const host = evidence.record.workers.get(worker)?.host.hostname ?? '';
      const key = JSON.stringify([facts.address, LOOPBACK.test(facts.address) ? host : '']);
      const known = here.get(key);
      if (known !== undefined) {
        known.facts.push(facts);
        continue;
      }
      const answers = { stage: nameStage(evidence, { cell, stage }), facts: [facts] };
      here.set(key, answers);
      const server = servers.get(key) ?? { address: facts.address, stages: [] };
      server.stages.push(answers);
      servers.set(key, server);
    }
  }
  return servers;
}

const LOOPBACK = /^(127\.|localhost\b|\[?::1\b)/;

/** What tells one life of a server from another; what one of the two does not say is no difference. */
function differences(a: TargetFacts, b: TargetFacts): string[] {
  const found: string[] = [];
  if (a.product !== b.product) found.push('product');
  if (a.version !== b.version) found.push('version');
  const [idA, idB] = [a.settings['run_id'], b.settings['run_id']];
  if (idA !== undefined && idB !== undefined && idA !== idB) found.push('run_id');
  return found;
}
