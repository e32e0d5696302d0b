import { nearest, STAGE_KINDS, type Stage, type StageKind } from '@pacecar/protocol';
import { type Findings, under } from './findings.js';
import { shown } from './quantity/decimal.js';
import { describeNode, entry, type Fields, type Reader } from './reader.js';
import type { SourceMapping, SourceNode } from './source-tree.js';
import { type PlacedLayer, readLayer } from './workload.js';
import { MeasureShape, STAGE_SHAPES, WorkloadShape } from './written-stage.js';

const DEFAULT_FOR_MS = { measure: 10_000, 'warm-up': 5_000 };

/** A stage as written: read, but not yet merged with what it takes from elsewhere. */
export interface WrittenStage {
  readonly kind: StageKind;
  readonly path: string;
  readonly name: string | null;
  readonly placed: PlacedLayer;
  readonly end: Stage['end'];
  readonly limitMs: number | null;
}

/** What `workload` says. */
export function readShared(root: SourceMapping, reader: Reader): PlacedLayer {
  const mapping = reader.mapping(entry(root, 'workload')?.value, 'workload', 'what the stages share');
  const fields = reader.fields(WorkloadShape, mapping, 'workload');
  return readLayer(fields, mapping, 'workload', reader);
}

/** One entry of `stages`; null if it cannot be read, which has then been said. */
export function readStage(node: SourceNode, path: string, reader: Reader): WrittenStage | null {
  reader.findings.place(path, node.at);
  const forms = `allowed: ${STAGE_KINDS.join(', ')}, alone or with a mapping, as in \`- measure: { for: 10s }\``;
  if (node.kind === 'scalar') {
    const kind = STAGE_KINDS.find((candidate) => candidate === node.text);
    if (kind !== undefined) return readBody(kind, null, path, reader);
    const near = nearest(node.text, STAGE_KINDS);
    reader.findings.at(
      node.at,
      path,
      (node.text === '' ? 'an empty stage' : `${shown(node.text)} is no stage`) +
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

/** The names of all stages: those given, the others by kind, numbered where there are several. */
export function nameStages(stages: readonly WrittenStage[], findings: Findings): string[] {
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
