/**
 * Makes a checkout ready to run: installs the dependencies if they are not the locked ones, and builds what changed.
 * Called by ./pacecar on its first start and by `npm test`; safe to run several at once. Writes only into the
 * checkout. Says one line on stderr, and the end of the log when a step fails.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { missingDependency } from './locked-dependencies.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/(.)[/\\]$/, '$1');
const BUILD = join(ROOT, 'build');
const LOG = join(BUILD, 'prepare.log');
/** Its time is that of the start of the last good build; the launcher compares file times with it. */
const STAMP = join(BUILD, 'built');

/** A step that failed; the message is complete and meant for people. */
export class PreparationFailed extends Error {}

/**
 * Installs and builds.
 * @param {{ project: 'packages/cli' | '.' }} options what to build: the command with all it needs, or tests and benches too.
 */
export async function prepare({ project }) {
  const say = (text) => process.stderr.write(text);
  mkdirSync(BUILD, { recursive: true });
  const onWait = () => say('pacecar: waiting for another start that installs or builds ...\n');
  const work = async () => {
    const startedAt = new Date();
    const missing = missingDependency(ROOT);
    say(`pacecar: ${missing === null ? 'building' : 'first start: installing'} ... `);
    if (missing !== null) {
      await step('install the dependencies', npmCommand(), [
        'ci',
        '--include=dev',
        '--loglevel=warn',
        '--logs-max=0',
      ]);
      say('building ... ');
    }
    await step('build', process.execPath, [join(ROOT, 'node_modules/typescript/lib/tsc.js'), '-b', project]);
    await step('build the report page', process.execPath, [join(ROOT, 'packages/report/build-page.mjs')]);
    const fresh = `${STAMP}.${process.pid}`;
    writeFileSync(fresh, '');
    utimesSync(fresh, startedAt, startedAt);
    renameSync(fresh, STAMP);
    say(`ready in ${((Date.now() - startedAt.getTime()) / 1000).toFixed(1)} s\n`);
  };
  await withLock(join(BUILD, 'prepare.lock'), { onWait, work });
}

function npmCommand() {
  return process.platform === 'win32' ? 'npm.cmd' : 'npm';
}

/** Runs one command with its output in the log. */
function step(what, command, argv) {
  const log = createWriteStream(LOG, { flags: 'w' });
  const child = spawn(command, argv, { cwd: ROOT, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  return new Promise((resolve, reject) => {
    const fail = (why) =>
      log.end(() =>
        reject(new PreparationFailed(`could not ${what}: ${why}\n${tail(readFileSync(LOG, 'utf8'))}`)),
      );
    child.once('error', (error) =>
      fail(
        error.code === 'ENOENT'
          ? `there is no '${command}' on the PATH. It comes with Node.js; some systems package it apart (Debian: apt-get install npm).`
          : error.message,
      ),
    );
    child.once('close', (code, signal) => {
      if (code === 0) log.end(resolve);
      else
        fail(
          signal === null ? `it ended with code ${code}. The end of ${LOG}:` : `it was ended by ${signal}.`,
        );
    });
  });
}

/** npm keeps a cache in HOME, which may be missing or not ours to write: ours stays in the checkout. */
function environment() {
  const cache = process.env.npm_config_cache ?? join(BUILD, 'npm-cache');
  return { ...process.env, npm_config_cache: cache, npm_config_update_notifier: 'false' };
}

function tail(log) {
  return log.trimEnd().split('\n').slice(-25).join('\n');
}

/** Runs `prepare` for a command: explains a failure and gives the exit code. */
export async function prepareOrExplain(options) {
  try {
    await prepare(options);
    return 0;
  } catch (error) {
    // What the system refuses (a checkout that may not be written ...) says enough; anything else is a defect.
    const message = error instanceof PreparationFailed || error.syscall ? error.message : error.stack;
    process.stderr.write(`failed\npacecar: ${message}\n`);
    return 3;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = await prepareOrExplain({ project: 'packages/cli' });
