import { nearest } from '@pacecar/protocol';
import { under } from './findings.js';
import { shown } from './quantity/decimal.js';
import { describeNode, type Reader } from './reader.js';
import type { SourceMapping, SourceNode } from './source-tree.js';

/** One of several names, with what is said of it. */
export interface Choice<Name extends string> {
  readonly name: Name;
  /** null: the name alone. */
  readonly body: SourceNode | null;
  readonly path: string;
}

/** Reads a word, or a mapping with one key that says more: `zipfian` or `{ zipfian: { exponent: 1 } }`. */
export function readChoice<Name extends string>(
  node: SourceNode,
  path: string,
  names: readonly Name[],
  reader: Reader,
): Choice<Name> | null {
  reader.findings.place(path, node.at);
  if (node.kind === 'mapping') return readOnlyKey(node, path, names, reader);
  const allowed = `${names.join(', ')}, alone or with a mapping`;
  if (node.kind === 'list') {
    reader.findings.at(node.at, path, `expected one of ${allowed}, found ${describeNode(node)}`);
    return null;
  }
  const expanded = reader.text(node, path, `one of ${allowed}`);
  if (expanded === null) return null;
  const name = names.find((candidate) => candidate === expanded.text);
  if (name !== undefined) return { name, body: null, path };
  const near = nearest(expanded.text, names);
  reader.findings.at(
    node.at,
    path,
    `${shown(expanded.text)} is not known here${near === null ? '' : `; did you mean ${near}?`}; allowed: ${names.join(', ')}`,
  );
  return null;
}

/** Reads a mapping that has exactly one of these keys. */
export function readOnlyKey<Name extends string>(
  mapping: SourceMapping,
  path: string,
  names: readonly Name[],
  reader: Reader,
): Choice<Name> | null {
  reader.findings.place(path, mapping.at);
  const entries = mapping.entries.filter(({ key }) => names.some((name) => name === key));
  if (entries.length < mapping.entries.length) {
    reader.known(names, mapping, path);
    return null;
  }
  const [entry, second] = entries;
  if (entry === undefined || second !== undefined) {
    const found = entry === undefined ? 'none' : entries.map(({ key }) => key).join(', ');
    reader.findings.at(
      second?.keyAt ?? mapping.at,
      path,
      `has one key, and here is ${found}; allowed: ${names.join(', ')}`,
    );
    return null;
  }
  const name = names.find((candidate) => candidate === entry.key) as Name;
  const place = under(path, name);
  reader.findings.place(place, entry.value.at);
  return { name, body: entry.value, path: place };
}
