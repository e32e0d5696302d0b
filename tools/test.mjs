/**
 * `npm test [-- WORD ...]`: prepares the checkout, then runs every compiled test, or those whose path has one of the
 * words. Suites that need a program which is not installed are skipped and listed at the end, each with its reason;
 * with PACECAR_REQUIRE_SERVICES=1 a skip is a failure.
 */
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { prepareOrExplain, ROOT } from './prepare.mjs';

/** No test file takes this long; one that hangs must not hang the run. */
const FILE_TIMEOUT_MS = 15 * 60_000;
/**
 * Suites of many processes, with deadlines: one at a time, so that they do not take each other's cores. Those of
 * services mostly wait for servers.
 */
const ALONE = /^build\/test\/(protocol\/|e2e\/(?!services\.))/;

const unprepared = await prepareOrExplain({ project: '.' });
if (unprepared !== 0) process.exit(unprepared);

const words = process.argv.slice(2);
const files = compiledTests().filter(
  (file) => words.length === 0 || words.some((word) => file.includes(word)),
);
if (files.length === 0) {
  process.stderr.write(`There is no test whose path has ${words.map((word) => `'${word}'`).join(' or ')}.\n`);
  process.exit(2);
}

const skips = [];
let failed = false;
await pipeline(Readable.from(events()), new spec(), process.stdout, { end: false });

const required = process.env.PACECAR_REQUIRE_SERVICES === '1';
if (skips.length > 0) {
  process.stdout.write(
    `\n${skips.length} skipped${required ? ', which PACECAR_REQUIRE_SERVICES=1 makes a failure' : ''}:\n`,
  );
  for (const { file, name, reason } of skips) process.stdout.write(`  ${file}: ${name}\n      ${reason}\n`);
}
process.exitCode = failed || (required && skips.length > 0) ? 1 : 0;

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

/** The events of both parts as if they were one run, with one summary. */
async function* events() {
  const totals = new Map();
  for (const part of parts()) {
    const stream = run({ ...part, timeout: FILE_TIMEOUT_MS });
    for await (const event of stream) {
      const [, name, value] =
        (event.type === 'test:diagnostic' &&
          event.data.nesting === 0 &&
          /^([a-z_]+) ([\d.]+)$/.exec(event.data.message)) ||
        [];
      if (name === undefined) {
        note(event);
        yield event;
      } else {
        totals.set(name, (totals.get(name) ?? 0) + Number(value));
      }
    }
  }
  for (const [name, value] of totals)
    yield { type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${Number(value.toFixed(3))}` } };
}

function parts() {
  const absolute = (some) => some.map((file) => join(ROOT, file));
  const [together, alone] = [
    files.filter((file) => !ALONE.test(file)),
    files.filter((file) => ALONE.test(file)),
  ];
  return [
    // Node's default leaves one core free, which on two cores is no concurrency at all.
    { files: absolute(together), concurrency: Math.max(2, availableParallelism() - 1) },
    { files: absolute(alone), concurrency: 1 },
  ].filter((part) => part.files.length > 0);
}

function note({ type, data }) {
  if (type !== 'test:pass' && type !== 'test:fail') return;
  if (type === 'test:fail' && data.todo === undefined) failed = true;
  const given = data.skip ?? data.todo;
  if (given === undefined) return;
  const file = data.file === undefined ? '?' : relative(ROOT, data.file);
  skips.push({
    file,
    name: data.name,
    reason: typeof given === 'string' && given !== '' ? given : 'no reason given',
  });
}
