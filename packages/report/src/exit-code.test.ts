import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAILURE_CODES, type FailureCode } from '@pacecar/protocol';
import { exitCodeOf } from './exit-code.js';
import { sampleBundle, samplePlan } from './sample-run.test.data.js';
import type { Summary } from './summary/schema.js';
import { summarize } from './summary/summarize.js';

const good = summarize(
  sampleBundle(samplePlan(1), [
    { stage: 0, workers: [{ frames: [[{ operation: 'get', ok: [[1_000, 5]] }]] }] },
  ]),
);
const withRun = (run: Partial<Summary['run']>): Summary => ({ ...good, run: { ...good.run, ...run } });
const withStatus = (status: Summary['verdict']['status']): Summary => ({
  ...good,
  verdict: { ...good.verdict, status },
});

test('a run that failed or was interrupted ends as its code says', () => {
  for (const code of Object.keys(FAILURE_CODES) as FailureCode[])
    for (const outcome of ['failed', 'interrupted'] as const)
      assert.equal(exitCodeOf(withRun({ outcome, code }), { strict: false }), FAILURE_CODES[code], code);
});
test('a run that failed without a code is never a success', () => {
  assert.equal(exitCodeOf(withRun({ outcome: 'failed', code: null }), { strict: false }), 1);
});
test('INVALID exits 1; DEGRADED only when strict', () => {
  assert.equal(exitCodeOf(withStatus('INVALID'), { strict: false }), 1);
  assert.equal(exitCodeOf(withStatus('DEGRADED'), { strict: false }), 0);
  assert.equal(exitCodeOf(withStatus('DEGRADED'), { strict: true }), 1);
  assert.equal(exitCodeOf(good, { strict: true }), 0);
});
