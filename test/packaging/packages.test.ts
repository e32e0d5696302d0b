import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { PACECAR_VERSION } from '@pacecar/protocol';
import { PACKAGES, packageJson, ROOT } from '../tidy/checkout.js';
import { run } from './command.js';

const LIMIT_MS = 5 * 60_000;

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

describe('the packages, as npm would publish them', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'pacecar-packages-'));
  const empty = join(scratch, 'empty');
  const env = {
    HOME: scratch,
    npm_config_cache: join(ROOT, 'build/npm-cache'),
    npm_config_prefer_offline: 'true',
  };
  let packed: readonly Packed[] = [];

  before(async () => {
    mkdirSync(empty);
    const pack = await run('npm', ['pack', '--workspaces', '--json', '--pack-destination', scratch], {
      cwd: ROOT,
      env,
      limitMs: LIMIT_MS,
    });
    assert.equal(pack.code, 0, pack.stderr);
    packed = Object.values(JSON.parse(pack.stdout) as Record<string, Packed>);
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));

  test('are all there', () => {
    assert.deepEqual(
      packed.map(({ name }) => name).toSorted(),
      PACKAGES.map((folder) => packageJson(folder).name).toSorted(),
    );
  });

  test('hold what runs, its types, README and licence, and no sources, tests, maps or build state', () => {
    for (const { name, files } of packed) {
      const paths = files.map(({ path }) => path);
      for (const needed of ['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts'])
        assert.ok(paths.includes(needed), `${name} lacks ${needed}`);
      const others = paths.filter(
        (path) => !/^(package\.json|README\.md|LICENSE|dist\/.*\.(js|d\.ts))$/.test(path),
      );
      assert.deepEqual(others, [], name);
      assert.deepEqual(
        paths.filter((path) => /\.test\./.test(path)),
        [],
        name,
      );
    }
  });

  test('name no path of the machine that built them', () => {
    for (const folder of PACKAGES) {
      const { files } = packed.find(({ name }) => name === packageJson(folder).name) as Packed;
      for (const { path } of files)
        assert.ok(
          !readFileSync(join(ROOT, 'packages', folder, path), 'utf8').includes(`${ROOT}/`),
          `${folder}: ${path}`,
        );
    }
  });

  test('installed into an empty folder they give a pacecar command whose demo works', async () => {
    writeFileSync(join(empty, 'package.json'), '{ "private": true }\n');
    const archives = packed.map(({ filename }) => join(scratch, filename));
    const install = await run('npm', ['install', '--no-audit', '--no-fund', '--no-save', ...archives], {
      cwd: empty,
      env,
      limitMs: LIMIT_MS,
    });
    assert.equal(install.code, 0, install.stderr);

    const version = await run('npx', ['--no-install', 'pacecar', '--version'], {
      cwd: empty,
      env,
      limitMs: LIMIT_MS,
    });
    assert.deepEqual([version.code, version.stdout], [0, `${PACECAR_VERSION}\n`], version.stderr);

    const demo = await run('npx', ['--no-install', 'pacecar', 'demo', '--for', '1s'], {
      cwd: empty,
      env,
      limitMs: LIMIT_MS,
    });
    assert.equal(demo.code, 0, `${demo.stdout}\n${demo.stderr}`);
    const [, report] = /([^\s:]*report\.html)\s*$/.exec(demo.stdout.trimEnd()) ?? [];
    assert.ok(report !== undefined, demo.stdout);
    assert.ok(existsSync(join(empty, report)), report);
  });
});
