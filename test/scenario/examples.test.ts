import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { describePlan, formatProblems, readScenario } from '@pacecar/scenario';
import { DRIVERS } from '@pacecar/worker';

const DIRECTORY = new URL('../../../scenarios/', import.meta.url);
const FILES = readdirSync(DIRECTORY).filter((file) => file.endsWith('.yaml'));

test('there are examples', () => assert.ok(FILES.length >= 5));

/** Examples of what no driver of this version can do yet: refused for that alone. */
const AHEAD: ReadonlySet<string> = new Set(['redis-benchmark.yaml', 'ycsb-a.yaml']);

for (const file of FILES)
  test(`scenarios/${file} is ${AHEAD.has(file) ? 'ahead of' : 'right for'} the drivers that workers really have`, () => {
    const text = readFileSync(new URL(file, DIRECTORY), 'utf8');
    const result = readScenario({ text, file, set: {}, env: {}, drivers: DRIVERS });
    if (AHEAD.has(file)) {
      assert.ok(!result.ok, 'a driver can do it now: it is ahead no more');
      for (const { code } of result.problems) assert.equal(code, 'UNSUPPORTED');
      return;
    }
    assert.ok(result.ok, result.ok ? '' : formatProblems(result.problems));
    assert.deepEqual(result.warnings, []);
    for (const line of describePlan(result.plan).split('\n')) assert.ok(line.length <= 100, line);
  });
