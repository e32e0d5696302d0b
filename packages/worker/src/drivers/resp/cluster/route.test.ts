import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Action, plainAction, plainWorkload } from '@pacecar/protocol';
import { clusterObjection, routeOf } from './route.js';
import { slotOf } from './hash-slot.js';

const keysOf = (prefix: string) => ({ ...plainWorkload({ keys: { maximum: 9_999 } }).keys, prefix });
const own = (operation: 'command' | 'transaction', ...commands: string[]): Action => ({
  ...plainAction(operation, 1),
  commands,
});
const objection = (action: Action, prefix = 'key:') =>
  clusterObjection(plainWorkload({ mix: [action], keys: { maximum: 9_999, prefix } }));

test('a command goes where its key is, with what stands round it', () => {
  const slotAt = (command: string, key: number) => {
    const route = routeOf(own('command', command), { keys: keysOf('key:') });
    assert.equal(route.to, 'key');
    return route.to === 'key' ? route.slots.of(key) : -1;
  };
  assert.equal(slotAt('LPUSH list:__key__ x', 7), slotOf(Buffer.from('list:key:7')));
  assert.equal(slotAt('LPUSH {list}:__key__ x', 7), slotOf(Buffer.from('list')));
  assert.deepEqual(routeOf(own('command', 'INCR total'), { keys: keysOf('key:') }), {
    to: 'slot',
    slot: slotOf(Buffer.from('total')),
  });
});

const FINE: readonly (readonly [action: Action, prefix: string])[] = [
  [plainAction('getAll', 1), '{user}:'],
  [plainAction('get', 1), 'key:'],
  [own('command', 'MGET __key__ __key__'), '{user}:'],
  [own('command', 'GET __key__'), 'key:'],
  [own('transaction', 'INCR __key__', 'EXPIRE __key__ 10'), 'key:'],
  [own('transaction', 'INCR a:{__key__}', 'INCR b:{__key__}'), 'key:'],
];
for (const [action, prefix] of FINE)
  test(`${action.operation} ${action.commands.join('; ')} on keys ${prefix}N suits a cluster`, () => {
    assert.equal(objection(action, prefix), null);
  });

const REFUSED: readonly (readonly [action: Action, problem: RegExp])[] = [
  [plainAction('getAll', 1), /the keys of one getAll only from one slot; pin all keys/],
  [plainAction('putAll', 1), /the keys of one putAll only from one slot/],
  [plainAction('insertRecord', 1), /the index of all records is one key.*no insertRecord/],
  [plainAction('scanRecords', 1), /no scanRecords/],
  [own('command', 'MGET __key__ __key__'), /the keys of one command only from one slot/],
  [own('transaction', 'INCR __key__', 'INCR total'), /"INCR total" has no __key__/],
  [own('transaction', 'INCR a:__key__', 'INCR b:__key__'), /put braces round what they share/],
];
for (const [action, problem] of REFUSED)
  test(`${action.operation} ${action.commands.join('; ')} is refused before the run`, () => {
    assert.match(objection(action) ?? '', problem);
  });
