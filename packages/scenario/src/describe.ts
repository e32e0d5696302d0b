import {
  type Cell,
  type Configuration,
  endsByCount,
  isBackground,
  type Plan,
  SECRET_SHOWN,
  type Stage,
} from '@pacecar/protocol';
import { grouped, labelled, printable, roundBytes } from './columns.js';
import {
  ASSUMED_KEY_OVERHEAD_BYTES,
  ASSUMED_OPERATION_MS,
  ASSUMED_PER_THREAD_PER_SEC,
  estimateMs,
  groupSize,
  inFlightOf,
  type Reckoning,
} from './estimate.js';
import { dataSet, largestOperationBytes } from './data-set.js';
import { writeDuration } from './quantity/duration.js';
import { writeRatio } from './quantity/ratio.js';
import { stageLines } from './stage-lines.js';

/** More cells than this are counted, not listed. */
const CELLS_SHOWN = 40;
/** Sweep points whose differences are shown. */
const POINTS_SHOWN = 20;
const LABEL = 14;

/** The text of `pacecar validate`: every default resolved, at most 100 columns. Holds no secret. */
export function describePlan(plan: Plan): string {
  return [
    ...labelled('', `${printable(plan.name)}: a valid scenario; nothing was sent`, 0, 0).map((line) =>
      line.trimStart(),
    ),
    '',
    ...runLines(plan),
    '',
    'configurations',
    ...plan.configurations.flatMap((configuration) =>
      labelled(printable(configuration.name), configurationText(configuration), 2, LABEL - 2),
    ),
    ...serviceLines(plan),
    '',
    ...stageSection(plan),
    ...cellSection(plan),
    '',
    ...estimateLines(plan),
    '',
  ].join('\n');
}

function runLines(plan: Plan): string[] {
  const { liveness } = plan;
  let first = 0;
  const groups = plan.groups.map(({ name, size }) => {
    const indexes = size === 1 ? `worker ${first}` : `workers ${first}..${first + size - 1}`;
    first += size;
    return `${printable(name)} ${grouped(size)} (${indexes})`;
  });
  const rows: [string, string][] = [
    ['seed', String(plan.seed)],
    ['groups', groups.join(', ')],
    ['order', plan.order],
    ['worker loss', plan.onWorkerLoss === 'fail' ? 'fail' : 'continue, and mark the run DEGRADED'],
    [
      'budgets',
      `errors ${writeRatio(plan.errorBudget)}, misses ${writeRatio(plan.missBudget)}, start skew ${writeDuration(plan.startSkewLimitMs)}`,
    ],
    [
      'objectives',
      plan.objectives.length === 0 ? 'none' : plan.objectives.map(({ text }) => text).join(', '),
    ],
    ['interval', writeDuration(plan.intervalMs)],
    [
      'liveness',
      `heartbeat ${writeDuration(liveness.heartbeatMs)}, lost after ${writeDuration(liveness.lostAfterMs)}, ` +
        `lease ${writeDuration(liveness.leaseMs)}, join ${writeDuration(liveness.joinTimeoutMs)}, ` +
        `start lead ${writeDuration(liveness.startLeadMs)}`,
    ],
  ];
  return rows.flatMap(([label, text]) => labelled(label, text, 0, LABEL));
}

function serviceLines({ services = [] }: Plan): string[] {
  if (services.length === 0) return [];
  return [
    '',
    'services',
    ...services.flatMap(({ name, recipe, group, parameters, username, password }) => {
      const login = password === null ? '' : `, login ${printable(username ?? 'default')}:${SECRET_SHOWN}`;
      const given = Object.entries(parameters).map(([key, value]) => `${key} = ${printable(String(value))}`);
      const text = `recipe ${recipe}, group ${printable(group)}${login}${given.length === 0 ? '' : `, ${given.join(', ')}`}`;
      return labelled(printable(name), text, 2, LABEL - 2);
    }),
  ];
}

