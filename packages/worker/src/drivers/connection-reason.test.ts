import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionReason } from './connection-reason.js';

test('a connection that failed says why, for each address that was tried', () => {
  const refused = ['connect ECONNREFUSED ::1:6379', 'connect ECONNREFUSED 127.0.0.1:6379'].map(
    (text) => new Error(text),
  );
  assert.equal(
    connectionReason(new AggregateError(refused)),
    'connect ECONNREFUSED ::1:6379; connect ECONNREFUSED 127.0.0.1:6379',
  );
  assert.equal(connectionReason(new Error('getaddrinfo ENOTFOUND nowhere')), 'getaddrinfo ENOTFOUND nowhere');
});
