import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { needs } from '../services/installed.js';
import { hitsAndMisses, SERVERS, type ServerUnderTest } from './server-under-test.js';

/** Scripts whose answers must be the same, byte by byte, from the built-in target and from a Redis. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  'strings and their conditions': [
    'SET s 1',
    'SET s 2 NX',
    'SET s 3 XX',
    'GET s',
    'SET none 1 XX',
    'SET fresh 1 NX',
    'SET s 4 GET',
    'SET other 4 GET',
    'SET s 5 NX XX',
    'SET s 5 EX 0',
    'SET s 5 EX x',
    'SET s 5 PX',
    'SETNX s 9',
    'SETNX t 9',
    'SETNX t',
    'MSET a 1 b 2 c',
    'MSET a 1 b ""',
    'MGET a b missing',
    'GET b',
    'APPEND a 23',
    'APPEND grown x',
    'STRLEN a',
    'STRLEN missing',
  ],
  'ranges of strings': [
    'SET s 0123456789',
    'GETRANGE s 2 4',
    'GETRANGE s -3 -1',
    'GETRANGE s 0 -1',
    'GETRANGE s 5 100',
    'GETRANGE s 11 20',
    'GETRANGE s 4 2',
    'GETRANGE s -1 -3',
    'GETRANGE missing 0 5',
    'GETRANGE s x 5',
    'SETRANGE s 2 abc',
    'SETRANGE s 12 z',
    'SETRANGE s -1 z',
    'SETRANGE missing 3 z',
    'SETRANGE missing2 3 ""',
    'GET s',
    'GET missing',
    'EXISTS missing2',
  ],
  counters: [
    'INCR n',
    'INCRBY n 41',
    'DECR n',
    'DECRBY n 50',
    'GET n',
    'INCRBY n 1.5',
    'SET text abc',
    'INCR text',
    'SET zero 00',
    'INCR zero',
    'SET minus -0',
    'INCR minus',
  ],
  'times to live': [
    'SET k 1',
    'TTL k',
    'EXPIRE k 100',
    'TTL k',
    'PERSIST k',
    'PERSIST k',
    'TTL k',
    'TTL missing',
    'PTTL missing',
    'PEXPIRE k 100000',
    'SET k 2 KEEPTTL',
    'TTL k',
    'SET k 3',
    'TTL k',
    'SET k 4 EX 50',
    'INCR k',
    'TTL k',
    'EXPIRE missing 5',
    'PEXPIRE k -1',
    'EXISTS k',
    'EXPIRE k x',
  ],
  lists: [
    'RPUSH l a b c',
    'LPUSH l z y',
    'LRANGE l 0 -1',
    'LRANGE l 1 2',
    'LRANGE l -2 100',
    'LRANGE l 5 9',
    'LRANGE missing 0 5',
    'LLEN l',
    'LPOP l',
    'RPOP l',
    'LPOP l',
    'LPOP l',
    'LPOP l',
    'LPOP l',
    'EXISTS l',
    'RPOP missing',
  ],
  'lists that are waited for': [
    'RPUSH l a b c',
    'BLPOP l 0',
    'BRPOP missing l 0',
    'BLPOP l l 0.5',
    'EXISTS l',
    'BLPOP missing 0.01',
    'BRPOP missing other 1e-2',
    'BLPOP missing -1',
    'BLPOP missing x',
    'BLPOP missing',
    'SET s 1',
    'BLPOP missing s 0',
    'MULTI',
    'BLPOP missing 0',
    'RPUSH l d',
    'BRPOP l 0',
    'EXEC',
    'PING',
  ],
  sets: ['SADD s a a', 'SADD s a', 'SMEMBERS s', 'SCARD s', 'SPOP s', 'SPOP s', 'EXISTS s', 'SMEMBERS s'],
  hashes: [
    'HSET h f 1 g 2',
    'HSET h f 3 x 4',
    'HMSET h y 5',
    'HSET h f',
    'HSET h f 1 g',
    'HGET h f',
    'HGET h missing',
    'HGET missing f',
    'HMGET h f missing g',
    'HMGET missing f',
    'HGETALL h',
    'HGETALL missing',
    'HLEN h',
  ],
  'sorted sets': [
    'ZADD z 2 b 1 a 3 c 2 bb',
    'ZADD z 5 a',
    'ZADD z 5 a 1',
    'ZADD z x a',
    'ZSCORE z a',
    'ZSCORE z missing',
    'ZCARD z',
    'ZRANGEBYSCORE z -inf +inf',
    'ZRANGEBYSCORE z 2 3',
    'ZRANGEBYSCORE z (2 (5',
    'ZRANGEBYSCORE z 2 inf LIMIT 1 2',
    'ZRANGEBYSCORE z 2 inf LIMIT 1 -1',
    'ZRANGEBYSCORE z 2 inf WITHSCORES LIMIT 0 1',
    'ZRANGEBYSCORE z a b',
    'ZRANGEBYSCORE missing 0 1',
    'ZADD z 1.5 half -2 low',
    'ZPOPMIN z',
    'ZPOPMIN z 2',
    'ZPOPMIN z 100',
    'ZPOPMIN z',
    'EXISTS z',
  ],
  transactions: [
    'MULTI',
    'SET a 1',
    'LPUSH a x',
    'GET a',
    'EXEC',
    'EXEC',
    'DISCARD',
    'MULTI',
    'MULTI',
    'SET b 1',
    'DISCARD',
    'GET b',
    'MULTI',
    'GET',
    'SET c 1',
    'EXEC',
    'EXISTS c',
    'MULTI',
    'EXEC',
  ],
  'the wrong kind of value': [
    'SET s x',
    'RPUSH l x',
    'GET l',
    'APPEND l x',
    'STRLEN l',
    'GETRANGE l 0 1',
    'SETRANGE l 0 x',
    'INCR l',
    'SET l x GET',
    'MGET l s',
    'LPUSH s x',
    'LPOP s',
    'LRANGE s 0 1',
    'SADD s x',
    'SPOP s',
    'SMEMBERS s',
    'HSET s f 1',
    'HGET s f',
    'HMGET s f',
    'HGETALL s',
    'ZADD s 1 x',
    'ZRANGEBYSCORE s 0 1',
    'ZPOPMIN s',
    'XADD s * f v',
    'BLPOP s 0',
    'SET l x',
    'GET l',
  ],
};

/** Raw answers to commands in one write, after the keys were dropped. */
async function answers(server: ServerUnderTest, commands: readonly string[]): Promise<string> {
  await server.command('FLUSHALL');
  const socket = connect({ host: '127.0.0.1', port: server.port });
  const words = (line: string) => line.split(' ').map((word) => (word === '""' ? '' : word));
  const wire = [...commands, 'QUIT'].map((line) => {
    const list = words(line);
    return `*${list.length}\r\n${list.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;
  });
  socket.write(wire.join(''));
  let received = '';
  for await (const chunk of socket) received += (chunk as Buffer).toString('latin1');
  return received;
}

describe('the built-in target beside a real Redis', needs('redis-server'), () => {
  let servers: readonly ServerUnderTest[];
  before(async () => {
    servers = await Promise.all(SERVERS.map((server) => server.start()));
  });
  after(() => Promise.all(servers.map((server) => server.close())));

  for (const [what, commands] of Object.entries(SCRIPTS))
    for (const version of [2, 3])
      test(`answers as it does to ${what}, RESP${version}, and counts the same hits and misses`, async () => {
        const seen: { answered: string; hits: number; misses: number }[] = [];
        for (const server of servers) {
          const before = await hitsAndMisses(server);
          const answered = await answers(server, [`HELLO ${version}`, 'ECHO begin', ...commands]);
          const counted = await hitsAndMisses(server);
          seen.push({
            // The answer to HELLO says who is there.
            answered: answered.slice(answered.indexOf('$5\r\nbegin\r\n')),
            hits: counted.hits - before.hits,
            misses: counted.misses - before.misses,
          });
        }
        const [target, redis] = seen;
        assert.deepEqual(target, redis);
      });
});
