import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nearest, wordDistance } from './near-word.js';

const KNOWN = ['load', 'warm-up', 'measure', 'verify', 'connections', 'connectTimeout', 'get', 'put'];

const TYPOS: readonly (readonly [word: string, meant: string | null, why: string])[] = [
  ['laod', 'load', 'neighbours swapped'],
  ['loda', 'load', 'neighbours swapped at the end'],
  ['mesure', 'measure', 'a letter left out'],
  ['measuree', 'measure', 'a letter too many'],
  ['verifi', 'verify', 'a letter replaced'],
  ['warmup', 'warm-up', 'the hyphen left out'],
  ['warm_up', 'warm-up', 'another hyphen'],
  ['Connections', 'connections', 'a capital'],
  ['connectionTimeout', 'connectTimeout', 'a longer word for it'],
  ['gett', 'get', 'a short word'],
  ['xyz', null, 'no word is near'],
  ['p', null, 'one letter means nothing'],
  ['', null, 'nothing'],
  ['x'.repeat(10_000), null, 'too long to be a typo'],
];

for (const [word, meant, why] of TYPOS)
  test(`${JSON.stringify(word.slice(0, 20))} means ${meant ?? 'nothing known'}: ${why}`, () =>
    assert.equal(nearest(word, KNOWN), meant));

const word = fc.string({ maxLength: 8 });

test('the distance is 0 for the same word only, is symmetric, and at most the longer length', () => {
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = wordDistance(a, b);
      assert.equal(distance === 0, a === b);
      assert.equal(distance, wordDistance(b, a));
      assert.ok(distance >= Math.abs(a.length - b.length) && distance <= Math.max(a.length, b.length));
    }),
  );
});
