import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorKindOf } from './error-kind.js';

const error = (name: string, message = '', more: object = {}): Error =>
  Object.assign(new Error(message), { name }, more);

const KINDS: readonly (readonly [kind: string | null, error: Error, why: string])[] = [
  ['DUPLICATE_KEY', error('MongoServerError', 'E11000 duplicate', { code: 11_000 }), 'one document'],
  ['DUPLICATE_KEY', error('MongoBulkWriteError', 'E11000 duplicate', { code: 11_000 }), 'one of several'],
  [
    'TOO_LARGE',
    error('RangeError', 'offset', { code: 'ERR_OUT_OF_RANGE' }),
    'the buffer of the library ends',
  ],
  [
    'TOO_LARGE',
    error('MongoServerError', 'BSONObj size: 17000000 is invalid', { code: 8 }),
    'the server says so',
  ],
  ['NO_SUCH_THING', error('MongoServerError', '', { code: 9_999, codeName: 'NoSuchThing' }), 'by its name'],
  ['CODE_9999', error('MongoServerError', '', { code: 9_999 }), 'a number alone'],
  ['WRITE_CONCERN', error('MongoWriteConcernError'), 'an error of the library'],
  [null, error('MongoNetworkError', 'connection closed'), 'the connection'],
  [null, error('Error', 'write ECONNRESET', { code: 'ECONNRESET', syscall: 'write' }), 'a socket as it is'],
];
for (const [kind, thrown, why] of KINDS)
  test(`${thrown.name} is ${kind ?? 'of the connection'}: ${why}`, () =>
    assert.equal(errorKindOf(thrown), kind));

test('what is no error has a kind too', () => assert.equal(errorKindOf('text'), 'ERR'));
