import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prettyLine } from './pretty-line.js';

const line = (fields: object): string =>
  prettyLine(
    JSON.stringify({ level: 'warn', time: '2026-01-31T12:03:04.567Z', process: 'worker', pid: 7, ...fields }),
    false,
  );

test('a line for a person has time, level, who and what', () => {
  assert.equal(line({ msg: 'cut off' }), '12:03:04 warn  worker: cut off\n');
  assert.equal(
    line({ msg: 'refused', code: 'NAME_TAKEN', count: 2 }),
    '12:03:04 warn  worker: refused (code=NAME_TAKEN count=2)\n',
  );
});

test('control characters that come from elsewhere do not reach the terminal', () => {
  assert.equal(
    line({ msg: 'name \u001b[31mred\u001b[0m\r\nforged' }),
    '12:03:04 warn  worker: name \\x1b[31mred\\x1b[0m\\x0d\\x0aforged\n',
  );
});

test('an error keeps its stack', () => {
  assert.match(
    line({ msg: 'broke', err: { message: 'x', stack: 'Error: x\n    at y' } }),
    /broke\nError: x\n {4}at y\n$/,
  );
});

test('what is not JSON passes as it is', () => {
  assert.equal(prettyLine('plain\n', false), 'plain\n');
});
