import { parse } from 'yaml';
import { z } from 'zod';
import { grammarOf, keyDoc } from './key-doc.js';
import { ScenarioSchema } from './written/scenario.js';
import { StageSchema } from './written/stage.js';

/** What an expression looks like where something else is meant. */
const EXPRESSION = '\\$\\{';

/** JSON schema (2020-12) of the scenario as it is written, for editors. Looser than the reader, never stricter. */
export function scenarioJsonSchema(): object {
  const stages: readonly z.core.$ZodType[] = StageSchema.options;
  const schema = z.toJSONSchema(ScenarioSchema, {
    io: 'input',
    reused: 'ref',
    override: ({ zodSchema, jsonSchema }) => {
      const original: z.core.$ZodType = zodSchema;
      const grammar = grammarOf(original);
      if (grammar?.json === 'number') jsonSchema.type = ['number', 'string'] as never;
      if (grammar?.json === 'boolean') jsonSchema.type = ['boolean', 'string'] as never;
      if (grammar?.json === 'scalar') jsonSchema.type = ['string', 'number', 'boolean'] as never;
      if (original instanceof z.ZodEnum && !stages.includes(original)) {
        jsonSchema.anyOf = [{ enum: original.options }, { type: 'string', pattern: EXPRESSION }];
        delete jsonSchema.enum;
        delete jsonSchema.type;
      }
      if (stages.includes(original) && jsonSchema.type === 'object') {
        jsonSchema.minProperties = 1;
        jsonSchema.maxProperties = 1;
      }
      // A key with nothing behind it is an empty mapping: `- load:`.
      else if (jsonSchema.type === 'object' && original !== ScenarioSchema)
        jsonSchema.type = ['object', 'null'] as never;
      const { says, fallback, example } = keyDoc(original);
      if (says !== '') jsonSchema.description = says;
      if (fallback !== undefined) jsonSchema.default = parse(fallback) as never;
      if (example !== undefined) jsonSchema.examples = [parseExample(example)];
    },
  });
  const { $schema, ...rest } = schema;
  return { $schema, title: 'Pacecar scenario', ...rest };
}

/** Expressions are texts, although YAML would read `${...}` otherwise. */
function parseExample(example: string): unknown {
  return example.includes('${') ? example : parse(example);
}
