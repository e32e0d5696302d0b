import type { Records, Size, Values } from '@pacecar/protocol';
import { readChoice, readOnlyKey } from '../choice.js';
import { type Findings, under } from '../findings.js';
import { shown } from '../quantity/decimal.js';
import type { SizeRange } from '../quantity/size.js';
import { readWeight } from '../quantity/weight.js';
import { readSize } from '../quantity/size.js';
import { describeNode, entry, type Reader } from '../reader.js';
import type { Offset, SourceMapping, SourceNode } from '../source-tree.js';
import { size as sizeSchema, weight as weightSchema } from '../written/scalar.js';
import { ContentShapes, GaussianSizeShape, RecordsShape, SizeShapes, ValueShape } from '../written/values.js';
import type { LayerDraft } from './layer.js';
import { sharesProblem, type Share } from './share-sum.js';

const SIZE = sizeSchema();
const WEIGHT = weightSchema();
const MOST_SIZES = 1_000;

/** Reads `value` of a workload into its layer. */
export function readValue(
  mapping: SourceMapping | null,
  path: string,
  reader: Reader,
  draft: LayerDraft,
): void {
  const written = entry(mapping, 'value')?.value;
  if (written === undefined) return;
  const place = under(path, 'value');
  if (written.kind !== 'mapping') {
    draft.set('valueSize', place, readSizeNode(written, place, reader) ?? undefined);
    return;
  }
  reader.fields(ValueShape, written, place);
  const size = entry(written, 'size')?.value;
  const content = entry(written, 'content')?.value;
  const at = (key: string) => under(place, key);
  if (size !== undefined)
    draft.set('valueSize', at('size'), readSizeNode(size, at('size'), reader) ?? undefined);
  if (content !== undefined)
    draft.set('valueContent', at('content'), readContent(content, at('content'), reader) ?? undefined);
}

/** Reads `records` of a workload into its layer. */
export function readRecords(
  mapping: SourceMapping | null,
  path: string,
  reader: Reader,
  draft: LayerDraft,
): void {
  const written = entry(mapping, 'records')?.value;
  if (written === undefined) return;
  const place = under(path, 'records');
  const before = reader.findings.count;
  const inner = reader.mapping(written, place, Object.keys(RecordsShape).join(', '));
  const fields = reader.fields(RecordsShape, inner, place);
  const size = entry(inner, 'fieldSize')?.value;
  const fieldSize = size === undefined ? null : readSizeNode(size, under(place, 'fieldSize'), reader);
  const records: Records = {
    fields: fields.fields ?? 10,
    fieldSize: fieldSize ?? { kind: 'fixed', bytes: 100 },
    readAllFields: fields.readAllFields ?? true,
    writeAllFields: fields.writeAllFields ?? false,
  };
  draft.set('records', place, reader.findings.count > before ? undefined : records);
}

function readSizeNode(node: SourceNode, path: string, reader: Reader): Size | null {
  if (node.kind === 'list') return readSizeList(node.items, node.at, path, reader);
  if (node.kind === 'scalar') {
    const range = reader.leaf(SIZE, node, path);
    return range === undefined ? null : sizeOf(range);
  }
  const names = Object.keys(SizeShapes) as (keyof typeof SizeShapes)[];
  const choice = readOnlyKey(node, path, names, reader);
  if (choice === null || choice.body === null) return null;
  return choice.name === 'gaussian'
    ? readGaussian(choice.body, choice.path, reader)
    : readWeighted(choice.body, choice.path, reader);
}

function sizeOf({ minimumBytes, maximumBytes }: SizeRange): Size {
  return minimumBytes === maximumBytes
    ? { kind: 'fixed', bytes: minimumBytes }
    : { kind: 'uniform', minimumBytes, maximumBytes };
}

interface WrittenSize extends Share {
  readonly bytes: number;
}

