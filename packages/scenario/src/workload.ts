import type { Amount, Keys, Operation } from '@pacecar/protocol';
import { OPERATIONS } from '@pacecar/protocol';
import { under } from './findings.js';
import type { KeyRange } from './quantity/key-range.js';
import { writeRatio } from './quantity/ratio.js';
import type { SizeRange } from './quantity/size.js';
import { entry, type Fields, type Reader } from './reader.js';
import type { SourceMapping } from './source-tree.js';
import { KeysShape, MixShape, type WorkloadShape } from './written-stage.js';

export type Distribution = Extract<Keys['distribution']['kind'], 'uniform' | 'sequential' | 'partitioned'>;
export type Mix = readonly { readonly operation: Operation; readonly weight: number }[];

/** What one place says of a workload; what it leaves out comes from elsewhere. Times in ms. */
export interface WorkloadLayer {
  readonly group?: string;
  readonly threads?: Amount;
  readonly connections?: Amount;
  readonly depth?: number;
  readonly mix?: Mix;
  readonly keyRange?: KeyRange;
  readonly keyPrefix?: string;
  readonly keyWidth?: number;
  readonly distribution?: Distribution;
  readonly value?: SizeRange;
  readonly checkValues?: boolean;
  readonly operationTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly armTimeoutMs?: number;
  readonly drainMs?: number;
}

type Complete = Omit<Required<WorkloadLayer>, 'group' | 'keyWidth'> &
  Pick<WorkloadLayer, 'group' | 'keyWidth'>;

/** What a scenario that says nothing gets. The reference shows the same values; a test compares them. */
export const DEFAULT_LAYER: Complete = {
  threads: { count: 1, scope: 'worker' },
  connections: { count: 10, scope: 'worker' },
  depth: 1,
  mix: [
    { operation: 'get', weight: 80 },
    { operation: 'put', weight: 20 },
  ],
  keyRange: { minimum: 0, maximum: 99_999 },
  keyPrefix: 'key:',
  distribution: 'uniform',
  value: { minimumBytes: 100, maximumBytes: 100 },
  checkValues: false,
  operationTimeoutMs: 5_000,
  connectTimeoutMs: 5_000,
  armTimeoutMs: 30_000,
  drainMs: 5_000,
};

/** A layer and where each of its fields is written, for problems that show only when layers meet. */
export interface PlacedLayer {
  readonly layer: WorkloadLayer;
  readonly path: string;
  /** Fields that are written but could not be read: what follows from their defaults would mislead. */
  readonly unread: ReadonlySet<LayerField>;
}

export type LayerField = keyof WorkloadLayer;

/** Where a field stands below its layer's path. */
const WRITTEN_AT: Readonly<Record<LayerField, string>> = {
  group: 'group',
  threads: 'threads',
  connections: 'connections',
  depth: 'depth',
  mix: 'mix',
  keyRange: 'keys.range',
  keyPrefix: 'keys.prefix',
  keyWidth: 'keys.width',
  distribution: 'keys.distribution',
  value: 'value',
  checkValues: 'checkValues',
  operationTimeoutMs: 'operationTimeout',
  connectTimeoutMs: 'connectTimeout',
  armTimeoutMs: 'armTimeout',
  drainMs: 'drain',
};

/** Layers from the general to the particular: the last one that says something is right. */
export class Layers {
  readonly #layers: readonly PlacedLayer[];
  readonly merged: Complete;

  constructor(layers: readonly PlacedLayer[]) {
    this.#layers = layers;
    this.merged = Object.assign({}, DEFAULT_LAYER, ...layers.map(({ layer }) => layer)) as Complete;
  }

