import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { orderCells } from './cells.js';

const LETTERS = 'ABC';
const spell = (...args: Parameters<typeof orderCells>) =>
  orderCells(...args)
    .map(({ configuration, point, repetition }) => `${LETTERS[configuration]}${point}${repetition}`)
    .join(' ');

test('interleaved: two configurations, two repetitions run A B A B', () => {
  assert.equal(spell(2, 1, 2, 'interleaved'), 'A00 B00 A01 B01');
});

test('sequential: they run A A B B', () => {
  assert.equal(spell(2, 1, 2, 'sequential'), 'A00 A01 B00 B01');
});

test('interleaved: the configurations meet at each point of a sweep before the next', () => {
  assert.equal(spell(2, 2, 2, 'interleaved'), 'A00 B00 A10 B10 A01 B01 A11 B11');
});

test('sequential: a configuration repeats each point before the next', () => {
  assert.equal(spell(2, 2, 2, 'sequential'), 'A00 A01 A10 A11 B00 B01 B10 B11');
});

const size = fc.integer({ min: 1, max: 6 });

test('there is one cell for each configuration, point and repetition, in either order', () => {
  fc.assert(
    fc.property(
      size,
      size,
      size,
      fc.constantFrom('interleaved' as const, 'sequential' as const),
      (c, p, r, order) => {
        const cells = orderCells(c, p, r, order);
        assert.equal(cells.length, c * p * r);
        assert.equal(new Set(cells.map((cell) => JSON.stringify(cell))).size, c * p * r);
      },
    ),
  );
});

test('interleaved: a configuration follows itself only where it is the only one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 6 }), size, size, (c, p, r) => {
      const cells = orderCells(c, p, r, 'interleaved');
      cells.forEach((cell, i) => {
        if (i > 0) assert.notEqual(cell.configuration, cells[i - 1]?.configuration);
      });
    }),
  );
});
