import {
  type DriverDescription,
  nearest,
  type Plan,
  PlanSchema,
  type RecipeDescription,
} from '@pacecar/protocol';
import { checkSupport, readConfigurations } from './configurations.js';
import { Findings, under } from './findings.js';
import { readGroups } from './groups.js';
import { checkJudgedTime } from './judged-time.js';
import type { Problem } from './problem.js';
import { checkObjectives, readObjectives } from './objectives.js';
import { makeCells } from './make-cells.js';
import { Properties } from './properties.js';
import { shown } from './quantity/decimal.js';
import { entry, type Fields, Reader } from './reader.js';
import { publicText } from './secret-text.js';
import { readSource, type SourceMapping } from './source-tree.js';
import { readServices } from './services.js';
import { readStages } from './stages.js';
import { type Axis, checkAxesUsed, checkCellCount, pointLabel, readAxes, sweepPoints } from './sweep.js';
import type { SecretPlaces } from './secret-places.js';
import { LivenessShape, ScenarioShape } from './written/scenario.js';

export interface ScenarioInput {
  /** The YAML. */
  readonly text: string;
  /** Its name, for messages and as the default of `name`. */
  readonly file: string;
  /** `--set name=value`. */
  readonly set: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly drivers: readonly DriverDescription[];
  /** What workers can run; without them a scenario has no services. */
  readonly recipes?: readonly RecipeDescription[];
  /** `--group name=n`: overrides the sizes of groups. */
  readonly groupSizes?: Readonly<Record<string, number>>;
  /** `--workers n`: the size of the only group. */
  readonly workers?: number;
  /** The text of a file that the scenario names, by a path relative to it; null if there is none. */
  readonly files?: (path: string) => string | null;
}

