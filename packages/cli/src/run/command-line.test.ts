import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicCommandLine } from './command-line.js';

test('a command line is kept as typed, but for its secrets', () => {
  const rows: [args: string[], kept: string[]][] = [
    [
      ['run', 'a.yaml', '--workers', '3'],
      ['run', 'a.yaml', '--workers', '3'],
    ],
    [
      ['demo', '--target', 'redis://:s3cret@h:1'],
      ['demo', '--target', 'redis://:***@h:1'],
    ],
    [
      ['demo', '--target=redis://me:s3c@ret@h:1/2'],
      ['demo', '--target=redis://me:***@h:1/2'],
    ],
    [
      ['run', '--set', 'auth=s3cret=', '--set', 'host=h'],
      ['run', '--set', 'auth=***', '--set', 'host=h'],
    ],
    [
      ['run', '--set=auth=s3cret'],
      ['run', '--set=auth=***'],
    ],
    [
      ['worker', '--join', 'ws://h:2103'],
      ['worker', '--join', 'ws://h:2103'],
    ],
  ];
  for (const [args, kept] of rows) assert.deepEqual(publicCommandLine(args, ['auth']), ['pacecar', ...kept]);
});
