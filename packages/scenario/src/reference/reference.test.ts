import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { scenarioJsonSchema } from '../json-schema.js';
import { keyDoc } from '../key-doc.js';
import { scenarioReference } from './reference.js';
import { planOf, withStages } from '../sample.test.data.js';
import { LivenessShape, ScenarioShape } from '../written/scenario.js';
import { TargetShape } from '../written/target.js';
import { KeysShape } from '../written/keys.js';
import { MeasureShape } from '../written/stage.js';
import { WorkloadShape } from '../written/workload.js';

const ROOT = new URL('../../../../', import.meta.url);
const EXAMPLES = readdirSync(new URL('scenarios/', ROOT)).filter((file) => file.endsWith('.yaml'));
const textOf = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

test('docs/scenario.md is what the schemas say; `npm run docs` writes it', () => {
  assert.equal(textOf('docs/scenario.md'), scenarioReference());
});

test('docs/scenario.schema.json is what the schemas say; `npm run docs` writes it', () => {
  assert.deepEqual(
    JSON.parse(textOf('docs/scenario.schema.json')),
    JSON.parse(JSON.stringify(scenarioJsonSchema())),
  );
});

test('there are examples, and the quickstart is one of them', () => {
  assert.ok(EXAMPLES.includes('quickstart.yaml'));
});

for (const file of EXAMPLES) {
  test(`scenarios/${file} fits the JSON schema that editors use, and names it`, () => {
    const text = textOf(`scenarios/${file}`);
    assert.match(text, /^# yaml-language-server: \$schema=\.\.\/docs\/scenario\.schema\.json\n/);
    // What YAML alone makes of an expression in a flow mapping is no value; editors see it quoted in the examples.
    z.fromJSONSchema(scenarioJsonSchema() as z.core.JSONSchema.JSONSchema).parse(parse(text));
  });
}

test('the JSON schema refuses an unknown key, a bare duration and a stage of two kinds', () => {
  const schema = z.fromJSONSchema(scenarioJsonSchema() as z.core.JSONSchema.JSONSchema);
  const fits = (more: object) =>
    schema.safeParse({ pacecar: 1, configurations: {}, stages: ['load'], ...more }).success;
  assert.equal(fits({}), true);
  assert.equal(fits({ nmae: 'x' }), false);
  assert.equal(fits({ interval: 500 }), false);
  assert.equal(fits({ order: 'interleave' }), false);
  assert.equal(fits({ order: '${order}' }), true);
  assert.equal(fits({ stages: [{ load: null }] }), true);
  assert.equal(fits({ stages: [{ load: null, verify: null }] }), false);
});

const TOP: Readonly<Record<string, z.ZodRawShape>> = { '': ScenarioShape, liveness: LivenessShape };
/** Keys that have a meaning only beside others. */
const BESIDE: Readonly<Record<string, string>> = {
  // A limit has a meaning only where a stage ends by something else than time.
  limit: 'allKeys: true',
  records: 'mix: { readRecord: 1 }',
  arrivals: 'rate: 1k/s',
  lateAfter: 'rate: 1k/s',
  dropAfter: 'rate: 1k/s',
  tests: 'preset: redis-benchmark',
};
const beside = (line: string) => {
  const other = BESIDE[line.slice(0, line.indexOf(':'))];
  return other === undefined ? line : `${line}, ${other}`;
};
const BELOW: Readonly<Record<string, (line: string) => string>> = {
  workload: (line) => withStages('- measure', `workload: { ${beside(line)} }`),
  keys: (line) => withStages('- measure', `workload: { keys: { ${line} } }`),
  // Something comes after it, which a background needs.
  measure: (line) => withStages(`- measure: { ${beside(line)} }\n- measure: { name: busy }`),
  target: (line) =>
    `pacecar: 1\nconfigurations: { it: { target: { ${/^(?:host|addresses|socket):/.test(line) ? line : `host: h, ${line}`} } } }\nstages: [measure]\n`,
};
const SHAPES: Readonly<Record<string, z.ZodRawShape>> = {
  workload: WorkloadShape,
  keys: KeysShape,
  measure: MeasureShape,
  target: TargetShape,
};

for (const [place, shape] of Object.entries(SHAPES))
  for (const [key, schema] of Object.entries(shape)) {
    const { says, example, fallback } = keyDoc(schema);
    test(`${place}.${key} has a meaning and an example, and its example and default are right`, () => {
      assert.ok(says.length > 10 && example !== undefined);
      for (const written of [example, fallback]) {
        if (written === undefined) continue;
        const text = (BELOW[place] as (line: string) => string)(`${key}: ${written}`);
        planOf(text, { env: { REDIS_PASSWORD: 'x' } });
      }
    });
  }

for (const [place, shape] of Object.entries(TOP))
  for (const [key, schema] of Object.entries(shape)) {
    const { says, example, fallback } = keyDoc(schema);
    test(`${place === '' ? '' : `${place}.`}${key} has a meaning, and its default changes nothing`, () => {
      assert.ok(says.length > 10 && (example !== undefined || fallback !== undefined));
      if (fallback === undefined) return;
      const base = planOf(withStages('- measure')).liveness;
      const line = place === '' ? `${key}: ${fallback}` : `${place}: { ${key}: ${fallback} }`;
      const text = `pacecar: 1\nconfigurations: { it: { target: builtin } }\nstages: [measure]\n${line}\n`;
      const bare = text.replace(`${line}\n`, '');
      assert.deepEqual(planOf(text), planOf(bare));
      assert.deepEqual(planOf(text).liveness, base);
    });
  }
