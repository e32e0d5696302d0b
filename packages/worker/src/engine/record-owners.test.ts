import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Keys } from '@pacecar/protocol';
import fc from 'fast-check';
import { keyText } from './key-text.js';
import { RecordOwners } from './record-owners.js';

const shapes = fc
  .record({
    prefix: fc.constantFrom('', 'user', 'r:{', 'ключ:', '7'),
    suffix: fc.constantFrom('', '}', ':7', '0'),
    order: fc.constantFrom<Keys['order']>('numeric', 'hashed'),
    width: fc.integer({ min: 0, max: 20 }),
  })
  .map((shape): Keys => ({ ...shape, minimum: 0, maximum: 9, distribution: { kind: 'uniform' } }));
const key = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

const bytes = (text: string) => new TextEncoder().encode(text);

describe('by what records are marked', () => {
  test('stands in the text of the key', () => {
    fc.assert(
      fc.property(shapes, key, key, (keys, one, other) => {
        const owners = new RecordOwners(keys);
        for (const each of [one, other, one])
          assert.equal(owners.ofText(bytes(keyText(keys, each))), new RecordOwners(keys).ofKey(each));
        assert.equal(owners.ofKey(one), new RecordOwners(keys).ofKey(one));
        if (one !== other) assert.notEqual(owners.ofKey(one), owners.ofKey(other));
      }),
    );
  });

  test('texts that are none of these keys have none', () => {
    const keys: Keys = {
      ...{ minimum: 0, maximum: 9, prefix: 'r:', suffix: '}', order: 'numeric', width: 3 },
      distribution: { kind: 'uniform' },
    };
    const owners = new RecordOwners(keys);
    assert.equal(owners.ofText(bytes('r:042}')), 42);
    for (const text of [
      '',
      'r:}',
      'r:04',
      's:042}',
      'r:042)',
      'r:-42}',
      'r:4x2}',
      '_indices',
      'r:99999999999999999}',
    ])
      assert.equal(owners.ofText(bytes(text)), -1, text);
  });
});
