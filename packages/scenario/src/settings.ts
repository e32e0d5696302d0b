import { nearest, type ParameterQuantity } from '@pacecar/protocol';
import { z } from 'zod';
import { under } from './findings.js';
import { shown } from './quantity/decimal.js';
import { readDuration } from './quantity/duration.js';
import { readBytes } from './quantity/size.js';
import { entry, type Reader } from './reader.js';
import { type SourceMapping, type SourceNode, typedScalar } from './source-tree.js';

/** Who knows what may be set: a driver has settings, a recipe parameters. */
export interface SettingsOwner {
  /** `the driver resp` */
  readonly title: string;
  readonly word: 'setting' | 'parameter';
  readonly schema: z.ZodType<Settings>;
}

export type Settings = Readonly<Record<string, string | number | boolean>>;

/** A setting as YAML types it, before its owner has looked at it. */
type SettingValue = ReturnType<typeof typedScalar>;

/** The settings with their defaults, by the owner's own schema. */
export function readSettings(
  node: SourceNode | undefined,
  owner: SettingsOwner,
  path: string,
  reader: Reader,
): Settings | null {
  const mapping = node === undefined ? null : reader.mapping(node, path, `${owner.word}s of ${owner.title}`);
  if (node !== undefined && mapping === null) return null;
  const shape = shapeOf(owner.schema);
  const typed: Record<string, SettingValue> = {};
  let complete = true;
  for (const { key, value } of mapping?.entries ?? []) {
    const place = under(path, key);
    const expanded = reader.text(value, place, 'a text, a number, or true or false');
    if (expanded === null) {
      complete = false;
      continue;
    }
    const quantity = quantityOf(shape[key]);
    if (quantity === null) {
      typed[key] = value.kind === 'scalar' ? typedScalar(expanded.text, value.plain) : expanded.text;
      continue;
    }
    const reading =
      quantity === 'size' ? readBytes(expanded.text, {}) : readDuration(expanded.text, { minimumMs: 0 });
    if (reading.ok) typed[key] = reading.value;
    else {
      complete = false;
      reader.findings.of(place, `${reading.problem} (${owner.word} of ${owner.title})`);
    }
  }
  const result = owner.schema.safeParse(typed);
  if (result.success) return complete ? result.data : null;
  for (const issue of result.error.issues) report(issue, typed, owner, mapping, path, reader);
  return null;
}

function report(
  issue: z.core.$ZodIssue,
  typed: Readonly<Record<string, SettingValue>>,
  owner: SettingsOwner,
  mapping: SourceMapping | null,
  path: string,
  reader: Reader,
): void {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(shapeOf(owner.schema));
    for (const key of issue.keys) {
      const near = nearest(key, known);
      const at = entry(mapping, key)?.keyAt ?? mapping?.at ?? 0;
      reader.findings.at(
        at,
        under(path, key),
        `${owner.title} has no ${owner.word} ${shown(key)}${near === null ? '' : `; did you mean ${near}?`}; ` +
          (known.length === 0 ? 'it has none' : `${owner.word}s: ${known.join(', ')}`),
        'UNSUPPORTED',
      );
    }
    return;
  }
  const key = issue.path.length === 0 ? null : String(issue.path[0]);
  const found =
    key === null || typed[key] === undefined ? '' : `${shown(String(typed[key]))} is not allowed: `;
  reader.findings.of(
    key === null ? path : under(path, key),
    `${found}${issue.message.replace(/^Invalid input: /, '')} (${owner.word} of ${owner.title})`,
  );
}

/** The fields of a schema, as far as it tells them. */
export function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  let inner: z.ZodType = schema;
  while (inner instanceof z.ZodReadonly || inner instanceof z.ZodOptional)
    inner = inner.unwrap() as z.ZodType;
  return inner instanceof z.ZodObject ? inner.shape : {};
}

/** Whether a number is written as a size or a duration. */
export function quantityOf(schema: z.ZodType | undefined): ParameterQuantity | null {
  for (let inner = schema; inner !== undefined; ) {
    const quantity = inner.meta()?.['quantity'];
    if (quantity === 'size' || quantity === 'duration') return quantity;
    if (!(inner instanceof z.ZodDefault || inner instanceof z.ZodOptional || inner instanceof z.ZodReadonly))
      return null;
    inner = inner.unwrap() as z.ZodType;
  }
  return null;
}
