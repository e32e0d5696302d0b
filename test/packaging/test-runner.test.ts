import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { ROOT } from '../tidy/checkout.js';
import { type Finished, run } from './command.js';

describe('npm test', () => {
  // Node.js and nothing else: no server is installed.
  const path = mkdtempSync(join(tmpdir(), 'pacecar-path-'));
  symlinkSync(process.execPath, join(path, 'node'));
  after(() => rmSync(path, { recursive: true, force: true }));

  function runTests(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
    return run(process.execPath, [join(ROOT, 'tools/test.mjs'), ...words], {
      cwd: ROOT,
      env: { PATH: path, ...env },
      limitMs: 5 * 60_000,
    });
  }

  test('lists suites whose server is not installed, with the reason and the install hint', async () => {
    const { code, stdout } = await runTests(['services/redis-server']);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^ℹ skipped \d+$/m);
    assert.match(
      stdout,
      /\n1 skipped:\n {2}build\/test\/services\/redis-server\.test\.js: .*\n {6}redis-server is not installed: apt-get install redis-server/,
    );
  });

  test('fails on such a suite where every service is required', async () => {
    const { code, stdout } = await runTests(['services/redis-server'], { PACECAR_REQUIRE_SERVICES: '1' });
    assert.equal(code, 1);
    assert.match(stdout, /1 skipped, which PACECAR_REQUIRE_SERVICES=1 makes a failure:/);
  });

  test('gives one summary over all files', async () => {
    const { code, stdout } = await runTests([
      'protocol/dist/share',
      'protocol/dist/layout',
      'services/redis-server',
    ]);
    assert.equal(code, 0, stdout);
    const passed = stdout.match(/^ℹ pass (\d+)$/gm);
    assert.equal(passed?.length, 1, stdout);
    assert.notEqual(passed?.[0], 'ℹ pass 0');
  });

  test('a word that no test has is refused', async () => {
    const { code, stderr } = await runTests(['no-such-test']);
    assert.equal(code, 2);
    assert.match(stderr, /There is no test whose path has 'no-such-test'\./);
  });
});
