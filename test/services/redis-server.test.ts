import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { needs } from './installed.js';
import { startRedis } from './redis-server.js';

describe('the redis-server that suites start', needs('redis-server'), () => {
  test('counts its commands from zero and is gone after close', async () => {
    const redis = await startRedis();
    try {
      assert.equal(await redis.command('SET', 'key', 'värde'), 'OK');
      assert.equal(await redis.command('GET', 'key'), 'värde');
      assert.equal(await redis.command('GET', 'no such key'), null);
      assert.deepEqual(await redis.command('MGET', 'key', 'none'), ['värde', null]);
      await assert.rejects(redis.command('LPUSH', 'key', 'x'), /^Error: WRONGTYPE/);
      const calls = await redis.calls();
      assert.equal(calls['set'], 1);
      assert.equal(calls['get'], 2);
    } finally {
      await redis.close();
    }
    await assert.rejects(redis.command('PING'), /ECONNREFUSED/);
  });

  test('starts with a password and with other settings', async () => {
    const redis = await startRedis(['--requirepass', 'secret']);
    try {
      await assert.rejects(redis.command('PING'), /^Error: NOAUTH/);
    } finally {
      await redis.close();
    }
  });

  test('says what the server said when it does not start', async () => {
    await assert.rejects(startRedis(['--no-such-setting', '1']), /did not start[\s\S]*no-such-setting/i);
  });
});
