import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { makeBundleDirectory, slugOf } from './bundle-directory.js';

const folder = mkdtempSync(join(tmpdir(), 'pacecar-bundle-'));
const before = process.cwd();
after(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

test("a scenario's name becomes a part of a file name", () => {
  assert.equal(slugOf('Quick start'), 'quick-start');
  assert.equal(slugOf('../../etc/passwd'), 'etc-passwd');
  assert.equal(slugOf('Zürich: 80/20, 100 B'), 'zurich-80-20-100-b');
  assert.equal(slugOf('redis 7.2'), 'redis-7.2');
  assert.equal(slugOf('日本語'), 'run');
  assert.equal(slugOf('..'), 'run');
});

test('a slug is safe whatever the name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (name) => {
      assert.match(slugOf(name), /^[a-z0-9](?:[a-z0-9.-]{0,58}[a-z0-9])?$/);
    }),
  );
});

test('runs of one second and one name get directories of their own, named by UTC time', () => {
  process.chdir(folder);
  const now = new Date('2026-01-31T12:00:59.999Z');
  const first = makeBundleDirectory(null, 'demo', now);
  const second = makeBundleDirectory(null, 'demo', now);
  assert.equal(basename(first), '20260131T120059Z-demo');
  assert.equal(basename(second), '20260131T120059Z-demo-2');
  assert.equal(basename(dirname(first)), 'results');
  assert.deepEqual(readdirSync(first), []);
});

test('--out may be new or empty; a run never overwrites another', () => {
  const fresh = join(folder, 'a/b');
  assert.equal(makeBundleDirectory(fresh, 'demo', new Date()), fresh);
  assert.equal(makeBundleDirectory(fresh, 'demo', new Date()), fresh);
  writeFileSync(join(fresh, 'plan.json'), '{}');
  assert.throws(() => makeBundleDirectory(fresh, 'demo', new Date()), {
    code: 'REQUEST_INVALID',
    message: /not empty/,
  });
  mkdirSync(join(folder, 'c'));
  writeFileSync(join(folder, 'c/file'), '');
  for (const [out, message] of [
    ['', /--out is empty/],
    [join(folder, 'c/file'), /c\/file is not a directory/],
    [join(folder, 'c/file/sub'), /c\/file in .*c\/file\/sub is not a directory/],
  ] as const)
    assert.throws(() => makeBundleDirectory(out, 'demo', new Date()), { code: 'REQUEST_INVALID', message });
});
