import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemReason, systemReasonAt } from './system-reason.js';

test('what the system says becomes plain words, without class, call and path', () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write 'x'"), { code: 'ENOSPC' });
  assert.equal(systemReason(full), 'no space is left on the device');
  assert.equal(systemReason(Object.assign(new Error('odd'), { code: 'EODD' })), 'odd');
  assert.equal(systemReason(new TypeError('not a number')), 'not a number');
  assert.equal(systemReason('text'), 'text');
  assert.equal(systemReasonAt(Object.assign(full, { path: 'a/b' })), 'no space is left on the device (a/b)');
});
