import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AgeOrder } from './age-order.js';

const parts = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(12)), { maxLength: 8 });

function arranged(of: readonly (readonly [width: number, length: number])[]): AgeOrder {
  const order = new AgeOrder(of.map(([width]) => width));
  order.arrange(of.map(([, length]) => length));
  return order;
}

describe('order by age', () => {
  test('every place has one age, and what is newer comes first', () => {
    fc.assert(
      fc.property(parts, (of) => {
        const order = arranged(of);
        const places = new Set<string>();
        let before = 0;
        for (let age = 0; age < order.total; age++) {
          order.find(age);
          const { part, line, back } = order;
          const [width, length] = of[part] as [number, number];
          assert.ok(line >= 0 && line < width && back >= 0 && back < length);
          assert.ok(back >= before);
          before = back;
          places.add(`${part} ${line} ${back}`);
        }
        assert.equal(
          places.size,
          of.reduce((sum, [width, length]) => sum + width * length, 0),
        );
        assert.equal(places.size, order.total);
      }),
    );
  });

  test('what was arranged before is forgotten', () => {
    const order = arranged([
      [1, 5],
      [2, 3],
    ]);
    order.arrange([0, 1]);
    assert.equal(order.total, 2);
    order.find(1);
    assert.deepEqual([order.part, order.line, order.back], [1, 1, 0]);
  });

  test('is exact beyond 32 bits', () => {
    const order = arranged([
      [1_000, 2 ** 31 - 1],
      [1, 1],
    ]);
    assert.equal(order.total, 1_000 * (2 ** 31 - 1) + 1);
    order.find(order.total - 1);
    assert.deepEqual([order.part, order.line, order.back], [0, 999, 2 ** 31 - 2]);
  });
});
