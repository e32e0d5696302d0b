import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { PacecarError } from '@pacecar/protocol';
import { type RunningTarget, startTarget } from './start-target.js';

/** Sends commands and a QUIT on a connection of its own, and returns all that came back before the answer to QUIT. */
async function exchange(port: number, request: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.write(`${request}QUIT\r\n`, 'latin1');
  let received = '';
  for await (const chunk of socket) received += (chunk as Buffer).toString('latin1');
  return received.replace(/\+OK\r\n$/, '');
}

describe('the built-in target', () => {
  let target: RunningTarget;
  before(async () => {
    target = await startTarget({ host: '127.0.0.1', port: 0 });
  });
  after(() => target.close());

  for (const [request, reply] of [
    ['PING\r\n', '+PONG\r\n'],
    ['*2\r\n$4\r\nPING\r\n$2\r\nhi\r\n', '$2\r\nhi\r\n'],
    ['ECHO hello\r\n', '$5\r\nhello\r\n'],
    [
      'SET a 1\r\nGET a\r\nGET none\r\nEXISTS a none a\r\nDEL a none\r\nGET a\r\n',
      '+OK\r\n$1\r\n1\r\n$-1\r\n:2\r\n:1\r\n$-1\r\n',
    ],
    ['*3\r\n$3\r\nset\r\n$1\r\ne\r\n$0\r\n\r\n*2\r\n$3\r\nget\r\n$1\r\ne\r\n', '+OK\r\n$0\r\n\r\n'],
    ['DEL n\r\nINCR n\r\nINCR n\r\nGET n\r\n', ':0\r\n:1\r\n:2\r\n$1\r\n2\r\n'],
    ['SET t text\r\nINCR t\r\n', '+OK\r\n-ERR value is not an integer or out of range\r\n'],
    ['SELECT 1\r\nSET only here\r\nSELECT 0\r\nGET only\r\n', '+OK\r\n+OK\r\n+OK\r\n$-1\r\n'],
    ['SELECT 16\r\n', '-ERR DB index is out of range (0..15)\r\n'],
    ['SET a\r\n', "-ERR wrong number of arguments for 'set' command\r\n"],
    ['SET a 1 EX\r\n', '-ERR syntax error\r\n'],
    ['FLY away\r\n', "-ERR unknown command 'FLY'\r\n"],
    ['CONFIG GET maxmemory\r\n', '*0\r\n'],
    ['HELLO 4\r\n', '-NOPROTO unsupported protocol version\r\n'],
    ['*1\r\n:5\r\n', "-ERR Protocol error: expected '$', got ':'\r\n"],
  ] as const)
    test(`answers ${JSON.stringify(request)}`, async () => {
      assert.equal(await exchange(target.port, request), reply);
    });

  test('speaks RESP3 to those who ask for it', async () => {
    const received = await exchange(target.port, 'HELLO 3\r\nGET none\r\n');
    assert.match(received, /^%4\r\n\$6\r\nserver\r\n\$14\r\npacecar-target\r\n\$5\r\nproto\r\n:3\r\n/);
    assert.match(received, /\r\n_\r\n$/);
  });

  test('QUIT is answered, and then the connection ends', async () => {
    assert.equal(await exchange(target.port, 'QUIT\r\nPING\r\n'), '');
  });

  test('calls itself pacecar-target, never Redis', async () => {
    const info = await exchange(target.port, 'INFO\r\n');
    assert.match(info, /\r\nserver_name:pacecar-target\r\n/);
    assert.doesNotMatch(info, /redis/i);
  });

  test('counts its commands from the start or the last reset, hits and misses with them', async () => {
    await exchange(target.port, 'CONFIG RESETSTAT\r\n');
    await exchange(target.port, 'SET k v\r\nGET k\r\nGET no\r\nGET no\r\nGET\r\n');
    const info = await exchange(target.port, 'INFO all\r\n');
    assert.match(info, /cmdstat_get:calls=3,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0\r\n/);
    assert.match(info, /cmdstat_set:calls=1,/);
    assert.match(info, /keyspace_hits:1\r\nkeyspace_misses:2\r\n/);
    assert.deepEqual(target.counters(), { set: 1, get: 3, info: 1, quit: 3 });
  });

  test('keeps a value of 5 MB, and does not read on while a client does not', async () => {
    const value = 'v'.repeat(5_000_000);
    const request = `*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n$5000000\r\n${value}\r\n${'GET big\r\n'.repeat(5)}`;
    const received = await exchange(target.port, request);
    assert.equal(received.length, 5 + 5 * 5_000_012);
  });

  test('asks for its password', async () => {
    const guarded = await startTarget({ host: '127.0.0.1', port: 0, password: 'right' });
    try {
      const request = 'GET a\r\nAUTH wrong\r\nGET a\r\nAUTH default right\r\nGET a\r\n';
      const received = await exchange(guarded.port, request);
      assert.deepEqual(
        received.split('\r\n').map((line) => line.split(' ')[0]),
        ['-NOAUTH', '-WRONGPASS', '-NOAUTH', '+OK', '$-1', ''],
      );
    } finally {
      await guarded.close();
    }
  });

  test('says so when it cannot listen', async () => {
    await assert.rejects(startTarget({ host: '127.0.0.1', port: target.port }), (error: unknown) => {
      assert.ok(error instanceof PacecarError);
      assert.equal(error.code, 'REQUEST_INVALID');
      assert.match(error.message, new RegExp(`--host 127.0.0.1 --port ${target.port}: .* in use`));
      return true;
    });
    await assert.rejects(startTarget({ host: '192.0.2.1', port: 0 }), {
      code: 'REQUEST_INVALID',
      message: /^--host 192\.0\.2\.1 --port 0: this machine has no address 192\.0\.2\.1/,
    });
  });
});
