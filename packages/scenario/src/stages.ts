import {
  CLOSED_MODEL,
  type Group,
  type Keys,
  LIMITS,
  nearest,
  plainAction,
  RECONNECT,
  STAGE_KINDS,
  type Stage,
  type StageKind,
  type Workload,
} from '@pacecar/protocol';
import { type Findings, under } from './findings.js';
import type { Groups } from './groups.js';
import { shown } from './quantity/decimal.js';
import { describeNode, entry, type Fields, type Reader } from './reader.js';
import type { SourceMapping, SourceNode } from './source-tree.js';
import { checkSplit } from './split-check.js';
import { Layers, type PlacedLayer, readLayer, type WorkloadLayer } from './workload.js';
import { MeasureShape, STAGE_SHAPES, WorkloadShape } from './written.js';

const DEFAULT_LIMIT_MS = 3_600_000;
const DEFAULT_FOR_MS = { measure: 10_000, 'warm-up': 5_000 };

/** A stage as written: read, but not yet merged with what it takes from elsewhere. */
interface WrittenStage {
  readonly kind: StageKind;
  readonly path: string;
  readonly name: string | null;
  readonly placed: PlacedLayer;
  readonly end: Stage['end'];
  readonly limitMs: number | null;
}

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

function readShared(root: SourceMapping, reader: Reader): PlacedLayer {
  const mapping = reader.mapping(entry(root, 'workload')?.value, 'workload', 'what the stages share');
  const fields = reader.fields(WorkloadShape, mapping, 'workload');
  return readLayer(fields, mapping, 'workload', reader);
}

function readStage(node: SourceNode, path: string, reader: Reader): WrittenStage | null {
  reader.findings.place(path, node.at);
  const forms = `allowed: ${STAGE_KINDS.join(', ')}, alone or with a mapping, as in \`- measure: { for: 10s }\``;
  if (node.kind === 'scalar') {
    const kind = STAGE_KINDS.find((candidate) => candidate === node.text);
    if (kind !== undefined) return readBody(kind, null, path, reader);
    const near = nearest(node.text, STAGE_KINDS);
    reader.findings.at(
      node.at,
      path,
      `${node.text === '' ? 'an empty stage' : `${shown(node.text)} is no stage`}` +
        `${near === null ? '' : `; did you mean ${near}?`}; ${forms}`,
    );
    return null;
  }
  if (node.kind !== 'mapping') {
    reader.findings.at(node.at, path, `expected a stage, found ${describeNode(node)}; ${forms}`);
    return null;
  }
  const kinds = node.entries.filter(({ key }) => STAGE_KINDS.some((kind) => kind === key));
  if (kinds.length === 0 && node.entries.length !== 1) {
    reader.findings.at(node.at, path, `does not say what kind of stage it is; ${forms}`);
    return null;
  }
  reader.known(STAGE_KINDS, node, path, (key) =>
    kinds.length > 0 ? `indent it below ${shown(kinds[0]?.key ?? key)} if it belongs to that stage` : null,
  );
  const [first, second] = kinds;
  if (first === undefined) return null;
  if (second !== undefined)
    reader.findings.at(
      second.keyAt,
      under(path, second.key),
      `two stages in one entry, ${first.key} and ${second.key}; begin each with a dash of its own`,
    );
  const kind = STAGE_KINDS.find((candidate) => candidate === first.key) as StageKind;
  return readBody(kind, first.value, under(path, kind), reader);
}

function readBody(kind: StageKind, node: SourceNode | null, path: string, reader: Reader): WrittenStage {
  const mapping = node === null ? null : reader.mapping(node, path, 'what the stage does');
  // Load and verify know a part of what measure knows; reading by their own shape refuses the rest.
  const readsMix = kind === 'measure' || kind === 'warm-up';
  const hint = (key: string) =>
    key in MeasureShape
      ? `a ${kind} stage has none: it ${kind === 'load' ? 'puts' : 'gets'} every key once`
      : null;
  const fields: Fields<typeof MeasureShape> = reader.fields(STAGE_SHAPES[kind], mapping, path, hint);
  const known = readsMix ? mapping : withoutMix(mapping);
  return {
    kind,
    path,
    name: fields.name ?? null,
    placed: readLayer(fields, known, path, reader),
    end: readsMix ? readEnd(kind, fields, mapping, path, reader.findings) : { kind: 'keys' },
    limitMs: fields.limit ?? null,
  };
}

function withoutMix(mapping: SourceMapping | null): SourceMapping | null {
  return mapping === null
    ? null
    : { ...mapping, entries: mapping.entries.filter(({ key }) => key !== 'mix') };
}

function readEnd(
  kind: 'measure' | 'warm-up',
  fields: Fields<typeof MeasureShape>,
  mapping: SourceMapping | null,
  path: string,
  findings: Findings,
): Stage['end'] {
  const ends = ['for', 'operations', 'allKeys'].filter((key) => {
    const unset = key === 'allKeys' && fields.allKeys === false;
    return entry(mapping, key) !== undefined && !unset;
  });
  if (ends.length > 1) {
    const last = under(path, ends.at(-1) as string);
    findings.of(
      last,
      `a stage has one end, and here are ${ends.length}: ${ends.join(', ')}; keep one of them`,
    );
  }
  if (ends[0] === 'allKeys') return { kind: 'keys' };
  if (fields.operations !== undefined) return { kind: 'operations', operations: fields.operations };
  if (entry(mapping, 'limit') !== undefined && ends[0] !== 'operations')
    findings.of(
      under(path, 'limit'),
      'belongs to stages that end by operations or keys; this one ends by time',
    );
  return { kind: 'duration', durationMs: fields.for ?? DEFAULT_FOR_MS[kind] };
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

function nameStages(stages: readonly WrittenStage[], findings: Findings): string[] {
  const unnamed = (kind: StageKind) => stages.filter((stage) => stage.kind === kind && stage.name === null);
  const names = stages.map((stage) => {
    if (stage.name !== null) return stage.name;
    const same = unnamed(stage.kind);
    return same.length === 1 ? stage.kind : `${stage.kind}-${same.indexOf(stage) + 1}`;
  });
  names.forEach((name, index) => {
    const first = names.indexOf(name);
    if (first === index) return;
    const { path } = stages[index] as WrittenStage;
    findings.of(
      `${path}.name`,
      `the name ${shown(name)} is taken by ${stages[first]?.path}; each stage has its own`,
    );
  });
  return names;
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
      ? [plainAction('put', 1)]
      : stage.kind === 'verify'
        ? [plainAction('get', 1)]
        : merged.mix.map(({ operation, weight }) => plainAction(operation, weight));
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
    mixMode: 'random',
    keys: resolveKeys(layers, onceEach, findings),
    values: {
      size:
        size.minimumBytes === size.maximumBytes
          ? { kind: 'fixed', bytes: size.minimumBytes }
          : { kind: 'uniform', ...size },
      content: { kind: 'printable' },
    },
    records: null,
    checkValues,
    model: CLOSED_MODEL,
    reconnect: RECONNECT,
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
    suffix: '',
    order: 'numeric',
    width,
    distribution: { kind: onceEach ? 'partitioned' : merged.distribution },
  };
}
