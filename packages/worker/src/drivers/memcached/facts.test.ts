import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { factsOf, statLines } from './facts.js';

const STATS =
  'STAT pid 812\r\nSTAT uptime 60\r\nSTAT time 1796040060\r\nSTAT threads 4\r\nSTAT get_hits 5\r\nEND\r\n';
const SETTINGS = 'STAT maxbytes 67108864\r\nSTAT evictions off\r\nSTAT domain_socket NULL\r\nEND\r\n';

describe('what a memcached says of itself', () => {
  test('lines end with END, and not before', () => {
    for (let length = 0; length < STATS.length; length++)
      assert.equal(statLines(STATS.slice(0, length)), null);
    assert.equal(statLines(STATS)?.get('threads'), '4');
    assert.equal(statLines('ERROR\r\n')?.size, 0);
  });

  test('settings, and one name for each life of the server', () => {
    const facts = (stats: string) =>
      factsOf('h:1', '1.6.18', statLines(stats) ?? new Map(), statLines(SETTINGS) ?? new Map());
    assert.deepEqual(facts(STATS), {
      ...{ address: 'h:1', product: 'memcached', version: '1.6.18', mode: 'standalone' },
      settings: {
        ...{ pid: '812', threads: '4', maxbytes: '67108864', evictions: 'off', domain_socket: 'NULL' },
        run_id: '812 since 1796040000',
      },
    });
    const later = STATS.replace('uptime 60', 'uptime 75').replace('1796040060', '1796040075');
    assert.equal(facts(later).settings['run_id'], '812 since 1796040000');
    const another = STATS.replace('uptime 60', 'uptime 2');
    assert.notEqual(facts(another).settings['run_id'], '812 since 1796040000');
  });

  for (const [version, product, number] of [
    ['1.6.18', 'memcached', '1.6.18'],
    ['1.5.0 DF', 'memcached', '1.5.0 DF'],
    ['Hazelcast 5.4.0', 'hazelcast', '5.4.0'],
  ] as const)
    test(`VERSION ${version} is ${product}`, () => {
      const facts = factsOf('h:1', version, new Map(), new Map());
      assert.deepEqual([facts.product, facts.version, facts.settings], [product, number, {}]);
    });
});
