import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainWorkload } from '@pacecar/protocol';
import { keyText } from '../../../engine/key-text.js';
import { KeySlots, slotOf } from './hash-slot.js';

/** As `CLUSTER KEYSLOT` of a Redis 7.0 says. */
const KNOWN: readonly (readonly [key: string, slot: number, why: string])[] = [
  ['123456789', 12739, 'the check value of the CRC'],
  ['', 0, 'an empty key'],
  ['foo{}{bar}', 8363, 'empty braces are no tag, and no later ones are looked for'],
  ['user{}:{7}', 8107, 'the same'],
  ['{user1000}.following', 3443, 'what is in braces counts'],
  ['{user1000}.followers', 3443, 'and nothing else'],
];
for (const [key, slot, why] of KNOWN)
  test(`slot of ${JSON.stringify(key)} is ${slot}: ${why}`, () => {
    assert.equal(slotOf(Buffer.from(key)), slot);
  });

test('the slot by number is that of the whole text, wherever braces stand', () => {
  const part = fc
    .array(fc.constantFrom('{', '}', 'a', 'é', ':'), { maxLength: 6 })
    .map((all) => all.join(''));
  const order = fc.constantFrom('numeric' as const, 'hashed' as const);
  fc.assert(
    fc.property(part, part, order, fc.nat({ max: 20 }), fc.nat(), (prefix, suffix, order, width, key) => {
      const keys = { ...plainWorkload({ keys: { maximum: 2 ** 31 } }).keys, prefix, suffix, order, width };
      const slots = new KeySlots(keys);
      assert.equal(slots.of(key), slotOf(Buffer.from(keyText(keys, key))));
      if (slots.only !== null) assert.equal(slots.of(key + 1), slots.only);
    }),
  );
});
