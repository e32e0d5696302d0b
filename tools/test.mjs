/**
 * `npm test [-- WORD ...]`: prepares the checkout, then runs every compiled test, or those whose path has one of the
 * words. Suites that need a server which is not installed are skipped and listed at the end, each with its reason;
 * with PACECAR_REQUIRE_SERVICES=1 a skip is a failure.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareOrExplain, ROOT } from './prepare.mjs';

/** No test file takes this long; one that hangs must not hang the run. */
const FILE_TIMEOUT_MS = 15 * 60_000;

const failed = await prepareOrExplain({ project: '.' });
if (failed !== 0) process.exit(failed);

const words = process.argv.slice(2);
const files = compiledTests().filter(
  (file) => words.length === 0 || words.some((word) => file.includes(word)),
);
if (files.length === 0) {
  process.stderr.write(`There is no test whose path has ${words.map((word) => `'${word}'`).join(' or ')}.\n`);
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), 'pacecar-test-'));
const skipsFile = join(scratch, 'skips.ndjson');
const code = await run(files, skipsFile);
const skips = existsSync(skipsFile)
  ? readFileSync(skipsFile, 'utf8').split('\n').filter(Boolean).map(JSON.parse)
  : [];
rmSync(scratch, { recursive: true, force: true });

if (skips.length > 0) {
  const required = process.env.PACECAR_REQUIRE_SERVICES === '1';
  const why = required ? ', which PACECAR_REQUIRE_SERVICES=1 makes a failure' : '';
  process.stdout.write(`\n${skips.length} skipped${why}:\n`);
  for (const skip of skips) process.stdout.write(`  ${skip.file}: ${skip.name}\n      ${skip.reason}\n`);
  process.exitCode = required ? 1 : code;
} else {
  process.exitCode = code;
}

/** Every test of the sources that stands compiled; what is left of a deleted source is not run. */
function compiledTests() {
  const roots = [{ from: 'test', to: 'build/test' }];
  for (const name of readdirSync(join(ROOT, 'packages')))
    roots.push({ from: `packages/${name}/src`, to: `packages/${name}/dist` });
  return roots.flatMap(({ from, to }) =>
    readdirSync(join(ROOT, from), { recursive: true })
      .filter((path) => path.endsWith('.test.ts'))
      .sort()
      .map((path) => join(to, path.replace(/\.ts$/, '.js'))),
  );
}

function run(tests, skipsTo) {
  const child = spawn(
    process.execPath,
    [
      '--test',
      // Node's default leaves one core free, which on two cores is no concurrency at all.
      `--test-concurrency=${Math.max(2, availableParallelism() - 1)}`,
      `--test-timeout=${FILE_TIMEOUT_MS}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${join(ROOT, 'tools/skip-reporter.mjs')}`,
      `--test-reporter-destination=${skipsTo}`,
      ...tests,
    ],
    { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, FORCE_COLOR: undefined } },
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve(exitCode ?? 1));
  });
}
