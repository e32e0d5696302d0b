import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { protocolReference } from '@pacecar/protocol/reference';
import { formatProblems, readScenario, scenarioJsonSchema, scenarioReference } from '@pacecar/scenario';
import { DRIVERS, RECIPE_DESCRIPTIONS } from '@pacecar/worker';
import { driversReference, recipesReference } from '@pacecar/worker/reference';
import { folders, PACKAGES, read, readJson, ROOT, writtenFiles } from './checkout.js';

describe('documents that are made from the code', () => {
  test('docs/protocol.md is what the schemas say now (npm run docs)', () => {
    assert.equal(read('docs/protocol.md'), protocolReference());
  });

  test('docs/recipes.md is what the recipes declare now (npm run docs)', () => {
    assert.equal(read('docs/recipes.md'), recipesReference());
  });

  test('docs/scenario.md is what the schemas say now (npm run docs)', () => {
    assert.equal(read('docs/scenario.md'), scenarioReference());
  });

  test('docs/drivers.md is what the drivers declare now (npm run docs)', () => {
    assert.equal(read('docs/drivers.md'), driversReference());
    for (const { name, settings } of DRIVERS)
      for (const setting of Object.keys(settings.parse({})))
        assert.match(read('docs/drivers.md'), new RegExp(`## ${name}\\n[^#]*\\| \`${setting}\` \\|`));
  });

  test('docs/scenario.schema.json is the schema that scenarios are read by (npm run docs)', () => {
    assert.deepEqual(readJson('docs/scenario.schema.json'), scenarioJsonSchema());
  });
});

describe('documents that people write', () => {
  const documents = writtenFiles().filter((file) => file.endsWith('.md'));

  test('no link within the checkout is dead', () => {
    const dead = documents.flatMap((document) =>
      [...read(document).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map((match) => match[1] as string)
        .filter((target) => !existsSync(join(ROOT, dirname(document), target)))
        .map((target) => `${document}: ${target}`),
    );
    assert.deepEqual(dead, []);
  });

  test('every script that a document names exists', () => {
    const { scripts } = readJson<{ scripts: Record<string, string> }>('package.json');
    const unknown = documents.flatMap((document) =>
      [...read(document).matchAll(/npm run (?:--silent )?([a-z:]+)/g)]
        .map((match) => match[1] as string)
        .filter((name) => scripts[name] === undefined)
        .map((name) => `${document}: npm run ${name}`),
    );
    assert.deepEqual(unknown, []);
  });

  test('every whole scenario that a document shows is valid', () => {
    const scenarios = documents.flatMap((file) =>
      [...read(file).matchAll(/```yaml\n(pacecar: 1\n[\s\S]*?)```/g)].map(([, text]) => ({
        file,
        text: text as string,
      })),
    );
    assert.ok(scenarios.length > 0);
    for (const { file, text } of scenarios) {
      const result = readScenario({
        text,
        file,
        set: {},
        env: {},
        drivers: DRIVERS,
        recipes: RECIPE_DESCRIPTIONS,
      });
      assert.ok(result.ok, result.ok ? '' : formatProblems(result.problems));
    }
  });

  test('decisions are numbered without gaps', () => {
    const decisions = documents.filter((file) => file.startsWith('docs/decisions/'));
    assert.ok(decisions.length > 0);
    const numbers = decisions.map((file) => Number(/\/(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1]));
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
  });
});

describe('ARCHITECTURE.md', () => {
  const [, drawing] = /^## The house\n[\s\S]*?```\n([\s\S]*?)```/m.exec(read('ARCHITECTURE.md')) ?? [];
  const drawn = drawnFolders(drawing ?? '');

  test('draws every folder that there is, and no other', () => {
    const top = folders('').filter((name) => name !== 'packages');
    const inside = (folder: string): string[] => [
      folder,
      ...folders(folder).map((name) => `${folder}/${name}`),
    ];
    const packages = PACKAGES.flatMap((name) => [
      `packages/${name}`,
      ...folders(`packages/${name}`).flatMap((part) =>
        part === 'src'
          ? folders(`packages/${name}/src`).map((folder) => `packages/${name}/src/${folder}`)
          : [`packages/${name}/${part}`],
      ),
    ]);
    assert.deepEqual(drawn.toSorted(), [...packages, ...top.flatMap(inside)].toSorted());
  });
});

/** `folder  words` with sub-folders indented below it; sub-folders of a package stand for its src/. */
function drawnFolders(drawing: string): string[] {
  const found: string[] = [];
  let parent = '';
  for (const line of drawing.split('\n')) {
    const [, indent, path] = /^( *)(\S+?)\/?(?: {2,}|$)/.exec(line) ?? [];
    if (indent === undefined || path === undefined || indent.length > 2) continue;
    if (indent === '') parent = path;
    found.push(indent === '' ? path : `${parent}/${path}`);
  }
  return found;
}
