import { LIMITS, NameSchema, nearest } from '@pacecar/protocol';
import { z } from 'zod';
import type { Findings } from './findings.js';
import { under } from './findings.js';
import { keyDoc } from './key-doc.js';
import type { Expanded, Point, Properties } from './properties.js';
import { shown } from './quantity/decimal.js';
import { pastedHint } from './quantity/pasted.js';
import {
  isNothing,
  type Offset,
  type SourceEntry,
  type SourceMapping,
  type SourceNode,
} from './source-tree.js';

/** The fields of a mapping that could be read; the others are absent, and what is wrong with them has been said. */
export type Fields<Shape extends z.ZodRawShape> = { readonly [Key in keyof Shape]?: z.output<Shape[Key]> };

/**
 * Reads the tree by the schemas, field by field: one bad field hides no other, and each problem has its place.
 * Scalars reach the schemas as texts, so that a number is never rounded before its grammar has seen it.
 */
export class Reader {
  readonly findings: Findings;
  readonly #properties: Properties;
  readonly #point: Point | null;
  readonly #files: (path: string) => string | null;

  constructor(
    findings: Findings,
    properties: Properties,
    point: Point | null,
    files: (path: string) => string | null,
  ) {
    this.findings = findings;
    this.#properties = properties;
    this.#point = point;
    this.#files = files;
  }

  /** The text of a file beside the scenario; null if there is none. */
  file(path: string): string | null {
    return this.#files(path);
  }

  /** The entries of a mapping; nothing written is an empty one. */
  mapping(node: SourceNode | undefined, path: string, holds: string): SourceMapping | null {
    if (node === undefined) return null;
    this.findings.place(path, node.at);
    if (node.kind === 'mapping') return node;
    if (isNothing(node)) return { kind: 'mapping', entries: [], at: node.at };
    this.findings.at(node.at, path, `expected a mapping of ${holds}, found ${describeNode(node)}`);
    return null;
  }

  list(node: SourceNode | undefined, path: string, holds: string): readonly SourceNode[] {
    if (node === undefined) return [];
    this.findings.place(path, node.at);
    if (node.kind === 'list') return node.items;
    this.findings.at(node.at, path, `expected a list of ${holds}, found ${describeNode(node)}`);
    return [];
  }

  /** The text of a scalar with its properties replaced. */
  text(node: SourceNode, path: string, expected: string): Expanded | null {
    this.findings.place(path, node.at);
    if (node.kind !== 'scalar') {
      this.findings.at(node.at, path, `expected ${expected}, found ${describeNode(node)}`);
      return null;
    }
    if (isNothing(node)) {
      this.findings.at(node.at, path, `has no value; expected ${expected}`);
      return null;
    }
    return this.#properties.expand(node, path, this.#point, this.findings);
  }

  /** A key that is a name; null if it cannot be one. */
  name(key: string, at: Offset, path: string): string | null {
    const hint = pastedHint(key);
    if (hint === null && NameSchema.safeParse(key).success) return key;
    this.findings.at(
      at,
      path,
      `${shown(key)} is no name${hint === null ? '' : `; ${hint}`}; allowed: 1 to ${LIMITS.nameLength} characters, ` +
        'without control characters',
    );
    return null;
  }

  leaf<Schema extends z.ZodType>(
    schema: Schema,
    node: SourceNode,
    path: string,
  ): z.output<Schema> | undefined {
    const expanded = this.text(node, path, keyDoc(schema).type);
    if (expanded === null) return undefined;
    const result = schema.safeParse(expanded.text);
    if (result.success) return result.data;
    const written = node.kind === 'scalar' && node.text !== expanded.text ? ` (written ${node.text})` : '';
    for (const issue of result.error.issues)
      this.findings.at(node.at, path, `${issueMessage(issue, expanded.text)}${written}`);
    return undefined;
  }

  /** Reads every field that is a scalar; lists and mappings within are left to the caller. */
  fields<Shape extends z.ZodRawShape>(
    shape: Shape,
    mapping: SourceMapping | null,
    path: string,
    hint?: (key: string) => string | null,
  ): Fields<Shape> {
    const out: Record<string, unknown> = {};
    if (mapping === null) return out as Fields<Shape>;
    this.known(Object.keys(shape), mapping, path, hint);
    for (const { key, value } of mapping.entries) {
      const schema = Object.hasOwn(shape, key) ? (shape[key] as z.ZodType) : undefined;
      if (schema === undefined) continue;
      const place = under(path, key);
      this.findings.place(place, value.at);
      if (isStructure(schema)) continue;
      const field = this.leaf(schema, value, place);
      if (field !== undefined) out[key] = field;
    }
    for (const [key, schema] of Object.entries(shape)) {
      if (schema instanceof z.ZodOptional || entry(mapping, key) !== undefined) continue;
      const { example = '...' } = keyDoc(schema);
      this.findings.at(
        mapping.at,
        path,
        `the key ${shown(key)} is missing; write for example \`${key}: ${example}\``,
      );
    }
    return out as Fields<Shape>;
  }

  /** Refuses keys that are not known here. */
  known(
    allowed: readonly string[],
    mapping: SourceMapping,
    path: string,
    hint?: (key: string) => string | null,
  ): void {
    for (const { key, keyAt } of mapping.entries) {
      if (allowed.includes(key)) continue;
      const special = pastedHint(key) ?? hint?.(key) ?? null;
      const near = special === null ? nearest(key, allowed) : null;
      this.findings.at(
        keyAt,
        under(path, key),
        `unknown key ${shown(key)}${special === null ? '' : `; ${special}`}` +
          `${near === null ? '' : `; did you mean ${near}?`}; allowed: ${allowed.join(', ')}`,
      );
    }
  }
}

export function entry(mapping: SourceMapping | null, key: string): SourceEntry | undefined {
  return mapping?.entries.find((candidate) => candidate.key === key);
}

/** Fields that hold more than one scalar are read by their owners. */
function isStructure(schema: z.ZodType): boolean {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return (
    inner instanceof z.ZodObject ||
    inner instanceof z.ZodRecord ||
    inner instanceof z.ZodArray ||
    inner instanceof z.ZodUnion
  );
}

function issueMessage(issue: z.core.$ZodIssue, text: string): string {
  if (issue.code !== 'invalid_value') return issue.message;
  const allowed = issue.values.map(String);
  const near = nearest(text, allowed);
  const hint = pastedHint(text);
  return (
    `${shown(text)} is not known here${hint === null ? '' : `; ${hint}`}` +
    `${near === null ? '' : `; did you mean ${near}?`}; allowed: ${allowed.join(', ')}`
  );
}

export function describeNode(node: SourceNode): string {
  if (node.kind === 'mapping') return 'a mapping';
  if (node.kind === 'list') return 'a list';
  return isNothing(node) ? 'nothing' : `the text ${shown(node.text)}`;
}
