import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { describePlan, formatProblems, readScenario } from '@pacecar/scenario';
import { DRIVERS, RECIPE_DESCRIPTIONS } from '@pacecar/worker';

const DIRECTORY = new URL('../../../scenarios/', import.meta.url);
const FILES = readdirSync(DIRECTORY).filter((file) => file.endsWith('.yaml'));

test('there are examples', () => assert.ok(FILES.length >= 5));

for (const file of FILES)
  test(`scenarios/${file} is right for the drivers that workers really have`, () => {
    const text = readFileSync(new URL(file, DIRECTORY), 'utf8');
    const result = readScenario({
      text,
      file,
      set: {},
      env: {},
      drivers: DRIVERS,
      recipes: RECIPE_DESCRIPTIONS,
    });
    assert.ok(result.ok, result.ok ? '' : formatProblems(result.problems));
    assert.deepEqual(result.warnings, []);
    assert.equal(result.plan.name, file.replace('.yaml', ''));
    for (const line of describePlan(result.plan).split('\n')) assert.ok(line.length <= 100, line);
  });
