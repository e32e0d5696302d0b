import type { Keys } from '@pacecar/protocol';
import { readChoice } from '../choice.js';
import { type Findings, under } from '../findings.js';
import { entry, type Reader } from '../reader.js';
import type { SourceMapping, SourceNode } from '../source-tree.js';
import { DISTRIBUTION_SHAPES, DISTRIBUTIONS, KeysShape } from '../written/keys.js';
import type { LayerDraft, Layers, WrittenDistribution } from './layer.js';

/** Digits of the largest 64-bit hash. */
const HASH_DIGITS = 19;

/** Reads `keys` of a workload into its layer. */
export function readKeys(
  mapping: SourceMapping | null,
  path: string,
  reader: Reader,
  draft: LayerDraft,
): void {
  const written = entry(mapping, 'keys')?.value;
  if (written === undefined) return;
  const place = under(path, 'keys');
  if (written.kind !== 'mapping') {
    draft.set('keyRange', place, reader.leaf(KeysShape.range.unwrap(), written, place));
    return;
  }
  const fields = reader.fields(KeysShape, written, place);
  const has = (key: string) => entry(written, key) !== undefined;
  const at = (key: string) => under(place, key);
  if (has('range')) draft.set('keyRange', at('range'), fields.range);
  if (has('template')) {
    for (const other of ['prefix', 'suffix'])
      if (has(other))
        reader.findings.of(
          at(other),
          'stands beside `template`, which says both ends; leave one of them out',
        );
    draft.set('keyPrefix', at('template'), fields.template?.prefix);
    draft.set('keySuffix', at('template'), fields.template?.suffix);
  } else {
    if (has('prefix')) draft.set('keyPrefix', at('prefix'), fields.prefix);
    if (has('suffix')) draft.set('keySuffix', at('suffix'), fields.suffix);
  }
  if (has('hashTag')) draft.set('hashTag', at('hashTag'), fields.hashTag);
  if (has('width')) draft.set('keyWidth', at('width'), fields.width);
  if (has('order')) draft.set('keyOrder', at('order'), fields.order);
  const distribution = entry(written, 'distribution')?.value;
  if (distribution !== undefined)
    draft.set(
      'distribution',
      at('distribution'),
      readDistribution(distribution, at('distribution'), reader) ?? undefined,
    );
}

function readDistribution(node: SourceNode, path: string, reader: Reader): WrittenDistribution | null {
  const choice = readChoice(node, path, DISTRIBUTIONS, reader);
  if (choice === null) return null;
  const { name } = choice;
  const before = reader.findings.count;
  const fieldsOf = <Name extends keyof typeof DISTRIBUTION_SHAPES>(of: Name) => {
    const shape = DISTRIBUTION_SHAPES[of];
    const inner =
      choice.body === null ? null : reader.mapping(choice.body, choice.path, Object.keys(shape).join(', '));
    return reader.fields(shape, inner, choice.path);
  };
  let read: WrittenDistribution;
  switch (name) {
    case 'gaussian': {
      const { median, deviation } = fieldsOf(name);
      read = { kind: name, medianKey: median ?? null, deviation: deviation ?? null };
      break;
    }
    case 'zipfian': {
      const { exponent, scrambled } = fieldsOf(name);
      read = { kind: name, exponent: exponent ?? 0.99, scrambled: scrambled ?? true };
      break;
    }
    case 'latest':
      read = { kind: name, exponent: fieldsOf(name).exponent ?? 0.99 };
      break;
    case 'hotspot': {
      const { keys = 0.2, operations = 0.8 } = fieldsOf(name);
      if (keys <= 0 || keys >= 1)
        reader.findings.of(
          under(choice.path, 'keys'),
          'must be above 0% and below 100%; all keys are uniform',
        );
      read = { kind: name, keysRatio: keys, operationsRatio: operations };
      break;
    }
    case 'exponential': {
      const { operations = 0.95, keys = 0.857_142_857_1 } = fieldsOf(name);
      if (operations <= 0 || operations >= 1)
        reader.findings.of(under(choice.path, 'operations'), 'must be above 0% and below 100%');
      if (keys <= 0) reader.findings.of(under(choice.path, 'keys'), 'must be above 0%');
      read = { kind: name, percentile: operations, keysRatio: keys };
      break;
    }
    default:
      fieldsOf(name);
      read = { kind: name };
  }
  return reader.findings.count > before ? null : read;
}

/** The keys of a workload. `onceEach`: a stage that does every key once, whatever the distribution of others. */
export function resolveKeys(layers: Layers, onceEach: boolean, findings: Findings): Keys {
  const { merged } = layers;
  const { keyRange, hashTag } = merged;
  const hashed = merged.keyOrder === 'hashed';
  const digits = String(keyRange.maximum).length;
  const width = merged.keyWidth ?? (hashed ? 0 : digits);
  if (hashed && width > 0 && layers.read('keyOrder', 'keyWidth'))
    findings.of(
      layers.pathOf('keyWidth'),
      `hashed numbers have up to ${HASH_DIGITS} digits and are not padded; leave the width out`,
    );
  else if (width > 0 && width < digits && layers.read('keyRange', 'keyWidth'))
    findings.of(
      layers.pathOf('keyWidth'),
      `the largest key ${keyRange.maximum} has ${digits} digits, more than the width ${width}; ` +
        `allowed: ${digits} to 20, or 0 for numbers as they are`,
    );
  if (hashTag && /[{}]/.test(merged.keyPrefix + merged.keySuffix))
    findings.of(
      layers.pathOf('hashTag'),
      'the key has braces of its own; a cluster takes the first pair, so only one pair can be meant',
    );
  return {
    ...keyRange,
    prefix: hashTag ? `${merged.keyPrefix}{` : merged.keyPrefix,
    suffix: hashTag ? `}${merged.keySuffix}` : merged.keySuffix,
    order: merged.keyOrder,
    width,
    distribution: onceEach ? { kind: 'partitioned' } : resolveDistribution(layers, findings),
  };
}

function resolveDistribution(layers: Layers, findings: Findings): Keys['distribution'] {
  const { distribution, keyRange } = layers.merged;
  if (distribution.kind !== 'gaussian') return distribution;
  const { minimum, maximum } = keyRange;
  const { medianKey } = distribution;
  if (medianKey !== null && (medianKey < minimum || medianKey > maximum) && layers.read('keyRange'))
    findings.of(
      under(layers.pathOf('distribution'), 'gaussian'),
      `the median ${medianKey} lies outside the keys ${minimum}..${maximum}`,
    );
  return {
    kind: 'gaussian',
    median: Math.max(0, (medianKey ?? (minimum + maximum) / 2) - minimum),
    // A single key has no spread; any deviation draws it.
    deviation: distribution.deviation ?? Math.max((maximum - minimum) / 6, 1 / 6),
  };
}
