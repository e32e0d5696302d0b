import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Progress } from '@pacecar/coordinator';
import { type Line, lineWidth } from './line.js';
import { liveBlock, plainLine } from './progress-line.js';

const RUNNING: Progress = {
  runElapsedMs: 6_200,
  state: 'running',
  cell: { index: 0, of: 1, label: 'builtin' },
  stage: {
    name: 'measure',
    kind: 'measure',
    index: 2,
    of: 4,
    probe: null,
    elapsedMs: 4_000,
    totalMs: 10_000,
  },
  beside: [],
  operationsPerSec: 123_456.7,
  p50Ns: 210_000,
  p99Ns: 1_234_000,
  operations: 654_321,
  errors: 0,
  workers: { joined: 3, of: 3, lost: 0, waitingFor: [] },
};
const JOINING: Progress = {
  ...RUNNING,
  runElapsedMs: 300,
  state: 'joining',
  stage: null,
  operationsPerSec: 0,
  p50Ns: null,
  p99Ns: null,
  workers: { joined: 1, of: 3, lost: 0, waitingFor: ['group clients: 1 of 3 workers joined (clients-0)'] },
};

const textOf = (line: Line): string => line.map(({ text }) => text).join('');

test('a plain line says where the run is and how it goes', () => {
  assert.equal(
    plainLine(RUNNING),
    'pacecar: 6.2 s  measure (3 of 4): 4.0 s of 10.0 s, 123,457 ops/s, p50 210 us, p99 1.23 ms, 654,321 operations, errors 0, 3 of 3 workers',
  );
  assert.equal(
    plainLine(JOINING),
    'pacecar: 0.3 s  waiting for group clients: 1 of 3 workers joined (clients-0)',
  );
  assert.equal(
    plainLine({
      ...RUNNING,
      state: 'arming',
      cell: { index: 1, of: 6, label: 'redis, threads 8' },
      workers: { joined: 3, of: 3, lost: 1, waitingFor: ['clients-2'] },
    }),
    'pacecar: 6.2 s  cell 2 of 6 (redis, threads 8), measure (3 of 4): arming, waiting for clients-2, 3 of 3 workers (1 lost)',
  );
});

test('a search says which probe is at work, and at which rate', () => {
  const stage = { ...RUNNING.stage, probe: { number: 7, ratePerSec: 31_623 } } as Progress['stage'];
  assert.match(
    plainLine({ ...RUNNING, stage }),
    /measure \(3 of 4\), probe 7 at 31,623\/s: 4\.0 s of 10\.0 s/,
  );
});

test('background stages are named beside the stage whose figures are shown', () => {
  assert.match(
    plainLine({ ...RUNNING, beside: ['poll', 'noise'] }),
    /measure \(3 of 4\) beside poll, noise: 4\.0 s of 10\.0 s, 123,457 ops\/s/,
  );
  const many = Array.from({ length: 7 }, (_, index) => `b${index}`);
  assert.match(plainLine({ ...RUNNING, beside: many }), /beside b0, b1, b2, b3, b4 and 2 more: /);
});

test('the live block fits a wide terminal on two lines and breaks into three on a narrow one', () => {
  const wide = liveBlock('quickstart', RUNNING, 200, 14_000, 120);
  assert.equal(wide.length, 2);
  assert.match(textOf(wide[0] as Line), /^quickstart {2}measure \(3 of 4\) +6\.4 s of about 14\.0 s$/);
  assert.equal(lineWidth(wide[0] as Line), 120);
  assert.match(textOf(wide[1] as Line), /4\.2 s of 10\.0 s {2}123,457 ops\/s {2}p50 210 us {2}p99 1\.23 ms/);
  const narrow = liveBlock('quickstart', RUNNING, 200, 14_000, 60);
  assert.equal(narrow.length, 3);
  assert.match(textOf(narrow[2] as Line), /^123,457 ops\/s/);
});

test('between two reports of progress the elapsed time goes on, but never past the end of the stage', () => {
  const block = liveBlock('quickstart', RUNNING, 9_000, 14_000, 120);
  assert.match(textOf(block[0] as Line), /15\.2 s$/);
  assert.match(textOf(block[1] as Line), /10\.0 s of 10\.0 s/);
});

test('while workers join, the block says for whom the run waits', () => {
  const block = liveBlock('quickstart', JOINING, 0, 14_000, 100).map(textOf);
  assert.match(block[1] as string, /^waiting for group clients: 1 of 3 workers joined/);
});
