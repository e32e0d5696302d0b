import type { Objective, Search, StopRule } from '@pacecar/protocol';
import { under } from './findings.js';
import { writeRatio } from './quantity/ratio.js';
import { describeNode, entry, type Fields, type Reader } from './reader.js';
import type { SourceMapping, SourceNode } from './source-tree.js';
import { objective, SearchShape, StopShape } from './written/search.js';

/** Each has histograms of its own in the coordinator while the stage runs. */
const MOST_OBJECTIVES = 10;
const SMALLEST_PRECISION = 0.001;
const OBJECTIVE = objective();

/** A search as written; which workload it is of shows when the stage is whole. */
export interface WrittenSearch {
  readonly search: Omit<Search, 'workload'>;
  readonly probeMs: number;
  readonly path: string;
}

/** Reads what stands behind `search`; null if it cannot be read, which has then been said. */
export function readSearch(node: SourceNode, path: string, reader: Reader): WrittenSearch | null {
  const mapping = reader.mapping(node, path, Object.keys(SearchShape).join(', '));
  if (mapping === null) return null;
  const fields: Fields<typeof SearchShape> = reader.fields(SearchShape, mapping, path);
  const objectives = readObjectives(mapping, 'objective', path, reader);
  const { rate, probe = 5_000, settle = 1_000, precision = 0.02, growth = 2, mostProbes = 40 } = fields;
  const confirm = fields.confirm ?? { needed: 2, of: 3 };
  const { findings } = reader;
  if (precision < SMALLEST_PRECISION)
    findings.of(
      under(path, 'precision'),
      `${writeRatio(precision)} is out of range; allowed: ${writeRatio(SMALLEST_PRECISION)} to 100%`,
    );
  if (mostProbes < confirm.of + 2)
    findings.of(
      under(path, 'mostProbes'),
      `${mostProbes} leave too few to find a rate before it is confirmed by ${confirm.needed} of ${confirm.of}; allowed: ` +
        `${confirm.of + 2} at least`,
    );
  if (rate === undefined || objectives.length === 0) return null;
  return {
    search: {
      objectives,
      ...rate,
      settleMs: settle,
      growth,
      precision: Math.max(precision, SMALLEST_PRECISION),
      confirmations: confirm,
      mostProbes,
    },
    probeMs: probe,
    path,
  };
}

/** Reads what stands behind `stopWhen`: an objective, a list of them, or a mapping that says more. */
export function readStopRule(node: SourceNode, path: string, reader: Reader): StopRule | null {
  if (node.kind !== 'mapping') {
    const any = readList(node, path, reader);
    return any.length === 0 ? null : { any, holdMs: 0, fewestOperations: 100, fromMs: 0 };
  }
  const mapping = reader.mapping(node, path, Object.keys(StopShape).join(', '));
  const fields: Fields<typeof StopShape> = reader.fields(StopShape, mapping, path);
  const any = readObjectives(mapping, 'any', path, reader);
  if (any.length === 0) return null;
  const { for: holdMs = 0, operations: fewestOperations = 100, after: fromMs = 0 } = fields;
  return { any, holdMs, fewestOperations, fromMs };
}

function readObjectives(
  mapping: SourceMapping | null,
  key: string,
  path: string,
  reader: Reader,
): Objective[] {
  const node = entry(mapping, key)?.value;
  return node === undefined ? [] : readList(node, under(path, key), reader);
}

/** One objective or a list of them. */
function readList(node: SourceNode, path: string, reader: Reader): Objective[] {
  reader.findings.place(path, node.at);
  if (node.kind === 'mapping') {
    reader.findings.at(
      node.at,
      path,
      `expected an objective such as get.p99 < 5ms or a list of them, found ${describeNode(node)}`,
    );
    return [];
  }
  if (node.kind === 'scalar') {
    const read = reader.leaf(OBJECTIVE, node, path);
    return read === undefined ? [] : [read];
  }
  if (node.items.length === 0) reader.findings.of(path, 'has no objective; write one such as get.p99 < 5ms');
  if (node.items.length > MOST_OBJECTIVES)
    reader.findings.of(path, `has ${node.items.length} objectives; allowed: at most ${MOST_OBJECTIVES}`);
  return node.items.flatMap((item, index) => reader.leaf(OBJECTIVE, item, under(path, index)) ?? []);
}
