import { nearest, type Objective, objectiveMeans, type Operation, type Stage } from '@pacecar/protocol';
import { type Findings, under } from './findings.js';
import { shown } from './quantity/decimal.js';
import { entry, type Reader } from './reader.js';
import type { SourceMapping } from './source-tree.js';
import type { PlacedStage } from './stages.js';
import { ScenarioShape } from './written/scenario.js';

const MOST = 100;
/** Operations that look nothing up. */
const NEVER_MISS: ReadonlySet<Operation> = new Set<Operation>([
  'put',
  'insert',
  'increment',
  'putAll',
  'putRange',
  'scan',
  'updateRecord',
  'insertRecord',
]);

export function readObjectives(root: SourceMapping, reader: Reader): Objective[] {
  const items = reader.list(
    entry(root, 'objectives')?.value,
    'objectives',
    'objectives such as [get.p99 < 5ms]',
  );
  if (items.length > MOST)
    reader.findings.of('objectives', `has ${items.length} objectives; allowed: at most ${MOST}`);
  const schema = ScenarioShape.objectives.unwrap().element;
  return items.flatMap((item, index) => reader.leaf(schema, item, under('objectives', index)) ?? []);
}

/** An objective that no measure stage can meet or miss would pass unseen. */
export function checkObjectives(
  objectives: readonly Objective[],
  stages: readonly PlacedStage[],
  findings: Findings,
): void {
  const measured = stages.flatMap(({ stage }) => (stage.kind === 'measure' ? [stage] : []));
  objectives.forEach((objective, index) => {
    const path = under('objectives', index);
    if (measured.length === 0) {
      findings.of(path, 'objectives judge measure stages, and the scenario has none');
      return;
    }
    const rows = measured.flatMap(rowsOf);
    const meant = rows.filter((row) => objectiveMeans(objective, row));
    if (meant.length === 0) {
      const names = [...new Set(rows.map(({ operation }) => operation)), 'total'];
      const near = nearest(objective.operation, names);
      findings.of(
        path,
        `no measure stage has the operation ${shown(objective.operation)} in its mix` +
          `${near === null ? '' : `; did you mean ${near}?`}; allowed: ${names.join(', ')}`,
      );
    } else if (objective.metric === 'misses' && meant.every(({ does }) => NEVER_MISS.has(does)))
      findings.of(
        path,
        `in ${shown(objective.text)}, ${objective.operation} looks nothing up, so it cannot miss`,
      );
  });
}

function rowsOf({ workloads }: Stage) {
  return workloads.flatMap(({ name: workload, mix }) =>
    mix.map(({ name: operation, operation: does }) => ({ workload, operation, does })),
  );
}
