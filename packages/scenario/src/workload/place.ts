import { under } from '../findings.js';
import type { PresetName } from '../preset/preset.js';
import { presetOf } from '../preset/preset-of.js';
import { entry, type Fields, type Reader } from '../reader.js';
import type { SourceMapping } from '../source-tree.js';
import type { WorkloadShape } from '../written/workload.js';
import { readKeys } from './keys.js';
import { LayerDraft, type LayerField, part, type PlacedLayer, type WorkloadLayer } from './layer.js';
import { readMix } from './mix.js';
import { readModel } from './model.js';
import { readRecords, readValue } from './values.js';

/**
 * What one mapping says of a workload. A preset in it says its own things first, so that what is written beside it
 * wins; and it fills what no mapping at all says.
 */
export interface WrittenPlace {
  readonly own: PlacedLayer;
  readonly preset: { readonly fills: PlacedLayer; readonly says: PlacedLayer } | null;
}

/** Scalars of a workload whose field of the layer has the same place. */
const PLAIN = {
  group: 'group',
  threads: 'threads',
  connections: 'connections',
  depth: 'depth',
  checkValues: 'checkValues',
  operationTimeout: 'operationTimeoutMs',
  connectTimeout: 'connectTimeoutMs',
  armTimeout: 'armTimeoutMs',
  drain: 'drainMs',
} as const satisfies Partial<Record<keyof typeof WorkloadShape, LayerField>>;

/** Reads a workload. `fields` are its scalars, already read; a `mapping` without mix has no operations of its own. */
export function readPlace(
  fields: Partial<Fields<typeof WorkloadShape>>,
  mapping: SourceMapping | null,
  path: string,
  reader: Reader,
): WrittenPlace {
  const draft = new LayerDraft(path);
  for (const [key, field] of Object.entries(PLAIN) as [
    keyof typeof PLAIN,
    (typeof PLAIN)[keyof typeof PLAIN],
  ][])
    if (entry(mapping, key) !== undefined) draft.set<typeof field>(field, under(path, key), fields[key]);
  readMix(mapping, path, reader, draft);
  readKeys(mapping, path, reader, draft);
  readValue(mapping, path, reader, draft);
  readRecords(mapping, path, reader, draft);
  readModel(mapping, path, reader, draft);
  const own = draft.finish();
  return { own, preset: fields.preset === undefined ? null : presetAt(fields.preset, path) };
}

function presetAt(name: PresetName, path: string): WrittenPlace['preset'] {
  const { fills, says } = presetOf(name);
  const at = under(path, 'preset');
  return { fills: layerAt(fills, at), says: layerAt(says, at) };
}

/** A layer that nobody wrote; all of it stands where `path` does. */
export function layerAt(layer: WorkloadLayer, path: string): PlacedLayer {
  const places = new Map(Object.keys(layer).map((field) => [field as LayerField, path]));
  return { layer, path, places, unread: new Set() };
}

/** A place with only some of its fields. */
export function placePart(place: WrittenPlace, keep: (field: LayerField) => boolean): WrittenPlace {
  const { own, preset } = place;
  return {
    own: part(own, keep),
    preset: preset === null ? null : { fills: part(preset.fills, keep), says: part(preset.says, keep) },
  };
}

/** The layers of places that build on each other, from the general to the particular. */
export function layersOfPlaces(places: readonly WrittenPlace[]): PlacedLayer[] {
  return [
    ...places.flatMap(({ preset }) => preset?.fills ?? []),
    ...places.flatMap(({ own, preset }) => (preset === null ? [own] : [preset.says, own])),
  ];
}
