import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplyShape, replyRule } from './reply-shape.js';

/** Walks over the text of a reply, with blanks for CR LF, and tells each value as a scanner would. */
function tell(reply: string, shape: ReplyShape): void {
  const lines = reply.split(' ');
  const value = (depth: number) => {
    const line = lines.shift() ?? assert.fail('the reply ends early');
    const type = line.charCodeAt(0);
    const number = Number(line.slice(1));
    shape.item(depth, type, Number.isNaN(number) ? 0 : number);
    if ('$=!'.includes(line[0] as string) && number >= 0) assert.equal(lines.shift()?.length, number);
    const items = '*~'.includes(line[0] as string) ? number : line[0] === '%' ? 2 * number : 0;
    for (let item = 0; item < items; item++) value(depth + 1);
  };
  value(0);
  assert.deepEqual(lines, []);
}

const shape = new ReplyShape();
function counted(command: string, reply: string): string {
  shape.begin(replyRule(command.split(' ')));
  tell(reply, shape);
  shape.end();
  return `${shape.hits}+${shape.misses}`;
}

/** Hits + misses. */
const ROWS: readonly (readonly [what: string, command: string, reply: string, expected: string])[] = [
  ['GET of a value', 'GET a', '$3 abc', '1+0'],
  ['GET of an existing empty string is a hit', 'GET a', '$0 ', '1+0'],
  ['GET of a missing key', 'GET a', '$-1', '0+1'],
  ['GET of a missing key in RESP3', 'get a', '_', '0+1'],
  ['an error is neither', 'GET a', '-WRONGTYPE', '0+0'],
  ['a long error of RESP3 is neither', 'GET a', '!5 WRONG', '0+0'],
  ['MGET of one that is there and one that is not', 'MGET a b', '*2 $1 x $-1', '1+1'],
  ['MGET counts each element, an empty string as there', 'MGET a b c', '*3 $0  _ $1 x', '2+1'],
  ['HGETALL of a hash', 'HGETALL a', '*2 $1 f $1 v', '1+0'],
  ['HGETALL of a hash in RESP3', 'HGETALL a', '%1 $1 f $1 v', '1+0'],
  ['HGETALL of a missing key', 'HGETALL a', '*0', '0+1'],
  ['HGETALL of a missing key in RESP3', 'HGETALL a', '%0', '0+1'],
  ['SMEMBERS', 'SMEMBERS a', '*3 $1 a $1 b $1 c', '1+0'],
  ['SMEMBERS of a missing key', 'SMEMBERS a', '*0', '0+1'],
  ['SMEMBERS of a missing key in RESP3', 'SMEMBERS a', '~0', '0+1'],
  ['LRANGE of a missing key', 'LRANGE a 0 9', '*0', '0+1'],
  ['BLPOP success is one hit, though its array has two elements', 'BLPOP a 1', '*2 $1 a $1 v', '1+0'],
  ['BLPOP in vain', 'BLPOP a 1', '*-1', '0+1'],
  ['BLPOP in vain in RESP3', 'BLPOP a 1', '_', '0+1'],
  ['ZPOPMIN of nothing', 'ZPOPMIN a', '*0', '0+1'],
  ['ZPOPMIN', 'ZPOPMIN a', '*2 $1 m $1 1', '1+0'],
  ['SPOP', 'SPOP a', '$1 m', '1+0'],
  ['XREAD of nothing', 'XREAD STREAMS a $', '*-1', '0+1'],
  ['XRANGE: entries within entries are one hit', 'XRANGE a - +', '*1 *2 $3 1-1 *2 $1 f $1 v', '1+0'],
  ['an integer is neither', 'EXISTS a', ':0', '0+0'],
  ['an integer is neither', 'DEL a', ':1', '0+0'],
  ['a status is neither', 'TYPE a', '+none', '0+0'],
  ['a double of RESP3 is neither', 'INCRBYFLOAT a 1', ',1.5', '0+0'],
  ['a boolean is neither', 'SISMEMBER a m', '#t', '0+0'],
  ['a write that answers with a text', 'XADD s * f v', '$3 1-1', '0+0'],
  ['a write that answers with a number as text', 'ZINCRBY z 1 m', '$1 2', '0+0'],
  ['a write that NX kept from happening is no miss', 'SET a v NX', '$-1', '0+0'],
  ['SET with GET is a read as well', 'SET a v GET', '$-1', '0+1'],
  ['SET with GET in any place and case', 'set a v ex 5 get', '$1 x', '1+0'],
  ['SET of the value GET is no read', 'SET a GET', '+OK', '0+0'],
  ['PING with a text', 'PING hello', '$5 hello', '0+0'],
  ['ZSCORE found, RESP2', 'ZSCORE z m', '$1 1', '1+0'],
  ['ZSCORE found, RESP3', 'ZSCORE z m', ',1', '1+0'],
  ['ZSCORE not found', 'ZSCORE z m', '$-1', '0+1'],
  ['rank 0 is a rank', 'ZRANK z m', ':0', '1+0'],
  ['no rank', 'ZRANK z m', '$-1', '0+1'],
  ['no such element: LPOS', 'LPOS l v', '_', '0+1'],
  ['LPOS with COUNT, none', 'LPOS l v COUNT 0', '*0', '0+1'],
  ['an error where a rank was asked for', 'ZRANK z m', '-WRONGTYPE', '0+0'],
  ['HMGET: a record with one of the fields is there', 'HMGET h f g', '*2 $-1 $1 v', '1+0'],
  ['HMGET of a missing key', 'HMGET h f g', '*2 $-1 $-1', '0+1'],
  ['ZMSCORE in RESP3, one found', 'ZMSCORE z a b', '*2 _ ,2', '1+0'],
  ['GEOPOS: places within places', 'GEOPOS g a b', '*2 *-1 *2 $1 1 $1 2', '1+0'],
  ['GEOPOS of nothing', 'GEOPOS g a', '*1 *-1', '0+1'],
  ['HSCAN of a missing key', 'HSCAN h 0', '*2 $1 0 *0', '0+1'],
  ['HSCAN', 'HSCAN h 0', '*2 $1 0 *2 $1 f $1 v', '1+0'],
  ['SCAN looks no key up', 'SCAN 0', '*2 $1 0 *0', '0+0'],
  ['KEYS looks no key up', 'KEYS no*', '*0', '0+0'],
  ['GETRANGE', 'GETRANGE a 0 1', '$2 ab', '1+0'],
  ['GETRANGE: nothing may be of nothing or of a short text', 'GETRANGE a 0 1', '$0 ', '0+0'],
  ['GETRANGE where null is said in RESP3', 'GETRANGE a 0 1', '_', '0+1'],
  ['EXEC: each command for itself', 'EXEC', '*4 +OK $1 v $-1 *0', '1+2'],
  ['EXEC that WATCH has called off', 'EXEC', '*-1', '0+0'],
  ['an unknown command that returns nothing', 'MODULE.READ a', '*0', '0+1'],
  ['an unknown command that returns a verbatim text', 'MODULE.READ a', '=7 txt:abc', '1+0'],
  ['an unknown command that returns a number', 'MODULE.READ a', ':7', '0+0'],
];

for (const [what, command, reply, expected] of ROWS)
  test(`${what}: ${command} -> ${reply.trim()} is ${expected}`, () =>
    assert.equal(counted(command, reply), expected));

test('nothing is left of the reply before', () => {
  assert.equal(counted('MGET a b', '*2 $1 x $1 y'), '2+0');
  assert.equal(counted('HMGET a b', '*1 $-1'), '0+1');
  assert.equal(counted('SET a b', '+OK'), '0+0');
});
