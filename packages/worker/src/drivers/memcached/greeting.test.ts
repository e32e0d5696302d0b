import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PacecarError, type Target } from '@pacecar/protocol';
import { MemcachedGreeting } from './greeting.js';

const TARGET: Target = {
  ...{ kind: 'address', host: 'cache', port: 11_211, username: null, password: null, database: 0 },
};

/** The answer in one piece and byte by byte: true, false, or the error. */
function answered(protocol: 'meta' | 'text', answer: string): readonly (boolean | string)[] {
  return [[answer], [...answer]].map((pieces) => {
    const greeting = new MemcachedGreeting(TARGET, { protocol });
    try {
      let isIn = false;
      for (const piece of pieces) isIn = greeting.receive(Buffer.from(piece, 'latin1'));
      return isIn;
    } catch (thrown) {
      assert.ok(thrown instanceof PacecarError);
      return `${thrown.code}: ${thrown.message}`;
    }
  });
}

describe('the greeting', () => {
  test('says which protocol it needs', () => {
    const request = (protocol: 'meta' | 'text') =>
      Buffer.from(new MemcachedGreeting(TARGET, { protocol }).request).toString();
    assert.deepEqual([request('meta'), request('text')], ['version\r\nmn\r\n', 'version\r\n']);
  });

  for (const [protocol, answer, isIn] of [
    ['meta', 'VERSION 1.6.18\r\nMN\r\n', true],
    ['text', 'VERSION 1.4.5\r\n', true],
    ['meta', 'VERSION 1.6.18\r\n', false],
    ['text', 'VERSION 1.4', false],
    ['meta', 'VERSION 1.6.18\r\nM', false],
  ] as const)
    test(`${protocol}, ${JSON.stringify(answer)}: ${isIn ? 'in' : 'not yet'}`, () =>
      assert.deepEqual(answered(protocol, answer), [isIn, isIn]));

  for (const [protocol, answer, error] of [
    [
      'meta',
      'VERSION 1.4.15\r\nERROR\r\n',
      /^TARGET_PROTOCOL: .*cache:11211, version 1\.4\.15, does not know the meta commands.*protocol: text/,
    ],
    ['text', "-ERR unknown command 'version'\r\n", /^TARGET_PROTOCOL: .*a Redis answers so.*the driver resp/],
    ['meta', '-NOAUTH Authentication required.\r\n', /^TARGET_PROTOCOL: .*a Redis answers so/],
    [
      'meta',
      'HTTP/1.1 400 Bad Request\r\n',
      /^TARGET_PROTOCOL: .*"HTTP\/1\.1 400 Bad Request"; check host and/,
    ],
    ['text', 'CLIENT_ERROR unauthenticated\r\n', /^TARGET_DENIED: .*wants a user and a password/],
    ['meta', 'ERROR Too many open connections\r\n', /^TARGET_DENIED: .*no connection left.*memcached -c/],
    ['text', '\u0015\u0003\u0001', /^TARGET_PROTOCOL: /],
    ['text', 'A'.repeat(1_001), /^TARGET_PROTOCOL: /],
  ] as const)
    test(`${protocol}, ${JSON.stringify(answer.slice(0, 40))} is refused`, () => {
      for (const each of answered(protocol, answer)) assert.match(String(each), error);
    });
});
