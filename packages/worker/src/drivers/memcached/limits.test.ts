import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Action, type Keys, plainAction } from '@pacecar/protocol';
import { objectionTo } from './limits.js';

const KEYS: Keys = {
  ...{ minimum: 0, maximum: 999, prefix: 'key:', suffix: '', order: 'numeric', width: 0 },
  distribution: { kind: 'uniform' },
};
const get = plainAction('get', 1);

const objection = (keys: Partial<Keys>, mix: readonly Action[] = [get]) =>
  objectionTo({ keys: { ...KEYS, ...keys }, mix });

describe('what a memcached cannot take', () => {
  for (const [keys, bytes, why] of [
    [{ prefix: 'p'.repeat(247) }, 250, 'three digits'],
    [{ prefix: 'p'.repeat(230), width: 20 }, 250, 'zeros that pad count'],
    [{ prefix: 'ä'.repeat(123), maximum: 9_999 }, 250, 'bytes count, not characters'],
    [{ prefix: 'p'.repeat(100), suffix: 's'.repeat(131), order: 'hashed' }, 250, 'hashes have 19 digits'],
  ] as const)
    test(`keys of ${bytes} bytes are fine, one more is not: ${why}`, () => {
      assert.equal(objection(keys), null);
      assert.match(
        objection({ ...keys, prefix: `x${keys.prefix}` }) ?? '',
        /^its longest key "x[pä]{39}\.\.\." has 251 bytes; a memcached takes keys of at most 250 bytes/,
      );
    });

  test('keys that are inserted are as long as numbers get', () => {
    assert.equal(objection({ prefix: 'p'.repeat(240) }), null);
    assert.match(
      objection({ prefix: 'p'.repeat(240) }, [get, plainAction('insert', 1)]) ?? '',
      /has 256 bytes/,
    );
  });

  for (const [part, shown] of [
    [{ prefix: 'a b' }, '" "'],
    [{ suffix: '\n' }, '"\\\\n"'],
    [{ prefix: '\u0000' }, '"\\\\u0000"'],
    [{ suffix: '\u007f' }, '.'],
    [{ prefix: '\t' }, '"\\\\t"'],
  ] as const)
    test(`keys with ${JSON.stringify(Object.values(part)[0])} are refused`, () =>
      assert.match(objection(part) ?? '', new RegExp(`its keys have the character ${shown}`)));

  test('letters of any alphabet are fine', () =>
    assert.equal(objection({ prefix: 'schlüssel:鍵:🔑' }), null));

  for (const [timeToLiveMs, expected] of [
    [1_000, null],
    [2_592_000_000, null],
    [1_500, /time to live of put is 1500 ms; a memcached counts whole seconds/],
    [10, /whole seconds/],
    [2_592_001_000, /at most 30 days, and longer ones for a date/],
  ] as const)
    test(`a time to live of ${timeToLiveMs} ms`, () => {
      const found = objection({}, [get, { ...plainAction('put', 1), timeToLiveMs }]);
      if (expected === null) assert.equal(found, null);
      else assert.match(found ?? '', expected);
    });
});
