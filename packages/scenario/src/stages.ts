import { type Group, isBackground, LIMITS, nearest, type Search, type Stage } from '@pacecar/protocol';
import { type EndingStage, findBackgroundEnds } from './background.js';
import { actStage } from './act-stage.js';
import { type Findings, under } from './findings.js';
import type { Groups } from './groups.js';
import { shown } from './quantity/decimal.js';
import { entry, type Reader } from './reader.js';
import type { Services } from './services.js';
import type { SourceMapping } from './source-tree.js';
import { isAct, nameStages, readEntry, STAGE_WORDS } from './stage-entry.js';
import { readShared, type WrittenWorkload } from './stage-source.js';
import { DATA_FIELDS, Layers, OFFER_FIELDS } from './workload/layer.js';
import { layersOfPlaces, placePart, type WrittenPlace } from './workload/place.js';
import { checkSplit, checkTotal } from './workload/split-check.js';
import { resolveWorkload } from './workload/workload.js';

const DEFAULT_LIMIT_MS = 3_600_000;
/** The name of a workload that is alone in its stage. */
const ONLY = 'main';

/** Where the operations of one workload are decided. */
export interface MixPlace {
  readonly path: string;
  /** Whether the mix could be read; otherwise the workload shows the default. */
  readonly read: boolean;
}

/** A stage, and where it is written. */
export interface PlacedStage {
  readonly stage: Stage;
  readonly path: string;
  /** In the order of the stage's workloads. */
  readonly mixes: readonly MixPlace[];
}

/** Reads `workload` and `stages` at one sweep point. Stages that cannot be read are left out; that has been said. */
export function readStages(
  root: SourceMapping,
  groups: Groups,
  services: Services,
  reader: Reader,
): readonly PlacedStage[] {
  const shared = readShared(root, reader);
  const node = entry(root, 'stages')?.value;
  const items = reader.list(node, 'stages', 'stages such as [load, measure: { for: 10s }]');
  if (node?.kind === 'list' && items.length === 0)
    reader.findings.of('stages', `has no stage; allowed: ${STAGE_WORDS.join(', ')}`);
  const written = items.flatMap((item, index) => readEntry(item, under('stages', index), reader, services));
  const most = Math.max(items.length, written.length);
  if (most > LIMITS.stagesPerCell)
    reader.findings.of('stages', `has ${most} stages; allowed: at most ${LIMITS.stagesPerCell}`);
  const names = nameStages(written, reader.findings);
  const steps = findBackgroundEnds(written, names, reader.findings);
  const stages = steps.filter((step): step is EndingStage => !isAct(step));
  const [anybody] = groups.all;
  return steps.flatMap((step, index) => {
    const name = names[index] as string;
    if (isAct(step)) {
      const stage = actStage(name, step.kind, anybody?.name ?? '', step);
      return { stage, path: step.path, mixes: [] };
    }
    const source = sourceOf(stages, stages.indexOf(step), shared);
    return resolve(step, name, source, groups, reader.findings) ?? [];
  });
}

/** What a stage builds on: places from the general to the particular, and workloads if there are several. */
interface StageSource {
  readonly common: readonly WrittenPlace[];
  readonly workloads: readonly WrittenWorkload[];
  /** What the stage says after all of that. */
  readonly own: readonly WrittenPlace[];
}

function sourceOf(stages: readonly EndingStage[], index: number, shared: WrittenPlace): StageSource {
  const stage = stages[index] as EndingStage;
  const { kind, place, workloads } = stage;
  if (kind === 'measure') return { common: [shared, place], workloads, own: [] };
  if (kind === 'warm-up') {
    const measure = stages.slice(index + 1).find((other) => other.kind === 'measure' && !isBackground(other));
    if (measure === undefined) return { common: [shared, place], workloads, own: [] };
    if (workloads.length > 0) return { common: [shared, measure.place, place], workloads, own: [] };
    return { common: [shared, measure.place], workloads: measure.workloads, own: [place] };
  }
  const base = placePart(shared, (field) => !OFFER_FIELDS.has(field));
  const load =
    kind === 'verify' ? stages.slice(0, index).findLast((other) => other.kind === 'load') : undefined;
  if (load === undefined) return { common: [base, place], workloads, own: [] };
  const data = (of: WrittenPlace) => placePart(of, (field) => DATA_FIELDS.has(field));
  if (workloads.length > 0) return { common: [base, data(load.place), place], workloads, own: [] };
  const loaded = load.workloads.map(({ name, place: of }) => ({ name, place: data(of) }));
  return { common: [base, data(load.place)], workloads: loaded, own: [place] };
}

