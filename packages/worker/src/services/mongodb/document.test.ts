import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeDocument, encodeDocument } from './document.js';

test('what is encoded is decoded', () => {
  const command = { hello: 1, $db: 'admin', comment: 'größer', nameOnly: true, negative: -5 };
  assert.deepEqual({ ...decodeDocument(encodeDocument(command)) }, command);
});

test('an answer with every kind of value that servers send', () => {
  // { a: 1.5, b: { c: 'x' }, d: [1, 2], e: date, f: int64 7, g: ObjectId, h: binary, i: null, j: true }
  const bytes = Buffer.from(
    [
      '7a000000',
      '016100000000000000f83f',
      '0362000e00000002630002000000780000',
      '0464001300000010300001000000103100020000 0000',
      '0965000000000000000000',
      '1266000700000000000000',
      '0767000102030405060708090a0b0c',
      '0568000200000000aabb',
      '0a6900',
      '086a0001',
      '00',
    ]
      .join('')
      .replaceAll(' ', ''),
    'hex',
  );
  bytes.writeInt32LE(bytes.length, 0);
  const { b, ...rest } = decodeDocument(bytes);
  assert.deepEqual({ ...(b as object) }, { c: 'x' });
  assert.deepEqual({ ...rest }, { a: 1.5, d: [1, 2], e: null, f: 7, g: null, h: null, i: null, j: true });
});

test('what is no document is refused, whatever is in it', () => {
  const whole = encodeDocument({ a: 'text', b: 1 });
  for (let length = 0; length < whole.length; length++)
    assert.throws(() => decodeDocument(whole.subarray(0, length)), RangeError, `${length} bytes`);
  const unknown = Buffer.from('08000000336100 00'.replaceAll(' ', ''), 'hex');
  assert.throws(() => decodeDocument(unknown), /a value of the unknown kind 51/);
  let deep = encodeDocument({});
  for (let depth = 0; depth < 30; depth++) {
    const body = Buffer.concat([Buffer.from('036100', 'hex'), deep, Buffer.of(0)]);
    const length = Buffer.alloc(4);
    length.writeInt32LE(body.length + 4);
    deep = Buffer.concat([length, body]);
  }
  assert.throws(() => decodeDocument(deep), /documents within/);
});
