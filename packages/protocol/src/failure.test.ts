import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { asPacecarError, EXIT, FAILURE_CODES, type FailureCode, PacecarError } from './failure.js';

describe('failures', () => {
  test('the exit code follows from the code', () => {
    const cases: readonly [FailureCode, number][] = [
      ['REQUEST_INVALID', 2],
      ['WORKER_LOST', 3],
      ['TARGET_UNREACHABLE', 3],
      ['INTERRUPTED', 130],
      ['TERMINATED', 143],
      ['INTERNAL', 1],
    ];
    for (const [code, exit] of cases) assert.equal(new PacecarError(code, 'x').exitCode, exit, code);
  });

  test('no failure exits with 0, and every exit code is one of ours', () => {
    const known = new Set<number>(Object.values(EXIT));
    for (const [code, exit] of Object.entries<number>(FAILURE_CODES))
      assert.ok(exit > 0 && known.has(exit), code);
  });

  test('what is thrown and not ours is a defect, with its cause kept', () => {
    const cause = new TypeError('x is not a function');
    const wrapped = asPacecarError(cause);
    assert.deepEqual([wrapped.code, wrapped.message], ['INTERNAL', 'x is not a function']);
    assert.equal(wrapped.cause, cause);
    assert.equal(asPacecarError('text').message, 'text');
  });

  test('ours stays as it is', () => {
    const ours = new PacecarError('STORAGE', 'the disk is full', { cause: 'ENOSPC' });
    assert.equal(asPacecarError(ours), ours);
  });
});