function configurationText({ driver, target, settings }: Configuration): string {
  const user =
    target.username === null && target.password === null
      ? ''
      : `${printable(target.username ?? '')}${target.password === null ? '' : `:${SECRET_SHOWN}`}@`;
  const places = target.addresses ?? [target];
  const hosts = places
    .map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`)
    .join(', ');
  const place = target.socket === undefined ? hosts : `the socket ${target.socket}`;
  const verified = target.tls?.verify === false ? ', not verified' : '';
  const named = target.databaseName ?? (target.database === 0 ? null : String(target.database));
  const database = named === null ? '' : `, database ${printable(named)}`;
  const address =
    target.kind === 'service'
      ? `the service ${printable(target.service ?? '')}${database}`
      : target.kind === 'builtin'
        ? "builtin (Pacecar's own)"
        : `${user}${printable(place)}` + database + (target.tls === undefined ? '' : `, by TLS${verified}`);
  const set = Object.entries(settings).map(
    ([key, value]) => `${printable(key)} = ${printable(String(value))}`,
  );
  return `driver ${printable(driver)}, target ${address}${set.length === 0 ? '' : `, ${set.join(', ')}`}`;
}

/** One cell of each sweep point, in the order of the run. */
function points(plan: Plan): Cell[] {
  const byPoint = new Map<string, Cell>();
  for (const cell of plan.cells) {
    const point = JSON.stringify(cell.coordinates);
    if (!byPoint.has(point)) byPoint.set(point, cell);
  }
  return [...byPoint.values()];
}

function stageSection(plan: Plan): string[] {
  const [first, ...others] = points(plan);
  if (first === undefined) return [];
  const where = others.length === 0 ? 'of each cell' : `at ${coordinatesText(first)}`;
  const lines = [`stages ${where}`];
  first.stages.forEach((stage, index) => {
    lines.push(...labelled('', stageTitle(stage, index), 1, 0));
    for (const [label, text] of stageLines(plan, stage)) lines.push(...labelled(label, text, 4, LABEL - 2));
  });
  lines.push('');
  if (others.length > 0) lines.push(...differences(plan, first, others));
  return lines;
}

function stageTitle(stage: Stage, index: number): string {
  const kind = stage.name === stage.kind ? '' : ` (${stage.kind})`;
  const result =
    stage.kind === 'warm-up' ? ', enters no result' : isBackground(stage) ? ', in the background' : '';
  return `${index + 1} ${printable(stage.name)}${kind}${result}`;
}

/** What the other sweep points do otherwise than the first. */
function differences(plan: Plan, first: Cell, others: readonly Cell[]): string[] {
  const lines = ['what differs at other sweep points'];
  for (const cell of others.slice(0, POINTS_SHOWN)) {
    lines.push(...labelled('', `at ${coordinatesText(cell)}`, 1, 0));
    cell.stages.forEach((stage, index) => {
      const base = first.stages[index];
      const known = base === undefined ? [] : stageLines(plan, base);
      const changed = stageLines(plan, stage).filter(([, text], line) => known[line]?.[1] !== text);
      if (changed.length === 0) return;
      lines.push(...labelled('', stageTitle(stage, index), 3, 0));
      for (const [label, text] of changed) lines.push(...labelled(label, text, 6, LABEL - 2));
    });
  }
  if (others.length > POINTS_SHOWN) lines.push(`  ... and ${others.length - POINTS_SHOWN} sweep points more`);
  return [...lines, ''];
}

function coordinatesText(cell: Cell): string {
  return Object.entries(cell.coordinates)
    .map(([name, value]) => `${name} = ${printable(String(value))}`)
    .join(', ');
}

function cellSection(plan: Plan): string[] {
  const count = plan.cells.length;
  const lines = [count === 1 ? 'cells: 1' : `cells: ${grouped(count)}, in the order of the run`];
  for (const cell of plan.cells.slice(0, CELLS_SHOWN)) {
    const coordinates = coordinatesText(cell);
    lines.push(
      ...labelled(
        String(cell.index + 1),
        `${printable(cell.configuration)}, repetition ${cell.repetition + 1}${coordinates === '' ? '' : `, ${coordinates}`}`,
        2,
        String(count).length,
      ),
    );
  }
  if (count > CELLS_SHOWN) lines.push(`  ... and ${grouped(count - CELLS_SHOWN)} cells more`);
  return lines;
}

function estimateLines(plan: Plan): string[] {
  const lines = labelled('duration', durationText(plan), 0, LABEL);
  const data = dataSet(plan);
  if (data !== null) {
    const inTarget = data.bytes + data.keys * ASSUMED_KEY_OVERHEAD_BYTES;
    lines.push(
      ...labelled(
        'data set',
        `${grouped(data.keys)} keys x (${round(data.meanValueBytes)} B value + ${round(data.keyBytes)} B key) = ` +
          roundBytes(data.bytes),
        0,
        LABEL,
      ),
      ...labelled(
        'memory',
        `target about ${roundBytes(inTarget)} (with ${ASSUMED_KEY_OVERHEAD_BYTES} B of its own per key); ` +
          `a worker's data in flight at most ${roundBytes(inFlightBytes(plan))}`,
        0,
        LABEL,
      ),
    );
  }
  return lines;
}

function durationText(plan: Plan): string {
  const about = (probes: Reckoning) =>
    writeDuration(Math.max(1, Math.round(estimateMs(plan, probes) / 1000)) * 1000);
  const searches = plan.cells.some((cell) => cell.stages.some((stage) => stage.search !== null));
  const between = searches ? `, from ${about('fewest')} to ${about('most')} as the searches go` : '';
  const assumed = plan.cells.some((cell) => cell.stages.some(endsByCount));
  const by =
    `stages without a time taken at ${ASSUMED_OPERATION_MS} ms per operation, ` +
    `at most ${grouped(ASSUMED_PER_THREAD_PER_SEC)}/s per thread`;
  return `about ${about('likely')}${between}${assumed ? ` (${by})` : ''}`;
}

function inFlightBytes(plan: Plan): number {
  let largest = 0;
  for (const stages of new Set(plan.cells.map((cell) => cell.stages)))
    for (const stage of stages)
      for (const workload of stage.workloads) {
        const inFlight = inFlightOf(workload, groupSize(plan, stage), 0);
        largest = Math.max(largest, inFlight * largestOperationBytes(workload));
      }
  return largest;
}

const round = (bytes: number) => grouped(Math.round(bytes));
