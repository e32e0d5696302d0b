import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assignment, coordinatorUrl, countAssignment, listenAddress, wholeNumber } from './flag.js';

test('a whole number is taken within its bounds and nothing else is', () => {
  const parse = wholeNumber(1, 100);
  assert.equal(parse('1'), 1);
  assert.equal(parse('100'), 100);
  for (const text of ['0', '101', '-1', '1.5', '1e2', '0x10', '', ' 3', 'three'])
    assert.throws(() => parse(text), /from 1 to 100/, `${JSON.stringify(text)} was taken`);
});

test('an address to listen on names host and port; without a host it is loopback', () => {
  assert.deepEqual(listenAddress('0.0.0.0:2103'), { host: '0.0.0.0', port: 2103 });
  assert.deepEqual(listenAddress('host.example:0'), { host: 'host.example', port: 0 });
  assert.deepEqual(listenAddress(':2103'), { host: '127.0.0.1', port: 2103 });
  assert.deepEqual(listenAddress('[::1]:2103'), { host: '::1', port: 2103 });
  for (const text of ['2103', 'host', 'host:', 'host:65536', 'host:-1', '::1:2103', 'a b:1', 'ws://host:1'])
    assert.throws(() => listenAddress(text), /127\.0\.0\.1:2103/, `${text} was taken`);
});

test("a coordinator's address is a WebSocket address without a secret in it", () => {
  assert.equal(coordinatorUrl('ws://10.0.0.5:2103'), 'ws://10.0.0.5:2103');
  assert.equal(coordinatorUrl('wss://host:1'), 'wss://host:1');
  for (const text of ['10.0.0.5:2103', 'http://host:1', 'ws://', ''])
    assert.throws(() => coordinatorUrl(text), /is needed/, `${text} was taken`);
  assert.throws(() => coordinatorUrl('ws://user:token@host:1'), /--token-file/);
});

test('assignments are collected, the last one of a name holds, the value may hold anything', () => {
  let all = assignment('a=1');
  all = assignment('b=x=y', all);
  all = assignment('a=', all);
  assert.deepEqual(all, { a: '', b: 'x=y' });
  assert.throws(() => assignment('a'), /name=value/);
  assert.throws(() => assignment('=1'), /name=value/);
  const count = countAssignment(1, 10);
  assert.deepEqual(count('clients=3', count('servers=2')), { servers: 2, clients: 3 });
  assert.throws(() => count('clients=0'), /from 1 to 10/);
});
