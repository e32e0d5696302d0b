import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadScenarioFile, ScenarioRejected } from './scenario-file.js';

const folder = mkdtempSync(join(tmpdir(), 'pacecar-scenario-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const withRates = (path: string) =>
  `pacecar: 1\nconfigurations: { it: { target: builtin } }\nstages: [measure: { rate: { file: ${path} } }]\n`;

test('a rate file is found beside the scenario, wherever the command was started', () => {
  mkdirSync(join(folder, 'rates'));
  write('rates/day.csv', 'time,rate\n0,10\n5s,20/s\n');
  const { plan } = loadScenarioFile(write('day.yaml', withRates('rates/day.csv')), {});
  assert.deepEqual(plan.cells[0]?.stages[0]?.workloads[0]?.model, {
    kind: 'open',
    rate: {
      kind: 'points',
      points: [
        { atMs: 0, ratePerSec: 10 },
        { atMs: 5_000, ratePerSec: 20 },
      ],
      between: 'hold',
    },
    arrivals: 'constant',
    lateAfterMs: 10,
    dropAfterMs: null,
  });
});

for (const [path, why] of [
  ['nowhere.csv', 'there is none'],
  ['.', 'it is a folder'],
] as const)
  test(`the rate file ${path} is refused with its place: ${why}`, () => {
    const file = write('wrong.yaml', withRates(path));
    assert.throws(
      () => loadScenarioFile(file, {}),
      (error) =>
        error instanceof ScenarioRejected &&
        error.problems.length === 1 &&
        error.problems[0]?.line === 3 &&
        error.message.includes(`the file "${path}" cannot be read`),
    );
  });
