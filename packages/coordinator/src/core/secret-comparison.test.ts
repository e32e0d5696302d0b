import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sameSecret } from './secret-comparison.js';

test('says what === says', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => assert.equal(sameSecret(a, b), a === b)));
  fc.assert(fc.property(fc.string(), (a) => assert.ok(sameSecret(a, a))));
});

test('a beginning, a longer text and nothing are not the secret', () => {
  for (const offered of ['', 'secre', 'secrets', 'secret\0', 'Secret'])
    assert.ok(!sameSecret('secret', offered));
});
