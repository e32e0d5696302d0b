import { type Group, type Keys, LIMITS, STAGE_KINDS, type Stage, type Workload } from '@pacecar/protocol';
import { type Findings, under } from './findings.js';
import type { Groups } from './groups.js';
import { nearest } from './near-word.js';
import { shown } from './quantity/decimal.js';
import { entry, type Reader } from './reader.js';
import type { SourceMapping } from './source-tree.js';
import { checkSplit, checkTotal } from './split-check.js';
import { nameStages, readShared, readStage, type WrittenStage } from './stage-source.js';
import { Layers, type PlacedLayer, type WorkloadLayer } from './workload.js';

const DEFAULT_LIMIT_MS = 3_600_000;

/** A stage, and where it is written. */
export interface PlacedStage {
  readonly stage: Stage;
  readonly path: string;
  /** Where its operations are decided. */
  readonly mixPath: string;
  /** Whether its mix could be read; otherwise the stage shows the default. */
  readonly mixRead: boolean;
}

/** Reads `workload` and `stages` at one sweep point. Stages that cannot be read are left out; that has been said. */
export function readStages(root: SourceMapping, groups: Groups, reader: Reader): readonly PlacedStage[] {
  const shared = readShared(root, reader);
  const node = entry(root, 'stages')?.value;
  const items = reader.list(node, 'stages', 'stages such as [load, measure: { for: 10s }]');
  if (node?.kind === 'list' && items.length === 0)
    reader.findings.of('stages', `has no stage; allowed: ${STAGE_KINDS.join(', ')}`);
  if (items.length > LIMITS.stagesPerCell)
    reader.findings.of('stages', `has ${items.length} stages; allowed: at most ${LIMITS.stagesPerCell}`);
  const written = items.flatMap((item, index) => readStage(item, under('stages', index), reader) ?? []);
  const names = nameStages(written, reader.findings);
  return written.flatMap((stage, index) => {
    const layers = new Layers(layersOf(written, index, shared));
    const resolved = resolve(stage, names[index] as string, layers, groups, reader.findings);
    if (resolved === null) return [];
    const fixed = stage.kind === 'load' || stage.kind === 'verify';
    const { path } = stage;
    return [
      {
        stage: resolved,
        path,
        mixPath: fixed ? path : layers.pathOf('mix'),
        mixRead: fixed || layers.read('mix'),
      },
    ];
  });
}

/** What a stage builds on, from the general to the particular. */
function layersOf(stages: readonly WrittenStage[], index: number, shared: PlacedLayer): PlacedLayer[] {
  const stage = stages[index] as WrittenStage;
  const own = stage.placed;
  if (stage.kind === 'warm-up') {
    const measure = stages.slice(index + 1).find(({ kind }) => kind === 'measure');
    if (measure !== undefined) return [shared, measure.placed, own];
  }
  if (stage.kind === 'verify') {
    const load = stages.slice(0, index).findLast(({ kind }) => kind === 'load');
    if (load !== undefined) return [shared, dataOf(load.placed), own];
  }
  return [shared, own];
}

/** Only what a layer says of keys and values. */
function dataOf({ layer, path, unread }: PlacedLayer): PlacedLayer {
  const isData = (field: string) => field.startsWith('key') || field === 'value';
  const data: WorkloadLayer = Object.fromEntries(Object.entries(layer).filter(([field]) => isData(field)));
  return { layer: data, path, unread: new Set([...unread].filter(isData)) };
}

function resolve(
  stage: WrittenStage,
  name: string,
  layers: Layers,
  groups: Groups,
  findings: Findings,
): Stage | null {
  const { merged } = layers;
  const group = findGroup(stage, layers, groups, findings);
  if (merged.connectTimeoutMs > merged.armTimeoutMs && layers.read('connectTimeoutMs', 'armTimeoutMs'))
    findings.of(
      layers.pathOf('connectTimeoutMs'),
      'connectTimeout is longer than armTimeout, so it could never pass',
    );
  const onceEach = stage.end.kind === 'keys';
  const own = stage.placed.layer.distribution;
  if (onceEach && own !== undefined && own !== 'partitioned')
    findings.of(
      layers.pathOf('distribution'),
      `every key once can only be done partitioned; found ${own}; leave the distribution out`,
    );
  const workload = resolveWorkload(stage, layers, onceEach, findings);
  if (group === null) return null;
  if (!groups.unsized.has(group.name) && layers.read('threads', 'connections'))
    checkSplit(workload, group, layers, findings);
  if (!groups.unsized.has(group.name) && stage.end.kind === 'operations')
    checkTotal(stage.end.operations, group, `${stage.placed.path}.operations`, findings);
  return {
    name,
    kind: stage.kind,
    group: group.name,
    workloads: [workload],
    end: stage.end,
    operationTimeoutMs: merged.operationTimeoutMs,
    connectTimeoutMs: merged.connectTimeoutMs,
    armTimeoutMs: merged.armTimeoutMs,
    drainMs: merged.drainMs,
    // A stage that ends by time needs no other limit than its time and its drain.
    limitMs:
      stage.end.kind === 'duration'
        ? stage.end.durationMs + merged.drainMs
        : (stage.limitMs ?? DEFAULT_LIMIT_MS),
  };
}

function findGroup(stage: WrittenStage, layers: Layers, groups: Groups, findings: Findings): Group | null {
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

function resolveWorkload(
  stage: WrittenStage,
  layers: Layers,
  onceEach: boolean,
  findings: Findings,
): Workload {
  const { merged } = layers;
  const mix: Workload['mix'] =
    stage.kind === 'load'
      ? [{ operation: 'put', weight: 1 }]
      : stage.kind === 'verify'
        ? [{ operation: 'get', weight: 1 }]
        : merged.mix;
  const size = merged.value;
  const checkValues =
    stage.kind === 'load'
      ? false
      : stage.kind === 'verify'
        ? (stage.placed.layer.checkValues ?? true)
        : merged.checkValues;
  if (checkValues && layers.read('mix') && !mix.some(({ operation }) => operation === 'get'))
    findings.of(layers.pathOf('checkValues'), 'checks the values of gets, and the mix has no get');
  return {
    name: 'main',
    threads: merged.threads,
    connections: merged.connections,
    depth: merged.depth,
    mix,
    keys: resolveKeys(layers, onceEach, findings),
    values: {
      size:
        size.minimumBytes === size.maximumBytes
          ? { kind: 'fixed', bytes: size.minimumBytes }
          : { kind: 'uniform', ...size },
    },
    checkValues,
    model: { kind: 'closed' },
  };
}

function resolveKeys(layers: Layers, onceEach: boolean, findings: Findings): Keys {
  const { merged } = layers;
  const digits = String(merged.keyRange.maximum).length;
  const width = merged.keyWidth ?? digits;
  if (width > 0 && width < digits && layers.read('keyRange', 'keyWidth'))
    findings.of(
      layers.pathOf('keyWidth'),
      `the largest key ${merged.keyRange.maximum} has ${digits} digits, more than the width ${width}; ` +
        `allowed: ${digits} to 20, or 0 for numbers as they are`,
    );
  return {
    ...merged.keyRange,
    prefix: merged.keyPrefix,
    width,
    distribution: { kind: onceEach ? 'partitioned' : merged.distribution },
  };
}
