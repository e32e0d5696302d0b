import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PACECAR_VERSION } from '@pacecar/protocol';
import { ROOT, writtenFiles } from '../tidy/checkout.js';
import { type Finished, run } from './command.js';

/** An install on a slow line, on a busy machine. */
const INSTALL_LIMIT_MS = 8 * 60_000;

describe('./pacecar', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'pacecar launcher '));
  const checkout = join(scratch, 'a checkout, ünïcode');
  const home = join(scratch, 'home');
  const elsewhere = join(scratch, 'elsewhere');
  const link = join(elsewhere, 'pc');

  function start(
    argv: readonly string[],
    env: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Finished> {
    return run(link, argv, { cwd: elsewhere, env: { HOME: home, ...env }, limitMs: INSTALL_LIMIT_MS });
  }

  before(() => {
    for (const folder of [home, elsewhere]) mkdirSync(folder);
    for (const file of writtenFiles()) {
      mkdirSync(dirname(join(checkout, file)), { recursive: true });
      cpSync(join(ROOT, file), join(checkout, file));
    }
    // Through two links, one of them relative.
    symlinkSync(join(checkout, 'pacecar'), join(scratch, 'first'));
    symlinkSync('../first', link);
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));

  test('two first starts at once install and build once, say so on stderr only, and both run', async () => {
    const [one, other] = await Promise.all([start(['--version']), start(['--version'])]);
    for (const finished of [one, other]) {
      assert.equal(finished.code, 0, finished.stderr);
      assert.equal(finished.stdout, `${PACECAR_VERSION}\n`);
    }
    const said = [one.stderr, other.stderr].map((text) => text.split('\n').filter(Boolean));
    assert.equal(said.flat().filter((line) => /installing .* ready in/.test(line)).length, 1);
    assert.ok(
      said.every((lines) => lines.length <= 2),
      JSON.stringify(said),
    );
  });

  test('nothing was written outside the checkout', () => {
    assert.deepEqual(readdirSync(home), []);
    assert.deepEqual(readdirSync(elsewhere), ['pc']);
  });

  test('a second start says nothing of itself, and needs neither npm nor HOME', async () => {
    const withoutNpm = programs('node', 'dirname', 'find', 'head', 'readlink');
    const { code, stdout, stderr } = await start(['--version'], { HOME: undefined, PATH: withoutNpm });
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: `${PACECAR_VERSION}\n`, stderr: '' });
  });

  test('the exit code and the folder are those of the command', async () => {
    const { code, stderr } = await start(['validate', 'no-such-scenario.yaml']);
    assert.equal(code, 2);
    assert.match(stderr, /no-such-scenario\.yaml/);
  });

  test('a changed source is built, once', async () => {
    appendFileSync(join(checkout, 'packages/protocol/src/version.ts'), '\nexport const ADDED = 1;\n');
    const first = await start(['--version']);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stderr, /^pacecar: building \.\.\. ready in [\d.]+ s\n$/);
    assert.equal((await start(['--version'])).stderr, '');
  });

  test('the lock of a start that was killed is taken over', async () => {
    const lock = join(checkout, 'build/prepare.lock');
    mkdirSync(lock);
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, longAgo, longAgo);
    appendFileSync(join(checkout, 'packages/protocol/src/version.ts'), '\nexport const MORE = 1;\n');
    const { code, stderr } = await start(['--version']);
    assert.equal(code, 0, stderr);
    assert.ok(!existsSync(lock));
  });

  test('a build that fails ends it with the end of the log', async () => {
    appendFileSync(
      join(checkout, 'packages/protocol/src/version.ts'),
      "\nexport const WRONG: number = 'text';\n",
    );
    const { code, stdout, stderr } = await start(['--version']);
    assert.equal(code, 3);
    assert.equal(stdout, '');
    assert.match(stderr, /could not build: it ended with code \d/);
    assert.match(stderr, /version\.ts.*error TS2322/);
  });

  test('without Node.js, with one that is too old, or without npm it says what is needed', async () => {
    const none = await start(['--version'], { PATH: programs('dirname', 'readlink') });
    assert.equal(none.code, 3);
    assert.match(none.stderr, /^pacecar: Node\.js 20 or newer is needed, and there is no 'node' on the PATH/);

    const old = programs('dirname', 'readlink');
    writeFileSync(join(old, 'node'), '#!/bin/sh\necho v18.20.8\n');
    chmodSync(join(old, 'node'), 0o755);
    const tooOld = await start(['--version'], { PATH: old });
    assert.equal(tooOld.code, 3);
    assert.match(tooOld.stderr, /'node' on the PATH is v18\.20\.8/);

    rmSync(join(checkout, 'node_modules'), { recursive: true });
    const noNpm = await start(['--version'], {
      PATH: programs('node', 'dirname', 'find', 'head', 'readlink'),
    });
    assert.equal(noNpm.code, 3);
    assert.match(noNpm.stderr, /there is no 'npm' on the PATH/);
  });

  /** A folder with these programs and no other. */
  function programs(...names: string[]): string {
    const folder = mkdtempSync(join(scratch, 'path-'));
    for (const name of names) symlinkSync(onPath(name), join(folder, name));
    return folder;
  }
});

function onPath(name: string): string {
  if (name === 'node') return process.execPath;
  for (const folder of (process.env['PATH'] ?? '').split(delimiter))
    if (existsSync(join(folder, name))) return join(folder, name);
  throw new Error(`there is no ${name} on the PATH`);
}
