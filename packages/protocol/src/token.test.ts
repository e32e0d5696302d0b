import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from './limits.js';
import { tokenProblem } from './token.js';

test('a token is bounded in bytes and printable, and no message repeats it', () => {
  const rows: [token: string, problem: RegExp | null][] = [
    ['x', null],
    ['4f'.repeat(24), null],
    ['a'.repeat(LIMITS.tokenBytes), null],
    ['a'.repeat(LIMITS.tokenBytes + 1), /longer than the 512 bytes/],
    ['é'.repeat(257), /longer than the 512 bytes/],
    ['', /empty/],
    ['secret\u0000', /control character/],
    ['secret\u001b[2J', /control character/],
    ['secret\u0085', /control character/],
  ];
  for (const [token, problem] of rows) {
    const said = tokenProblem(token);
    if (problem === null) assert.equal(said, null);
    else {
      assert.match(said ?? '', problem);
      assert.doesNotMatch(said ?? '', /secret|aaa|éé/);
    }
  }
});
