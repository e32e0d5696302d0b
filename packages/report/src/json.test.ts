import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderJson } from './json.js';
import { sampleBundle, samplePlan } from './sample-run.test.data.js';
import { type Summary, SummarySchema, summaryJsonSchema } from './summary/schema.js';
import { summarize } from './summary/summarize.js';

const summary = summarize(
  sampleBundle(samplePlan(2, { name: 'a "b" \u2028 \\ c' }), [
    {
      stage: 0,
      workers: [
        { frames: [[{ operation: 'get', ok: [[1_000, 5]], errors: { OOM: 1 } }], []] },
        { frames: [[{ operation: 'put', ok: [[9_000, 5]] }]] },
      ],
    },
  ]),
);

test('summary.json holds exactly the summary, and the schema accepts it', () => {
  const read: unknown = JSON.parse(renderJson(summary));
  assert.deepEqual(read, summary);
  assert.deepEqual(SummarySchema.parse(read), summary);
});

test('small objects take one line, so that a long run stays readable', () => {
  const lines = renderJson(summary).split('\n');
  assert.equal(lines.at(-1), '');
  assert.ok(lines.some((line) => /^ +"service": \{ "count": 5, "minNs": 1000, .* \},?$/.test(line)));
  for (const line of lines) assert.ok(line.length < 1_000);
});

test('values that JSON does not know become null', () => {
  assert.equal(
    renderJson({ ...summary, notes: [Number.NaN] } as unknown as Summary).includes('"notes": [null]'),
    true,
  );
});

test('the published schema describes every field of a summary', () => {
  const schema = summaryJsonSchema() as {
    $schema: string;
    title: string;
    properties: object;
    required: string[];
  };
  assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema');
  assert.equal(schema.title, 'Pacecar summary');
  assert.deepEqual(Object.keys(schema.properties).sort(), Object.keys(summary).sort());
  assert.deepEqual([...schema.required].sort(), Object.keys(summary).sort());
});
