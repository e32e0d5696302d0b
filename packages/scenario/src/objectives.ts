import {
  isBackground,
  nearest,
  type Objective,
  objectiveMeans,
  type Operation,
  type Stage,
} from '@pacecar/protocol';
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
    checkMeaning(objective, measured.flatMap(rowsOf), path, 'no measure stage has', findings);
  });
  for (const placed of stages) checkOwn(placed, findings);
}

/** The objectives that decide how a stage goes. */
function checkOwn({ stage, path }: PlacedStage, findings: Findings): void {
  const rows = rowsOf(stage);
  const { stopWhen, search } = stage;
  for (const objective of stopWhen?.any ?? []) {
    const at = under(path, 'stopWhen');
    checkMeaning(objective, rows, at, 'the stage does not have', findings);
    const { comparison, threshold } = objective;
    if (comparison === '>=' && threshold === 0)
      findings.of(at, `${shown(objective.text)} is always true, so that the stage would end at once`);
  }
  for (const objective of search?.objectives ?? []) {
    const at = under(under(path, 'search'), 'objective');
    checkMeaning(objective, rows, at, 'the stage does not have', findings);
    const { metric, comparison, text } = objective;
    const meant = rows.filter((row) => objectiveMeans(objective, row));
    if (metric === 'throughput' && meant.every(({ workload }) => workload === search?.workload))
      findings.of(
        at,
        `${shown(text)} is on the throughput of what is searched, which follows from the rate; whether a rate is reached is ` +
          'judged in any case',
      );
    else if (metric !== 'throughput' && comparison.startsWith('>'))
      findings.of(
        at,
        `${shown(text)} asks for more, not less: a rate holds while a latency or a share stays below a limit; write < or <=`,
      );
  }
}

/** That an objective speaks of an operation there is, and can be met. */
function checkMeaning(
  objective: Objective,
  rows: readonly Row[],
  path: string,
  lacking: string,
  findings: Findings,
): void {
  const meant = rows.filter((row) => objectiveMeans(objective, row, row.inBackground));
  const { operation, metric, comparison, threshold, text } = objective;
  if (meant.length === 0) {
    const names = [...new Set(rows.map((row) => row.operation)), 'total'];
    const near = nearest(operation, names);
    findings.of(
      path,
      `${lacking} the operation ${shown(operation)} in its mix` +
        `${near === null ? '' : `; did you mean ${near}?`}; allowed: ${names.join(', ')}`,
    );
  } else if (metric === 'misses' && meant.every(({ does }) => NEVER_MISS.has(does)))
    findings.of(path, `in ${shown(text)}, ${operation} looks nothing up, so it cannot miss`);
  else if (comparison === '<' && threshold === 0)
    findings.of(path, `${shown(text)} can never be true: nothing is below zero`);
  else if ((metric === 'errors' || metric === 'misses') && comparison === '>' && threshold === 1)
    findings.of(path, `${shown(text)} can never be true: no share is more than the whole`);
}

type Row = ReturnType<typeof rowsOf>[number];

function rowsOf(stage: Stage) {
  const inBackground = isBackground(stage);
  return stage.workloads.flatMap(({ name: workload, mix }) =>
    mix.map(({ name: operation, operation: does }) => ({ workload, operation, does, inBackground })),
  );
}
