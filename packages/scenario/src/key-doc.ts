import { z } from 'zod';
import type { Reading } from './quantity/reading.js';

/** What a reader of the reference is told of one key. */
export interface KeyDoc {
  /** One or two sentences. */
  readonly says: string;
  /** The value's kind with its article, for messages: `a duration such as 10s`. */
  readonly type: string;
  /** As written in YAML; absent where the key is required or has no value of its own. */
  readonly fallback?: string;
  readonly example?: string;
}

/** What a scalar may look like, for messages, the reference and the JSON schema. */
interface Grammar {
  readonly type: string;
  /**
   * What YAML makes of it: `text` is always a text, `number` may be a number, `boolean` may be true or false, `scalar`
   * may be any of them.
   */
  readonly json: 'text' | 'number' | 'boolean' | 'scalar';
}

const KEYS = z.registry<KeyDoc>();
const GRAMMARS = z.registry<Grammar>();

/** A scalar with a grammar of its own. Reads text, so that no number is rounded before it is looked at. */
export function grammar<T>(type: string, json: Grammar['json'], read: (text: string) => Reading<T>) {
  const schema = z.string().transform((text, context): T => {
    const reading = read(text);
    if (reading.ok) return reading.value;
    context.addIssue({ code: 'custom', message: reading.problem, input: text });
    return z.NEVER;
  });
  GRAMMARS.add(schema, { type, json });
  return schema;
}

/** An optional key with its documentation. */
export function key<Schema extends z.ZodType>(
  schema: Schema,
  doc: Omit<KeyDoc, 'type'>,
): z.ZodOptional<Schema> {
  const optional = schema.optional();
  KEYS.add(optional, { ...doc, type: typeOf(schema) });
  return optional;
}

/** A key that must be there. Registers the schema itself, so each has a schema of its own. */
export function required<Schema extends z.ZodType>(schema: Schema, doc: Omit<KeyDoc, 'type'>): Schema {
  KEYS.add(schema, { ...doc, type: typeOf(schema) });
  return schema;
}

export function keyDoc(schema: z.core.$ZodType): KeyDoc {
  return KEYS.get(schema) ?? { says: '', type: typeOf(schema) };
}

export function grammarOf(schema: z.core.$ZodType): Grammar | undefined {
  return GRAMMARS.get(schema);
}

function typeOf(schema: z.core.$ZodType): string {
  const known = GRAMMARS.get(schema);
  if (known !== undefined) return known.type;
  if (schema instanceof z.ZodOptional) return typeOf(schema.unwrap());
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => `\`${option}\``).join(' or ');
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return 'a mapping';
  if (schema instanceof z.ZodArray) return 'a list';
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => typeOf(option)).join(' or ');
  return 'a text';
}
