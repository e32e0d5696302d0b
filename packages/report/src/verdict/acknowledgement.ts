import { NOT_ACKNOWLEDGED, type Operation } from '@pacecar/protocol';
import type { Evidence, Observation } from './evidence.js';

const READ_ONLY: ReadonlySet<Operation> = new Set<Operation>([
  ...(['get', 'getAll', 'getRange', 'scan', 'readRecord', 'scanRecords'] as const),
]);

/** Writes that nobody answers count as ok once they are sent: neither their errors nor their loss can be seen. */
export function acknowledgement(evidence: Evidence): Observation[] {
  const unanswered = new Set<string>();
  for (const { cell, stage, record } of evidence.stages) {
    const writes = stage.workloads.some(({ mix }) => mix.some(({ operation }) => !READ_ONLY.has(operation)));
    const targets = [...(record?.targets.values() ?? [])];
    if (writes && targets.some(({ settings }) => settings['writes'] === NOT_ACKNOWLEDGED))
      unanswered.add(cell.configuration);
  }
  return [...unanswered].map((configuration) => ({
    level: 'DEGRADED',
    text:
      `the writes of configuration ${configuration} were not acknowledged by the target, as its settings ask: they count ` +
      'as ok once sent, their latency is that of sending, and errors and lost writes are not seen',
    figures: { configuration },
    at: null,
  }));
}