export type ScenarioResult =
  | {
      readonly ok: true;
      readonly plan: Plan;
      readonly warnings: readonly string[];
      /** The YAML with literal passwords replaced by `***`: what a bundle may keep. */
      readonly publicText: string;
      /** Names given by `--set` whose values are passwords: a recorded command line must hide them. */
      readonly secretSets: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Reads a scenario into a plan, or into every problem that it has, in order of position. Pure. */
export function readScenario(input: ScenarioInput): ScenarioResult {
  const source = readSource(input.text);
  const findings = new Findings();
  for (const { at, message } of source.faults) findings.at(at, '', message);
  const { root } = source;
  let result: ScenarioResult | null = null;
  if (root?.kind === 'mapping') result = readRoot(root, input, findings);
  else if (source.faults.length === 0)
    findings.at(root?.at ?? 0, '', 'a scenario is a mapping that begins with `pacecar: 1`');
  if (result !== null && findings.empty) return result;
  return { ok: false, problems: findings.problems(input.file, source.position) };
}

function readRoot(root: SourceMapping, input: ScenarioInput, findings: Findings): ScenarioResult | null {
  findings.place('', root.at);
  const sweep = entry(root, 'sweep')?.value;
  const swept = new Set(sweep?.kind === 'mapping' ? sweep.entries.map(({ key }) => key) : []);
  const declared = entry(root, 'properties')?.value;
  const properties = new Properties(
    {
      text: input.text,
      declared: declared?.kind === 'mapping' ? declared : null,
      swept,
      set: input.set,
      env: input.env,
    },
    findings,
  );
  const files = input.files ?? (() => null);
  const reader = new Reader(findings, properties, null, files);
  reader.mapping(declared, 'properties', 'values by name, such as { host: 127.0.0.1 }');
  const fields = reader.fields(ScenarioShape, root, '');
  const groups = readGroups(root, { workers: input.workers, groupSizes: input.groupSizes ?? {} }, reader);
  const secrets: SecretPlaces = { scalars: [], sets: new Set(), warnings: [] };
  const services = readServices(root, input.recipes ?? [], groups, reader, secrets);
  const configurations = readConfigurations(root, input.drivers, services, reader, secrets);
  const objectives = readObjectives(root, reader);
  const liveness = readLiveness(root, reader);
  const axes = readAxes(reader.mapping(sweep, 'sweep', 'properties and lists of values'), input.set, reader);
  const repetitions = fields.repeat ?? 1;
  const feasible = checkCellCount(axes, Math.max(1, configurations.length), repetitions, findings);
  const points = sweepPoints(feasible ? axes : axes.map(firstValue));

  const read = points.map((point) => {
    const own = findings.child();
    const stages = readStages(root, groups, services, new Reader(own, properties, point, files));
    checkSupport(configurations, stages, own);
    // A stage that could not be read may be the one that an objective means.
    if (own.empty) {
      checkObjectives(objectives, stages, own);
      checkJudgedTime(stages, fields.interval ?? DEFAULT_INTERVAL_MS, own);
    }
    return { label: pointLabel(point), point, stages, findings: own };
  });
  findings.merge(read);
  checkAxesUsed(axes, properties, findings);
  checkSets(input.set, properties, findings);
  if (!findings.empty) return null;

  const name = fields.name ?? nameOfFile(input.file);
  const cells = makeCells(
    configurations,
    read,
    repetitions,
    fields.order ?? 'interleaved',
    services,
    findings,
  );
  if (!findings.empty) return null;
  const plan: Plan = {
    pacecar: 1,
    name,
    seed: fields.seed ?? 1,
    groups: groups.all,
    configurations: configurations.map(({ configuration }) => configuration),
    ...(services.placed.size === 0
      ? {}
      : { services: [...services.placed.values()].map(({ service }) => service) }),
    cells,
    order: fields.order ?? 'interleaved',
    onWorkerLoss: fields.onWorkerLoss ?? 'fail',
    errorBudget: fields.errorBudget ?? 0.001,
    missBudget: fields.missBudget ?? 0.1,
    startSkewLimitMs: fields.startSkewLimit ?? 100,
    objectives,
    intervalMs: fields.interval ?? DEFAULT_INTERVAL_MS,
    liveness,
  };
  // A plan that its own schema refuses would be refused by every worker; it must never leave here.
  PlanSchema.parse(plan);
  return {
    ok: true,
    plan,
    warnings: [...secrets.warnings, ...unusedProperties(properties)],
    publicText: publicText(input.text, secrets.scalars),
    secretSets: [...secrets.sets],
  };
}

const DEFAULT_INTERVAL_MS = 1_000;

const firstValue = (axis: Axis): Axis => ({ ...axis, values: axis.values.slice(0, 1) });

function readLiveness(root: SourceMapping, reader: Reader): Plan['liveness'] {
  const mapping = reader.mapping(
    entry(root, 'liveness')?.value,
    'liveness',
    Object.keys(LivenessShape).join(', '),
  );
  const fields: Fields<typeof LivenessShape> = reader.fields(LivenessShape, mapping, 'liveness');
  const liveness = {
    heartbeatMs: fields.heartbeat ?? 1_000,
    lostAfterMs: fields.lostAfter ?? 10_000,
    leaseMs: fields.lease ?? 10_000,
    joinTimeoutMs: fields.join ?? 60_000,
    startLeadMs: fields.startLead ?? 500,
  };
  for (const [key, ms] of [
    ['lostAfter', liveness.lostAfterMs],
    ['lease', liveness.leaseMs],
  ] as const)
    if (ms < 2 * liveness.heartbeatMs)
      reader.findings.of(
        under('liveness', key),
        `must be at least two heartbeats (${2 * liveness.heartbeatMs}ms), so that one late heartbeat ends nothing; found ${ms}ms`,
      );
  return liveness;
}

function checkSets(set: Readonly<Record<string, string>>, properties: Properties, findings: Findings): void {
  const known = [...new Set([...properties.declaredNames, ...properties.sweptNames, ...properties.uses])];
  for (const name of Object.keys(set)) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    const all = known.length === 0 ? 'the scenario has none' : `properties: ${known.join(', ')}`;
    findings.flag(
      '--set',
      `the scenario has no property ${shown(name)}${near === null ? '' : `; did you mean ${near}?`}; ${all}`,
    );
  }
}

function unusedProperties(properties: Properties): string[] {
  return properties.declaredNames
    .filter((name) => !properties.uses.has(name))
    .map((name) => `properties.${name}: nothing uses \${${name}}`);
}

/** `scenarios/redis.yaml` -> `redis`. */
function nameOfFile(file: string): string {
  const base = file.split(/[/\\]/).at(-1) ?? '';
  const name = base.replace(/\.ya?ml$/i, '').slice(0, 100);
  return name === '' || name === '-' ? 'scenario' : name;
}
