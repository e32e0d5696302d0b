import type { RecipeDescription } from '@pacecar/protocol';
import { Command } from 'commander';
import { z } from 'zod';
import { writeOut } from '../terminal/output.js';
import { wrapped } from './drivers.js';
import { HELP_GROUPS } from './help-group.js';

export function recipesCommand(): Command {
  return new Command('recipes')
    .summary('list what workers can run as services')
    .description('Lists the recipes by which workers run servers for a scenario, with their parameters.')
    .helpGroup(HELP_GROUPS.reference)
    .option('--json', 'as JSON, with the schema of their parameters')
    .action(async (options: { readonly json?: true }) => {
      const { RECIPE_DESCRIPTIONS } = await import('@pacecar/worker');
      await writeOut(options.json === true ? asJson(RECIPE_DESCRIPTIONS) : asText(RECIPE_DESCRIPTIONS));
    });
}

function asJson(recipes: readonly RecipeDescription[]): string {
  const all = recipes.map(({ parameters, ...rest }) => ({ ...rest, parameters: schemaOf(parameters) }));
  return `${JSON.stringify(all, null, 2)}\n`;
}

/** A block for each recipe, at most 100 columns wide. */
function asText(recipes: readonly RecipeDescription[]): string {
  return recipes
    .map(({ name, speaks, summary, parameters }) => {
      const names = Object.keys(schemaOf(parameters).properties ?? {});
      const lines = [...wrapped(summary.split(' ')), ...wrapped(names)];
      return `${name}, speaks ${speaks}\n${lines.map((line) => `  ${line}\n`).join('')}`;
    })
    .join('\n');
}

function schemaOf(parameters: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(parameters, { io: 'input' });
}
