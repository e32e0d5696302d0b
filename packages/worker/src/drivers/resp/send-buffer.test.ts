import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Keys, Operation, Values } from '@pacecar/protocol';
import fc from 'fast-check';
import { keyText } from '../../engine/key-text.js';
import { valueText } from '../../engine/value-text.js';
import { CommandShapes, INLINE_VALUE_BYTES } from './command-shape.js';
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

const COMMAND: Readonly<Partial<Record<Operation, string>>> = { get: 'GET', put: 'SET', delete: 'DEL' };

/** A command the plain way. */
function plain(operation: Operation, of: Keys, key: number, valueBytes: number): string {
  const words = [COMMAND[operation] as string, keyText(of, key)];
  if (operation === 'put') words.push(valueText(key, valueBytes));
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

const key = fc.oneof(
  fc.nat({ max: 120 }),
  fc.nat({ max: 999_999 }),
  fc.constantFrom(0, 9, 10, 99, 100, 999_999),
);
const operation = fc.constantFrom<Operation>('get', 'put', 'delete');

interface Round {
  readonly operation: Operation;
  readonly key: number;
  readonly valueBytes: number;
}

function check(of: Keys, values: Values, rounds: readonly (readonly Round[])[]): void {
  const operations: Operation[] = ['get', 'put', 'delete'];
  const shapes = operations.map((each, index) => new CommandShapes(each, of, values, index));
  const largest = Math.max(...rounds.flat().map((one) => one.valueBytes), 0);
  const room = Math.max(...shapes.map((each) => roomFor(each.longest, largest)));
  const buffer = new SendBuffer(room * 20);
  for (const round of rounds) {
    buffer.clear();
    for (const one of round)
      buffer.add(
        (shapes[operations.indexOf(one.operation)] as CommandShapes).of(one.key),
        one.key,
        one.operation === 'put' ? one.valueBytes : 0,
      );
    const expected = round.map((one) => plain(one.operation, of, one.key, one.valueBytes)).join('');
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
        fc.array(fc.array(fc.record({ operation, key }), { maxLength: 20 }), { maxLength: 6 }),
        (bytes, width, prefix, rounds) =>
          check(
            keys({ width, prefix }),
            { size: { kind: 'fixed', bytes }, content: { kind: 'printable' } },
            rounds.map((round) => round.map((one) => ({ ...one, valueBytes: bytes }))),
          ),
      ),
      { numRuns: 300 },
    );
  });

  test('... and values of any size', () => {
    const one = fc.record({ operation, key, valueBytes: fc.integer({ min: 0, max: 2_000 }) });
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
    const one = fc.record({ operation, key, valueBytes: fc.constant(10) });
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
        [[{ operation: 'put', key: each, valueBytes: 10 }], [{ operation: 'get', key: each, valueBytes: 0 }]],
      );
  });

  test('the largest value that it holds itself', () => {
    check(keys({}), { size: { kind: 'fixed', bytes: INLINE_VALUE_BYTES }, content: { kind: 'printable' } }, [
      [{ operation: 'put', key: 5, valueBytes: INLINE_VALUE_BYTES }],
    ]);
  });

  test('of a larger one only the mark, and CR LF once the rest was sent', () => {
    const bytes = INLINE_VALUE_BYTES + 1;
    const of = keys({});
    const shapes = new CommandShapes(
      'put',
      of,
      { size: { kind: 'fixed', bytes }, content: { kind: 'printable' } },
      0,
    );
    const buffer = new SendBuffer(roomFor(shapes.longest, bytes));
    buffer.add(shapes.of(5), 5, bytes);
    const whole = plain('put', of, 5, bytes);
    const headLength = whole.length - 2 - (bytes - 8);
    assert.equal(buffer.from(0).toString('latin1'), whole.slice(0, headLength));
    buffer.addLineEnd();
    assert.equal(buffer.from(headLength).toString('latin1'), '\r\n');
  });
});
