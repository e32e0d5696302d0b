import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Action,
  type Keys,
  plainAction,
  plainWorkload,
  type Values,
  type Workload,
} from '@pacecar/protocol';
import fc from 'fast-check';
import { keyText } from '../../engine/key-text.js';
import { SHARED_TEXT } from '../../engine/shared-text.js';
import { valueText } from '../../engine/value-text.js';
import { CommandShapes, INLINE_VALUE_BYTES } from './command-shape.js';
import { type KeyCommand, keyCommand } from '../resp/key-command.js';
import { keyForm } from '../resp/key-form.js';
import { roomFor, SendBuffer } from './send-buffer.js';

function keys(changes: Partial<Keys>): Keys {
  return {
    minimum: 0,
    maximum: 999_999,
    prefix: 'key:',
    suffix: '',
    order: 'numeric',
    width: 0,
    distribution: { kind: 'uniform' },
    ...changes,
  };
}

/** Actions on one key, and what they say before and after the key; null: the value. */
const ACTIONS: readonly { action: Action; name: string; after: readonly (string | null)[] }[] = [
  { action: plainAction('get', 1), name: 'GET', after: [] },
  { action: plainAction('put', 1), name: 'SET', after: [null] },
  { action: plainAction('delete', 1), name: 'DEL', after: [] },
  { action: plainAction('increment', 1), name: 'INCR', after: [] },
  { action: { ...plainAction('put', 1), timeToLiveMs: 5_000 }, name: 'SET', after: [null, 'PX', '5000'] },
  {
    action: { ...plainAction('add', 1), timeToLiveMs: 7 },
    name: 'SET',
    after: [null, 'NX', 'PX', '7'],
  },
  { action: plainAction('replace', 1), name: 'SET', after: [null, 'XX'] },
  { action: { ...plainAction('expire', 1), timeToLiveMs: 80 }, name: 'PEXPIRE', after: ['80'] },
  {
    action: { ...plainAction('getRange', 1), range: { offsetBytes: 4, lengthBytes: 6 } },
    name: 'GETRANGE',
    after: ['4', '9'],
  },
];

/** A command the plain way. */
function plain(index: number, of: Keys, key: number, valueBytes: number): string {
  const { name, after } = ACTIONS[index] as (typeof ACTIONS)[number];
  const words = [name, keyText(of, key), ...after.map((word) => word ?? valueText(key, valueBytes))];
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

function shapesOf(of: Keys, values: Values): CommandShapes[] {
  const workload = workloadOf(of, values);
  return ACTIONS.map(
    ({ action }, index) =>
      new CommandShapes(keyForm(keyCommand(action, workload) as KeyCommand), workload, index),
  );
}

function workloadOf(of: Keys, values: Values): Workload {
  return plainWorkload({ mix: ACTIONS.map(({ action }) => action), keys: of, values });
}

const key = fc.oneof(
  fc.nat({ max: 120 }),
  fc.nat({ max: 999_999 }),
  fc.constantFrom(0, 9, 10, 99, 100, 999_999),
);
const action = fc.nat({ max: ACTIONS.length - 1 });

interface Round {
  /** Index of the action. */
  readonly action: number;
  readonly key: number;
  readonly valueBytes: number;
}

function check(of: Keys, values: Values, rounds: readonly (readonly Round[])[]): void {
  const shapes = shapesOf(of, values);
  const largest = Math.max(...rounds.flat().map((one) => one.valueBytes), 0);
  const room = Math.max(...shapes.map((each) => roomFor(each.longest, largest)));
  const buffer = new SendBuffer(room * 20, SHARED_TEXT);
  for (const round of rounds) {
    buffer.clear();
    for (const one of round)
      buffer.add((shapes[one.action] as CommandShapes).of(one.key), one.key, one.valueBytes);
    const expected = round.map((one) => plain(one.action, of, one.key, one.valueBytes)).join('');
    assert.equal(buffer.from(0).toString('utf8'), expected);
  }
}

describe('the send buffer', () => {
  test('holds what the plain way makes, however it was used before: values of one size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 30 }),
        fc.constantFrom(0, 3, 12),
        fc.constantFrom('', 'key:', 'schlüssel-'),
        fc.constantFrom('', '}'),
        fc.array(fc.array(fc.record({ action, key }), { maxLength: 20 }), { maxLength: 6 }),
        (bytes, width, prefix, suffix, rounds) =>
          check(
            keys({ width, prefix, suffix }),
            { size: { kind: 'fixed', bytes }, content: { kind: 'printable' } },
            rounds.map((round) => round.map((one) => ({ ...one, valueBytes: bytes }))),
          ),
      ),
      { numRuns: 300 },
    );
  });

  test('... and values of any size', () => {
    const one = fc.record({ action, key, valueBytes: fc.integer({ min: 0, max: 2_000 }) });
    fc.assert(
      fc.property(fc.array(fc.array(one, { maxLength: 20 }), { maxLength: 6 }), (rounds) =>
        check(
          keys({}),
          { size: { kind: 'uniform', minimumBytes: 0, maximumBytes: 2_000 }, content: { kind: 'printable' } },
          rounds,
        ),
      ),
      { numRuns: 300 },
    );
  });

  test('... and keys with a suffix, and hashed ones of any length', () => {
    const one = fc.record({ action, key, valueBytes: fc.constant(10) });
    fc.assert(
      fc.property(
        fc.array(fc.array(one, { maxLength: 20 }), { maxLength: 6 }),
        fc.constantFrom(0, 6, 20),
        fc.constantFrom<Keys['order']>('numeric', 'hashed'),
        (rounds, width, order) =>
          check(
            keys({ prefix: '{user', suffix: '}', width, order }),
            { size: { kind: 'fixed', bytes: 10 }, content: { kind: 'printable' } },
            rounds,
          ),
      ),
      { numRuns: 300 },
    );
  });

  test('... and keys up to 2^53-1', () => {
    for (const each of [2 ** 31 - 1, 2 ** 31, 2 ** 32, 10 ** 15, Number.MAX_SAFE_INTEGER])
      check(
        keys({ maximum: Number.MAX_SAFE_INTEGER }),
        { size: { kind: 'fixed', bytes: 10 }, content: { kind: 'printable' } },
        [[{ action: 1, key: each, valueBytes: 10 }], [{ action: 0, key: each, valueBytes: 0 }]],
      );
  });

  test('the largest value that it holds itself', () => {
    check(keys({}), { size: { kind: 'fixed', bytes: INLINE_VALUE_BYTES }, content: { kind: 'printable' } }, [
      [{ action: 1, key: 5, valueBytes: INLINE_VALUE_BYTES }],
    ]);
  });

  test('of a larger one only the mark, and what closes the command once the rest was sent', () => {
    const bytes = INLINE_VALUE_BYTES + 1;
    const of = keys({});
    for (const index of [1, 4]) {
      const shapes = shapesOf(of, { size: { kind: 'fixed', bytes }, content: { kind: 'printable' } });
      const put = shapes[index] as CommandShapes;
      const buffer = new SendBuffer(roomFor(put.longest, bytes), SHARED_TEXT);
      buffer.add(put.of(5), 5, bytes);
      const whole = plain(index, of, 5, bytes);
      const headLength = whole.indexOf(valueText(5, bytes)) + 8;
      assert.equal(buffer.from(0).toString('latin1'), whole.slice(0, headLength));
      buffer.addTail(put.of(5));
      assert.equal(buffer.from(headLength).toString('latin1'), whole.slice(headLength + bytes - 8));
    }
  });
});