function resolve(
  stage: EndingStage,
  name: string,
  source: StageSource,
  groups: Groups,
  findings: Findings,
): PlacedStage | null {
  const layers = new Layers(layersOfPlaces([...source.common, ...source.own]));
  const { merged } = layers;
  const group = findGroup(stage, layers, groups, findings);
  if (merged.connectTimeoutMs > merged.armTimeoutMs && layers.read('connectTimeoutMs', 'armTimeoutMs'))
    findings.of(
      layers.pathOf('connectTimeoutMs'),
      'connectTimeout is longer than armTimeout, so it could never pass',
    );
  const parts =
    source.workloads.length === 0
      ? [{ name: ONLY, layers }]
      : source.workloads.map(({ name: of, place }) => ({
          name: of,
          layers: new Layers(layersOfPlaces([...source.common, place, ...source.own])),
        }));
  const ownPlaces = [stage.place, ...stage.workloads.map(({ place }) => place)];
  const workloads = parts.map((part) => resolveWorkload(stage, ownPlaces, part, findings));
  const rows = workloads.reduce((sum, { mix }) => sum + mix.length, 0);
  if (rows > LIMITS.rowsPerFrame)
    findings.of(
      under(stage.path, 'workloads'),
      `have ${rows} operations in all, each a row of every frame; allowed: at most ${LIMITS.rowsPerFrame}`,
    );
  if (group === null) return null;
  if (!groups.unsized.has(group.name) && parts.every((part) => part.layers.read('threads', 'connections'))) {
    const placed = workloads.map((workload, index) => ({
      workload,
      layers: (parts[index] as (typeof parts)[number]).layers,
    }));
    checkSplit(placed, under(stage.path, 'workloads'), group, findings);
  }
  if (!groups.unsized.has(group.name) && stage.end.kind === 'operations')
    checkTotal(stage.end.operations, group, `${stage.path}.operations`, findings);
  const fixed = stage.kind === 'load' || stage.kind === 'verify';
  const resolved: Stage = {
    name,
    kind: stage.kind,
    group: group.name,
    workloads,
    end: stage.end,
    operationTimeoutMs: merged.operationTimeoutMs,
    connectTimeoutMs: merged.connectTimeoutMs,
    armTimeoutMs: merged.armTimeoutMs,
    drainMs: merged.drainMs,
    // A stage that ends by time needs no other limit than its time and its drain; a background has no time of its own.
    limitMs:
      stage.end.kind === 'duration'
        ? stage.end.durationMs + merged.drainMs
        : (stage.limitMs ?? DEFAULT_LIMIT_MS),
    stopWhen: stage.stopWhen,
    search: searchOf(stage, parts, findings),
  };
  checkSize(resolved, stage.path, findings);
  return {
    stage: resolved,
    path: stage.path,
    mixes: parts.map(({ layers: own }) => ({
      path: fixed ? stage.path : own.pathOf('mix'),
      read: fixed || own.read('mix'),
    })),
  };
}

/** A search is of the one workload that says no rate of its own. */
function searchOf(
  { search, path }: EndingStage,
  parts: readonly { readonly name: string; readonly layers: Layers }[],
  findings: Findings,
): Search | null {
  if (search === null) return null;
  const ratePath = under(search.path, 'rate');
  const searched = parts.filter(({ layers }) => layers.pathOf('rate') === ratePath);
  const [first] = searched;
  if (first !== undefined && searched.length === 1) return { workload: first.name, ...search.search };
  findings.of(
    first === undefined ? ratePath : under(path, 'workloads'),
    first === undefined
      ? 'every workload says a rate of its own; the one that is searched says none'
      : `${searched.map(({ name }) => name).join(', ')} say no rate of their own, and a search is of one workload; give the ` +
          'others a `rate`, or `rate: none`',
  );
  return null;
}

/** Room for what a worker is told beside its stage. */
const LARGEST_STAGE = LIMITS.controlMessageBytes - 64 * 1024;

/** Whether the stage fits into one message to a worker: commands and recorded rates can be long. */
function checkSize(stage: Stage, path: string, findings: Findings): void {
  const bytes = new TextEncoder().encode(JSON.stringify(stage)).length;
  if (bytes > LARGEST_STAGE)
    findings.of(
      path,
      `the stage takes ${bytes} bytes to be told to a worker, most of it commands or recorded rates; allowed: at most ` +
        `${LARGEST_STAGE}`,
    );
}

function findGroup(stage: EndingStage, layers: Layers, groups: Groups, findings: Findings): Group | null {
  const names = groups.all.map(({ name }) => name);
  const wanted = layers.merged.group;
  if (wanted === undefined) {
    if (!layers.read('group')) return null;
    if (groups.all.length > 1)
      findings.of(
        stage.path,
        `does not say which group runs it; add \`group:\` here or in \`workload\`: ${names.join(', ')}`,
      );
    return groups.all.length === 1 ? (groups.all[0] as Group) : null;
  }
  const found = groups.all.find(({ name }) => name === wanted);
  if (found !== undefined || groups.all.length === 0) return found ?? null;
  const near = nearest(wanted, names);
  findings.of(
    layers.pathOf('group'),
    `there is no group ${shown(wanted)}${near === null ? '' : `; did you mean ${near}?`}; groups: ${names.join(', ')}`,
  );
  return null;
}
