import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { inkFor } from './ink.js';
import { sparkline } from './sparkline.js';
import { renderTable } from './table.js';
import { clip, displayWidth, printable, wrap } from './width.js';

describe('texts from a bundle', () => {
  test('cannot steer the terminal: controls show as codes', () => {
    assert.equal(
      printable('a\u001b[2Jb\u0007\u009b\n\u2028\u202e'),
      'a\\u001b[2Jb\\u0007\\u009b\\u000a\\u2028\\u202e',
    );
    assert.equal(printable('Ünïcode 漢字'), 'Ünïcode 漢字');
  });
  test('take as many columns as a terminal gives them', () => {
    assert.equal(displayWidth('abc'), 3);
    assert.equal(displayWidth('漢字'), 4);
    assert.equal(displayWidth('e\u0301'), 1);
    assert.equal(displayWidth('🚀'), 2);
  });
  test('are cut with an ellipsis, never in the middle of a character', () => {
    assert.equal(clip('abcdef', 4), 'abc…');
    assert.equal(clip('漢字漢字', 4), '漢…');
    assert.equal(clip('abc', 3), 'abc');
  });
  test('wrap at blanks, keep figures and their units together, and break what is longer than a line', () => {
    assert.deepEqual(wrap('one two three', 8), ['one two', 'three']);
    assert.deepEqual(wrap('took 12.5 ms in all', 9), ['took', '12.5 ms', 'in all']);
    assert.deepEqual(wrap('abcdefghij kl', 4), ['abcd', 'efgh', 'ij', 'kl']);
  });
  test('no wrapped line is longer than asked, and no word is lost', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.integer({ min: 4, max: 60 }),
        (raw, columns) => {
          const text = printable(raw);
          const lines = wrap(text, columns);
          for (const line of lines) assert.ok(displayWidth(line) <= columns, JSON.stringify(line));
          assert.equal(lines.join('').replaceAll(' ', ''), text.replaceAll(' ', ''));
        },
      ),
    );
  });
});

describe('tables', () => {
  const heads = [
    { heading: 'op', align: 'left', group: 0 },
    { heading: 'sent', align: 'right', group: 1 },
    { heading: 'p50', align: 'right', group: 2 },
    { heading: 'p99', align: 'right', group: 2 },
  ] as const;
  const rows = [[{ text: 'get' }, { text: '1,000' }, { text: '9.00us' }, { text: '120us' }]];
  test('are aligned', () => {
    assert.deepEqual(renderTable(heads, rows, 80, inkFor(false)), [
      '  op    sent     p50    p99',
      '  get  1,000  9.00us  120us',
    ]);
  });
  test('that are too wide are split by groups of columns, each with its rows named', () => {
    assert.deepEqual(renderTable(heads, rows, 25, inkFor(false)), [
      '  op    sent',
      '  get  1,000',
      '  op      p50    p99',
      '  get  9.00us  120us',
    ]);
  });
  test('colour does not move columns', () => {
    const inked = renderTable(
      heads,
      [[{ text: 'get', tone: 'bad' }, ...(rows[0] ?? []).slice(1)]],
      80,
      inkFor(true),
    );
    assert.equal(inked[1], '  \u001b[1;31mget\u001b[0m  1,000  9.00us  120us');
  });
});

describe('sparklines', () => {
  test('start at zero, so that a small change does not look large', () => {
    assert.equal(sparkline([0, 50, 95, 100], 10), '▁▅██');
    assert.equal(sparkline([0, 0], 10), '▁▁');
  });
  test('leave a blank where there is no data', () => assert.equal(sparkline([10, null, 10], 10), '█ █'));
  test('average when there are more values than characters', () => {
    assert.equal(sparkline([0, 0, 8, 8], 2), '▁█');
    assert.equal(
      sparkline(
        Array.from({ length: 1_000 }, () => 5),
        60,
      ).length,
      60,
    );
  });
});
