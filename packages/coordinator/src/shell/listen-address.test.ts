import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkListenAddress, joinUrl } from './listen-address.js';

test('without a token only loopback is listened on', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', 'localhost', 'LOCALHOST', '::1', '::ffff:127.0.0.1'])
    checkListenAddress(host, null);
  for (const host of [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '192.168.1.1',
    'example.org',
    '127.evil.example',
    '2001:db8::1',
  ]) {
    assert.throws(() => checkListenAddress(host, null), { code: 'REQUEST_INVALID' }, host);
    checkListenAddress(host, 'token');
  }
  assert.throws(() => checkListenAddress('127.0.0.1', ''), /token is empty/);
  for (const token of ['k'.repeat(40_000), 'kkk\u0007'])
    assert.throws(
      () => checkListenAddress('127.0.0.1', token),
      (error: Error) => 'code' in error && error.code === 'REQUEST_INVALID' && !error.message.includes('kkk'),
    );
});

test('the address to join: brackets around IPv6, wss with a certificate, a name for every interface', () => {
  assert.equal(joinUrl('127.0.0.1', 1, false), 'ws://127.0.0.1:1');
  assert.equal(joinUrl('::1', 2, true), 'wss://[::1]:2');
  assert.doesNotMatch(joinUrl('0.0.0.0', 3, false), /0\.0\.0\.0/);
});
