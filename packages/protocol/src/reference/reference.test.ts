import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decodeFrame, encodeFrame } from '../frame.js';
import { COORDINATOR_EXAMPLES, FRAME_EXAMPLE, WORKER_EXAMPLES } from './examples.js';
import { protocolReference } from './reference.js';
import { fieldTable, typeText } from './schema-text.js';

describe('protocol reference', () => {
  const text = protocolReference();

  test('has a section with fields and an example for each message, and explains every type it names', () => {
    for (const [type, example] of [
      ...Object.entries(WORKER_EXAMPLES),
      ...Object.entries(COORDINATOR_EXAMPLES),
    ]) {
      assert.match(text, new RegExp(`^### ${type}$`, 'm'));
      assert.ok(text.includes(JSON.stringify(example, null, 2)), `example of ${type}`);
      for (const field of Object.keys(example))
        assert.ok(text.includes(`| \`${field}\` |`), `${type}.${field}`);
    }
    for (const [, anchor] of text.matchAll(/\]\(#([a-z]+)\)/g))
      assert.match(text, new RegExp(`^### ${anchor as string}$`, 'im'));
  });

  test('says what every message is for', () => {
    const messages = text.slice(text.indexOf('## Messages of a worker'), text.indexOf('## Types'));
    const sections = messages.split(/^### /m).slice(1);
    assert.equal(
      sections.length,
      Object.keys(WORKER_EXAMPLES).length + Object.keys(COORDINATOR_EXAMPLES).length,
    );
    for (const section of sections) {
      const [title, , explanation] = section.split('\n');
      assert.match(explanation ?? '', /^[A-Z].{10,}\.$/, `nothing said of ${title}`);
    }
  });

  test('shows the bytes of its example frame as the codec reads them', () => {
    const [, block] = /is these bytes:\n\n```\n([0-9a-f\n]+)\n```/.exec(text) as RegExpExecArray;
    const bytes = Buffer.from((block as string).replaceAll('\n', ''), 'hex');
    assert.deepEqual(Buffer.from(encodeFrame(FRAME_EXAMPLE)), bytes);
    assert.deepEqual(decodeFrame(bytes).rows[0]?.errors, { WRONGTYPE: 1 });
  });

  test('leaves no type unsaid', () => {
    assert.doesNotMatch(text, /undefined|\[object|anything/);
  });
});

describe('types in words', () => {
  const cases: readonly [Parameters<typeof typeText>[0], string][] = [
    [{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, 'integer 0..2^53-1'],
    [{ type: 'integer', minimum: -1, maximum: 1_000_000 }, 'integer -1..1,000,000'],
    [{ type: 'number' }, 'number'],
    [{ type: 'number', minimum: 0 }, 'number, at least 0'],
    [{ type: 'number', exclusiveMinimum: 0, maximum: 1000 }, 'number above 0, at most 1,000'],
    [{ type: 'string', minLength: 1, maxLength: 100 }, 'string, 1..100 characters'],
    [{ type: 'string', maxLength: 2000 }, 'string, at most 2,000 characters'],
    [{ anyOf: [{ $ref: 'Name' }, { type: 'null' }] }, '[Name](#name) or null'],
    [{ type: 'array', items: { type: 'boolean' }, maxItems: 3 }, 'array of boolean (at most 3)'],
    [{ enum: ['a', 'b'] }, '`"a"`, `"b"`'],
    [{ type: 'object', properties: { kind: { const: 'x' } } }, '{ `kind`: `"x"` }'],
  ];
  for (const [schema, words] of cases) test(words, () => assert.equal(typeText(schema), words));

  test('a table has a row for each field', () => {
    assert.equal(
      fieldTable({ properties: { id: { type: 'integer', description: 'Which.' } } }),
      '| field | type | meaning |\n|---|---|---|\n| `id` | integer | Which. |',
    );
  });
});
