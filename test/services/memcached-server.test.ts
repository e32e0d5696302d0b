import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { needs } from './installed.js';
import { startMemcached } from './memcached-server.js';

describe('the memcached that suites start', needs('memcached'), () => {
  test('counts its commands from zero and is gone after close', async () => {
    const server = await startMemcached();
    try {
      assert.equal(await server.command('set key 0 0 6', 'värde'), 'STORED\r\n');
      assert.equal(await server.command('get key'), 'VALUE key 0 6\r\nvärde\r\nEND\r\n');
      assert.equal(await server.command('get none'), 'END\r\n');
      const { cmd_get, cmd_set, get_hits, get_misses } = await server.stats();
      assert.deepEqual([cmd_get, cmd_set, get_hits, get_misses], [2, 1, 1, 1]);
    } finally {
      await server.close();
    }
    await assert.rejects(server.command('version'), /ECONNREFUSED/);
  });

  test('says what the server said when it does not start', async () => {
    await assert.rejects(startMemcached(['-I', '2000m']), /did not start[\s\S]*item size/i);
  });
});
