import type { RecipeDescription } from '@pacecar/protocol';
import { settingTable } from '../drivers/reference.js';
import { RECIPE_DESCRIPTIONS } from './registry.js';

const HEAD = `# The recipes

<!-- Generated from what the recipes declare in packages/worker/src/services; \`npm run docs\` writes it, a test compares it. -->

A recipe is how workers run a server for a scenario. Workers run recipes and no other programs: what a recipe is given is
checked by its parameters, and the program is the one on the PATH of the worker.

\`\`\`yaml
services:
  cache: { recipe: redis-server, group: servers, parameters: { persistence: append-only, maxMemory: 1GB } }
configurations:
  cache: { target: { service: cache } }
\`\`\`

Each process listens on the address by which its worker reaches the coordinator, on a port that is free or given, and works
in a directory of its own, which is removed at the end. [docs/scenario.md](scenario.md) has the stages that do something to
a service; \`pacecar recipes\` lists the recipes on a terminal. Sizes and durations are written with units; the defaults
below are bytes and milliseconds.`;

/** docs/recipes.md, made from what the recipes declare. */
export function recipesReference(): string {
  return `${[HEAD, ...RECIPE_DESCRIPTIONS.map(section)].join('\n\n')}\n`;
}

function section({ name, summary, roles, speaks, login, parameters }: RecipeDescription): string {
  const of = `Roles: ${roles.join(', ')}. Drivers of ${speaks} speak to it. ${login ? 'Takes `username` and `password`.' : 'Has no login.'}`;
  return [`## ${name}`, summary, of, settingTable(parameters, 'Parameter')].join('\n\n');
}
