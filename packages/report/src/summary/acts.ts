import type { ServiceAction, Stage } from '@pacecar/protocol';
import type { Act, Mark } from './act-schema.js';
import { outcomeOf, type StageSource } from './stage-summary.js';

/** A stage that sent no load. */
export function summarizeAct(source: StageSource): Act {
  const { stage, record } = source;
  const drains = [...(record?.drains.values() ?? [])];
  return {
    index: source.index,
    name: stage.name,
    kind: stage.kind === 'wait' ? 'wait' : 'service',
    text: actText(stage),
    service: stage.action?.service ?? null,
    outcome: outcomeOf(source),
    startedAtMs: record?.go?.startAtMs ?? null,
    elapsedMs: drains.length === 0 ? null : Math.max(...drains.map(({ elapsedNs }) => elapsedNs)) / 1e6,
    nodes: (record?.reports ?? [])
      .map(({ role, index, address, facts, files, end }) => ({
        role,
        index,
        address,
        product: facts?.product ?? null,
        version: facts?.version ?? null,
        end,
        files,
        bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      }))
      .sort((a, b) => a.index - b.index),
  };
}

function actText({ action, end }: Stage): string {
  if (action === undefined) return `wait ${end.kind === 'duration' ? end.durationMs / 1_000 : 0} s`;
  return `${didText(action)} ${action.do === 'fault' ? 'of ' : ''}${action.service}`;
}

function didText(action: ServiceAction): string {
  switch (action.do) {
    case 'stop':
    case 'restart':
      return action.how === 'kill' ? `${action.do} (kill)` : action.do;
    case 'wait':
      return 'wait for';
    case 'fault': {
      const which =
        action.index === null
          ? `every ${action.role ?? 'process'}`
          : `${action.role ?? 'process'} ${action.index}`;
      return `${action.fault} ${which}`;
    }
    default:
      return action.do;
  }
}

/** What was done to services while a stage ran. */
export function marksOf({ record }: StageSource, elapsedMs: number | null, acts: readonly Act[]): Mark[] {
  const startAtMs = record?.go?.startAtMs ?? null;
  if (startAtMs === null || elapsedMs === null) return [];
  return acts.flatMap(({ kind, name, text, startedAtMs }) => {
    const atMs = startedAtMs === null ? -1 : startedAtMs - startAtMs;
    return kind === 'wait' || atMs < 0 || atMs > elapsedMs ? [] : [{ atMs, stage: name, text }];
  });
}
