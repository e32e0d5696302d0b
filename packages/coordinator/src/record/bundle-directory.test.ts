import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readPlan, readWords } from '../core/trace-words.test.support.js';
import { createBundleDirectory } from './bundle-directory.js';
import { makeDirectoryPath } from './directory-path.js';
import { replaceFile } from './replaced-file.js';

const folder = mkdtempSync(join(tmpdir(), 'pacecar-bundle-'));
after(() => rmSync(folder, { recursive: true }));

const content = (scenarioText: string) => ({
  plan: readPlan(readWords([])),
  scenarioText,
  commandLine: ['pacecar'],
  redact: (text: string) => text,
});

test('of runs that want one directory at the same moment one gets it; the others find it taken', async () => {
  const directory = join(folder, 'a/b');
  const runs = ['first', 'second', 'third'];
  const ends = await Promise.allSettled(runs.map((text) => createBundleDirectory(directory, content(text))));
  const winners = runs.filter((_, index) => ends[index]?.status === 'fulfilled');
  assert.equal(winners.length, 1);
  assert.equal(readFileSync(join(directory, 'scenario.yaml'), 'utf8'), winners[0]);
  for (const end of ends)
    if (end.status === 'rejected') {
      assert.equal(end.reason.code, 'REQUEST_INVALID');
      assert.match(end.reason.message, /is not empty.*never overwrites/);
    }
});

test('what is no directory, or leads through a file, is a wrong request', () => {
  const file = join(folder, 'file');
  writeFileSync(file, 'kept');
  for (const path of [file, join(file, 'below'), join(file, 'far/below'), join(folder, 'x'.repeat(300))])
    assert.throws(() => makeDirectoryPath(path), { code: 'REQUEST_INVALID' }, path);
  assert.equal(readFileSync(file, 'utf8'), 'kept');
  mkdirSync(join(folder, 'there'));
  makeDirectoryPath(join(folder, 'there'));
  makeDirectoryPath(join(folder, 'there/1/2/3'));
  assert.ok(existsSync(join(folder, 'there/1/2/3')));
});

test('a file system that makes no directories says so at once', {
  skip: existsSync('/proc/self') ? false : 'there is no /proc here',
}, () => {
  for (const path of ['/proc/pacecar', '/proc/pacecar/below/it'])
    assert.throws(() => makeDirectoryPath(path), {
      code: 'STORAGE',
      message: /\/proc\/pacecar cannot be made/,
    });
});

test('a full disk leaves no half-written file and no temporary one', {
  skip: existsSync('/dev/full') ? false : 'there is no /dev/full here',
}, async () => {
  const directory = join(folder, 'full');
  mkdirSync(directory);
  writeFileSync(join(directory, 'summary.json'), 'old');
  symlinkSync('/dev/full', join(directory, 'summary.json.tmp'));
  await assert.rejects(replaceFile(join(directory, 'summary.json'), 'new'), { code: 'ENOSPC' });
  assert.deepEqual(readdirSync(directory), ['summary.json']);
  assert.equal(readFileSync(join(directory, 'summary.json'), 'utf8'), 'old');
});
