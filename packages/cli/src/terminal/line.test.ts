import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lineWidth, piece, renderLine } from './line.js';

test('a line is cut to the columns of the terminal, never inside a wide character', () => {
  const line = [piece('abc', 'bold'), piece('日本語'), piece('de')];
  assert.equal(lineWidth(line), 11);
  assert.equal(renderLine(line, 11, false), 'abc日本語de');
  assert.equal(renderLine(line, 6, false), 'abc日');
  assert.equal(renderLine(line, 7, false), 'abc日本');
  assert.equal(renderLine(line, 2, false), 'ab');
});

test('colours take no columns and end with their piece', () => {
  assert.equal(renderLine([piece('abc', 'red'), piece('d')], 4, true), '\x1b[31mabc\x1b[0md');
  assert.equal(renderLine([piece('abc', 'red'), piece('d', 'dim')], 3, true), '\x1b[31mabc\x1b[0m');
});

test('whatever the text, the rendered line is no wider than asked', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' })),
      fc.integer({ min: 1, max: 40 }),
      (texts, columns) => {
        const line = texts.map((text) => piece(text));
        assert.ok(lineWidth([piece(renderLine(line, columns, false))]) <= columns);
      },
    ),
  );
});
