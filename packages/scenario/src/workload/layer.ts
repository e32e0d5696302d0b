import {
  type Action,
  type Amount,
  type Keys,
  plainAction,
  type RateProfile,
  type Records,
  type Size,
  type Values,
  type ClosedModel,
} from '@pacecar/protocol';
import type { Span } from '../quantity/duration-range.js';
import type { KeyRange } from '../quantity/key-range.js';

type Distribution = Keys['distribution'];
/** As in the plan, but a gaussian knows its range only when layers have met. */
export type WrittenDistribution =
  | Exclude<Distribution, { kind: 'gaussian' }>
  | { readonly kind: 'gaussian'; readonly medianKey: number | null; readonly deviation: number | null };

export interface Mix {
  readonly mode: 'random' | 'ratio';
  readonly actions: readonly Action[];
}

/** What one place says of a workload; what it leaves out comes from elsewhere. Times in ms. */
export interface WorkloadLayer {
  readonly group?: string;
  readonly threads?: Amount;
  readonly connections?: Amount;
  readonly depth?: number;
  readonly mix?: Mix;
  readonly keyRange?: KeyRange;
  readonly keyPrefix?: string;
  readonly keySuffix?: string;
  readonly hashTag?: boolean;
  readonly keyWidth?: number;
  readonly keyOrder?: Keys['order'];
  readonly distribution?: WrittenDistribution;
  readonly valueSize?: Size;
  readonly valueContent?: Values['content'];
  readonly records?: Records;
  readonly checkValues?: boolean;
  /** null: the closed model. */
  readonly rate?: RateProfile | null;
  readonly arrivals?: 'constant' | 'poisson';
  readonly lateAfterMs?: number;
  /** null: never. */
  readonly dropAfterMs?: number | null;
  readonly thinkTimeMs?: number;
  readonly start?: ClosedModel['start'];
  /** Operations; null: never. */
  readonly reconnectEvery?: number | null;
  readonly backOff?: Span;
  readonly operationTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly armTimeoutMs?: number;
  readonly drainMs?: number;
}

export type LayerField = keyof WorkloadLayer;

/** Fields without a default. */
type Open = 'group' | 'keyWidth' | 'records';
type Complete = Omit<Required<WorkloadLayer>, Open> & Pick<WorkloadLayer, Open>;

/** What a scenario that says nothing gets. The reference shows the same values; a test compares them. */
export const DEFAULT_LAYER: Complete = {
  threads: { count: 1, scope: 'worker' },
  connections: { count: 10, scope: 'worker' },
  depth: 1,
  mix: { mode: 'random', actions: [plainAction('get', 80), plainAction('put', 20)] },
  keyRange: { minimum: 0, maximum: 99_999 },
  keyPrefix: 'key:',
  keySuffix: '',
  hashTag: false,
  keyOrder: 'numeric',
  distribution: { kind: 'uniform' },
  valueSize: { kind: 'fixed', bytes: 100 },
  valueContent: { kind: 'printable' },
  checkValues: false,
  rate: null,
  arrivals: 'constant',
  lateAfterMs: 10,
  dropAfterMs: null,
  thinkTimeMs: 0,
  start: { kind: 'together' },
  reconnectEvery: null,
  backOff: { shortestMs: 10, longestMs: 1_000 },
  operationTimeoutMs: 5_000,
  connectTimeoutMs: 5_000,
  armTimeoutMs: 30_000,
  drainMs: 5_000,
};

/** What is in the store: what a verify stage takes from the load stage before it. */
export const DATA_FIELDS: ReadonlySet<LayerField> = new Set<LayerField>([
  'keyRange',
  'keyPrefix',
  'keySuffix',
  'hashTag',
  'keyWidth',
  'keyOrder',
  'valueSize',
  'valueContent',
  'records',
]);

/** How a measured load is offered: what load and verify do not take from `workload`. */
export const OFFER_FIELDS: ReadonlySet<LayerField> = new Set<LayerField>([
  'rate',
  'arrivals',
  'lateAfterMs',
  'dropAfterMs',
  'thinkTimeMs',
  'start',
  'reconnectEvery',
]);

/** A layer and where each of its fields is written, for problems that show only when layers meet. */
export interface PlacedLayer {
  readonly layer: WorkloadLayer;
  readonly path: string;
  readonly places: ReadonlyMap<LayerField, string>;
  /** Fields that are written but could not be read: what follows from their defaults would mislead. */
  readonly unread: ReadonlySet<LayerField>;
}

/** A layer while it is read. */
export class LayerDraft {
  readonly #path: string;
  readonly #layer: Partial<Record<LayerField, unknown>> = {};
  readonly #places = new Map<LayerField, string>();
  readonly #unread = new Set<LayerField>();

  constructor(path: string) {
    this.#path = path;
  }

  /** What is written at `path`; undefined if it could not be read. */
  set<Field extends LayerField>(field: Field, path: string, value: WorkloadLayer[Field] | undefined): void {
    if (value === undefined) this.#unread.add(field);
    else {
      this.#layer[field] = value;
      this.#places.set(field, path);
    }
  }

  finish(): PlacedLayer {
    return {
      layer: this.#layer as WorkloadLayer,
      path: this.#path,
      places: this.#places,
      unread: this.#unread,
    };
  }
}

/** Only what a layer says of some fields. */
export function part(placed: PlacedLayer, keep: (field: LayerField) => boolean): PlacedLayer {
  const fields = Object.entries(placed.layer).filter(([field]) => keep(field as LayerField));
  return {
    ...placed,
    layer: Object.fromEntries(fields),
    unread: new Set([...placed.unread].filter(keep)),
  };
}

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

  /** How particular the layer is that decided a field; -1: the default holds. */
  rank(field: LayerField): number {
    return this.#layers.findLastIndex(({ layer }) => layer[field] !== undefined);
  }

  /** The path of the text that decided a field; of the most particular layer if it is a default. */
  pathOf(field: LayerField): string {
    const decided = this.#layers[this.rank(field)];
    return decided?.places.get(field) ?? decided?.path ?? this.path;
  }

  /** Of the most particular layer. */
  get path(): string {
    return this.#layers.at(-1)?.path ?? '';
  }
}