/** `[{ 80%: 100 }, { 20%: 10kB }]` */
function readSizeList(items: readonly SourceNode[], at: Offset, path: string, reader: Reader): Size | null {
  const read = items.map((item, index) => {
    const place = under(path, index);
    reader.findings.place(place, item.at);
    const [only, second] = item.kind === 'mapping' ? item.entries : [];
    if (only === undefined || second !== undefined) {
      const found = item.kind === 'mapping' ? 'another number of keys' : describeNode(item);
      reader.findings.at(
        item.at,
        place,
        `expected one weight and one size such as { 80%: 100 }, found ${found}`,
      );
      return null;
    }
    const weight = readWeight(only.key);
    if (!weight.ok) reader.findings.at(only.keyAt, place, weight.problem);
    const range = reader.leaf(SIZE, only.value, place);
    const bytes = range === undefined ? null : oneSize(range, only.value, place, reader.findings);
    return weight.ok && bytes !== null ? { ...weight.value, bytes } : null;
  });
  return weighted(read, at, path, reader.findings);
}

/** `{ 100: 80%, 10kB: 20% }` */
function readWeighted(node: SourceNode, path: string, reader: Reader): Size | null {
  const mapping = reader.mapping(node, path, 'sizes and weights such as { 100: 80%, 10kB: 20% }');
  if (mapping === null) return null;
  const read = mapping.entries.map(({ key, keyAt, value }) => {
    const place = under(path, key);
    reader.findings.place(place, value.at);
    const size = readSize(key);
    if (!size.ok) reader.findings.at(keyAt, place, size.problem);
    const bytes = size.ok ? oneSize(size.value, { at: keyAt }, place, reader.findings) : null;
    const weight = reader.leaf(WEIGHT, value, place);
    return weight !== undefined && bytes !== null ? { ...weight, bytes } : null;
  });
  return weighted(read, mapping.at, path, reader.findings);
}

function oneSize(range: SizeRange, { at }: { at: Offset }, path: string, findings: Findings): number | null {
  if (range.minimumBytes === range.maximumBytes) return range.minimumBytes;
  findings.at(at, path, 'a weighted size is one size, no range; give several sizes, or a range alone');
  return null;
}

function weighted(
  read: readonly (WrittenSize | null)[],
  at: Offset,
  path: string,
  findings: Findings,
): Size | null {
  if (read.length === 0)
    findings.at(at, path, 'has no size; write for example [{ 80%: 100 }, { 20%: 10kB }]');
  if (read.length > MOST_SIZES)
    findings.at(at, path, `has ${read.length} sizes; allowed: at most ${MOST_SIZES}`);
  const sizes = read.filter((size) => size !== null);
  if (sizes.length < read.length || sizes.length === 0 || sizes.length > MOST_SIZES) return null;
  const problem = sharesProblem(sizes);
  if (problem !== null) findings.at(at, path, problem);
  return { kind: 'weighted', sizes: sizes.map(({ bytes, weight }) => ({ bytes, weight })) };
}

function readGaussian(node: SourceNode, path: string, reader: Reader): Size | null {
  const inner = reader.mapping(node, path, Object.keys(GaussianSizeShape).join(', '));
  const { range, median, deviation } = reader.fields(GaussianSizeShape, inner, path);
  if (range === undefined) return null;
  const { minimumBytes, maximumBytes } = range;
  if (minimumBytes === maximumBytes) {
    reader.findings.of(under(path, 'range'), `a single size ${minimumBytes} has no spread; write a range`);
    return null;
  }
  if (median !== undefined && (median < minimumBytes || median > maximumBytes)) {
    reader.findings.of(
      under(path, 'median'),
      `${shown(String(median))} lies outside the range ${minimumBytes}..${maximumBytes}`,
    );
    return null;
  }
  return {
    kind: 'gaussian',
    minimumBytes,
    maximumBytes,
    medianBytes: median ?? (minimumBytes + maximumBytes) / 2,
    deviationBytes: deviation ?? (maximumBytes - minimumBytes) / 6,
  };
}

function readContent(node: SourceNode, path: string, reader: Reader): Values['content'] | null {
  const names = Object.keys(ContentShapes) as (keyof typeof ContentShapes)[];
  const choice = readChoice(node, path, names, reader);
  if (choice === null) return null;
  if (choice.name !== 'compressible') {
    if (choice.body !== null)
      reader.fields({}, reader.mapping(choice.body, choice.path, 'nothing'), choice.path);
    return { kind: choice.name };
  }
  if (choice.body === null) {
    reader.findings.of(path, 'compressible needs a ratio; write for example { compressible: 3 }');
    return null;
  }
  const ratio = reader.leaf(ContentShapes.compressible.unwrap(), choice.body, choice.path);
  return ratio === undefined ? null : { kind: 'compressible', ratio };
}
