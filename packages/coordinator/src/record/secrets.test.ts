import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { redactor } from './secrets.js';

test('a secret is replaced in every spelling', () => {
  const secret = `p@ss "w/o'rd\\é😀`;
  const redact = redactor([secret]);
  const spellings = [
    secret,
    JSON.stringify(secret),
    encodeURIComponent(secret),
    encodeURIComponent(secret).toLowerCase(),
    encodeURI(secret),
    `'${secret.replaceAll("'", "''")}'`,
    '"p\\x40ss\\u0020\\"w\\/o\'rd\\\\\\u00E9\\ud83d\\ude00"',
  ];
  for (const spelling of spellings) {
    const shown = redact(`before ${spelling} after`);
    assert.match(shown, /^before ["']?\*\*\*["']? after$/, spelling);
  }
});

test('a secret that holds another leaves nothing behind, in any order', () => {
  for (const secrets of [
    ['abc', 'abcdef'],
    ['abcdef', 'abc'],
  ])
    assert.equal(redactor(secrets)('abcdef abc'), '*** ***');
});

test('without secrets a text stays as it is', () => {
  assert.equal(redactor([])('password: x'), 'password: x');
});

test('property: no secret survives, raw, in JSON or in an address', () => {
  const printable = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
  fc.assert(
    fc.property(printable, fc.string(), fc.string(), (secret, before, after) => {
      fc.pre(!'***'.includes(secret));
      const redact = redactor([secret]);
      const spelled = JSON.stringify(secret).slice(1, -1);
      assert.ok(!redact(before + secret + after).includes(secret) || '***'.includes(secret));
      assert.equal(redact(`\0${spelled}\0`), '\0***\0');
      assert.equal(redact(`\0${encodeURIComponent(secret)}\0`), '\0***\0');
    }),
  );
});