  /** Whether all these fields could be read wherever they are written. */
  read(...fields: readonly LayerField[]): boolean {
    return fields.every((field) => !this.#layers.some(({ unread }) => unread.has(field)));
  }

  /** The path of the text that decided a field; of the most particular layer if it is a default. */
  pathOf(field: LayerField): string {
    const decided = this.#layers.findLast(({ layer }) => layer[field] !== undefined);
    const last = this.#layers.at(-1)?.path ?? '';
    return decided === undefined ? last : `${decided.path}.${WRITTEN_AT[field]}`;
  }
}

/** Reads what a `workload` or a stage says of its workload. `fields` are its scalars, already read. */
export function readLayer(
  fields: Partial<Fields<typeof WorkloadShape>>,
  mapping: SourceMapping | null,
  path: string,
  reader: Reader,
): PlacedLayer {
  const layer = defined<WorkloadLayer>({
    group: fields.group,
    threads: fields.threads,
    connections: fields.connections,
    depth: fields.depth,
    mix: readMix(mapping, path, reader) ?? undefined,
    ...readKeys(mapping, path, reader),
    value: fields.value,
    checkValues: fields.checkValues,
    operationTimeoutMs: fields.operationTimeout,
    connectTimeoutMs: fields.connectTimeout,
    armTimeoutMs: fields.armTimeout,
    drainMs: fields.drain,
  });
  return { layer, path, unread: unreadFields(layer, mapping) };
}

function unreadFields(layer: WorkloadLayer, mapping: SourceMapping | null): ReadonlySet<LayerField> {
  const unread = new Set<LayerField>();
  for (const [field, place] of Object.entries(WRITTEN_AT) as [LayerField, string][]) {
    const [first = '', second] = place.split('.');
    const outer = entry(mapping, first)?.value;
    const short = first === 'keys' && outer?.kind !== 'mapping';
    const written =
      first !== 'keys'
        ? outer !== undefined
        : short
          ? outer !== undefined && field === 'keyRange'
          : outer?.kind === 'mapping' && entry(outer, second ?? 'range') !== undefined;
    if (written && layer[field] === undefined) unread.add(field);
  }
  return unread;
}

/** A copy without the fields that are undefined. */
function defined<T extends object>(fields: { [K in keyof T]?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

type KeyFields = {
  [K in 'keyRange' | 'keyPrefix' | 'keyWidth' | 'distribution']?: WorkloadLayer[K] | undefined;
};

function readKeys(mapping: SourceMapping | null, path: string, reader: Reader): KeyFields {
  const written = entry(mapping, 'keys');
  if (written === undefined) return {};
  const place = under(path, 'keys');
  if (written.value.kind !== 'mapping')
    return { keyRange: reader.leaf(KeysShape.range.unwrap(), written.value, place) };
  const fields = reader.fields(KeysShape, written.value, place);
  return {
    keyRange: fields.range,
    keyPrefix: fields.prefix,
    keyWidth: fields.width,
    distribution: fields.distribution,
  };
}

function readMix(mapping: SourceMapping | null, path: string, reader: Reader): Mix | null {
  const written = entry(mapping, 'mix');
  if (written === undefined) return null;
  const place = under(path, 'mix');
  const inner = reader.mapping(written.value, place, 'operations and weights such as { get: 80, put: 20 }');
  if (inner === null) return null;
  if (inner.entries.length === 0) {
    reader.findings.of(place, `names no operation; allowed: ${OPERATIONS.join(', ')}, each with a weight`);
    return null;
  }
  const fields = reader.fields(MixShape, inner, place);
  const mix = OPERATIONS.flatMap((operation) => {
    const weight = fields[operation];
    return weight === undefined ? [] : [{ operation, ...weight }];
  });
  if (mix.length < inner.entries.length) return null;
  const percents = mix.filter(({ percent }) => percent);
  const sum = percents.reduce((total, { weight }) => total + weight, 0);
  if (percents.length > 0 && percents.length < mix.length)
    reader.findings.of(place, 'mixes weights and percentages; write a % behind all of them or behind none');
  else if (percents.length > 0 && Math.abs(sum - 100) > 1e-9)
    reader.findings.of(place, `the percentages add up to ${writeRatio(sum / 100)}; they must add up to 100%`);
  // In the order of OPERATIONS, so that the order of writing changes no random stream.
  return mix.map(({ operation, weight }) => ({ operation, weight }));
}
