import { z } from 'zod';

/** What zod's JSON Schemas consist of, as far as the schemas of this package go. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly description?: string;
}

/** JSON Schemas of named zod schemas that refer to each other by name. */
export function jsonSchemas(
  named: Readonly<Record<string, z.ZodType>>,
): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  return z.toJSONSchema(registry).schemas as Record<string, JsonSchema>;
}

/** A type with its limits in words, for one cell of a Markdown table. */
export function typeText(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return `[${schema.$ref}](#${schema.$ref.toLowerCase()})`;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return alternatives.map(typeText).join(' or ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return `${schema.type}${rangeText(schema)}`;
    case 'string':
      return `string${lengthText(schema)}`;
    case 'array':
      return `array of ${typeText(schema.items ?? {})}${countText(schema.minItems, schema.maxItems)}`;
    case 'object':
      return objectText(schema);
    default:
      return schema.type ?? 'anything';
  }
}

/** A Markdown table of an object's fields. */
export function fieldTable(schema: JsonSchema): string {
  const rows = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => `| \`${name}\` | ${typeText(field)} | ${meaning(field)} |`,
  );
  return ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** A nullable field keeps the description of what it may hold. */
function meaning(schema: JsonSchema): string {
  const inner = schema.anyOf?.find((alternative) => alternative.type !== 'null');
  return schema.description ?? inner?.description ?? '';
}

function objectText(schema: JsonSchema): string {
  if (schema.properties !== undefined) {
    const fields = Object.entries(schema.properties).map(
      ([name, field]) => `\`${name}\`: ${typeText(field)}`,
    );
    return `{ ${fields.join('; ')} }${schema.description === undefined ? '' : ` (${withoutStop(schema.description)})`}`;
  }
  const values =
    typeof schema.additionalProperties === 'object' ? typeText(schema.additionalProperties) : 'anything';
  return `object, names ${typeText(schema.propertyNames ?? { type: 'string' })}, values ${values}`;
}

function rangeText({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: JsonSchema): string {
  if (exclusiveMaximum !== undefined)
    return `${exclusiveMinimum === undefined ? `, at least ${grouped(minimum ?? 0)}` : ` above ${grouped(exclusiveMinimum)}`}, below ${grouped(exclusiveMaximum)}`;
  const high =
    maximum === Number.MAX_SAFE_INTEGER ? '2^53-1' : maximum === undefined ? null : grouped(maximum);
  const low = minimum ?? exclusiveMinimum;
  // What zod says of every integer, that it is within +-(2^53-1), says nothing.
  if (low === undefined || low === Number.MIN_SAFE_INTEGER) return high === null ? '' : `, at most ${high}`;
  if (exclusiveMinimum !== undefined)
    return ` above ${grouped(low)}${high === null ? '' : `, at most ${high}`}`;
  return high === null ? `, at least ${grouped(low)}` : ` ${grouped(low)}..${high}`;
}

function lengthText({ minLength, maxLength }: JsonSchema): string {
  if (maxLength === undefined) return '';
  return `, ${minLength === undefined ? 'at most' : `${minLength}..`}${minLength === undefined ? ' ' : ''}${grouped(maxLength)} characters`;
}

function countText(minItems: number | undefined, maxItems: number | undefined): string {
  if (maxItems === undefined) return '';
  return minItems === undefined
    ? ` (at most ${grouped(maxItems)})`
    : ` (${grouped(minItems)}..${grouped(maxItems)})`;
}

function withoutStop(text: string): string {
  return text.replace(/\.$/, '');
}

/** 1000000 as 1,000,000, whatever the locale. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}
