/** `npm run docs`: writes the references that are made from the schemas, the drivers and the recipes. A test holds them equal. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareOrExplain, ROOT } from './prepare.mjs';

const failed = await prepareOrExplain({ project: 'packages/cli' });
if (failed !== 0) process.exit(failed);

const { protocolReference } = await import('@pacecar/protocol/reference');
const { driversReference, recipesReference } = await import('@pacecar/worker/reference');
const { scenarioJsonSchema, scenarioReference } = await import('@pacecar/scenario');
mkdirSync(join(ROOT, 'docs'), { recursive: true });
writeFileSync(join(ROOT, 'docs/protocol.md'), protocolReference());
writeFileSync(join(ROOT, 'docs/drivers.md'), driversReference());
writeFileSync(join(ROOT, 'docs/recipes.md'), recipesReference());
writeFileSync(join(ROOT, 'docs/scenario.md'), scenarioReference());
writeFileSync(join(ROOT, 'docs/scenario.schema.json'), `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`);
