import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PACECAR_VERSION } from '@pacecar/protocol';
import { PACKAGES, type PackageJson, packageJson, read, readJson, ROOT } from './checkout.js';

interface LockFile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}
interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

const root = readJson<PackageJson>('package.json');
const lock = readJson<LockFile>('package-lock.json');
const manifests: readonly [string, PackageJson][] = [
  ['.', root],
  ...PACKAGES.map((folder): [string, PackageJson] => [folder, packageJson(folder)]),
];

/** Licences that an Apache-2.0 project may distribute with. */
const COMPATIBLE = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Zlib',
  'BlueOak-1.0.0',
]);

/** (MIT AND Zlib): all of them; (MIT OR GPL-2.0): one of them. */
function isCompatible(licence: string): boolean {
  return licence
    .replaceAll(/[()]/g, '')
    .split(' AND ')
    .every((part) => part.split(' OR ').some((name) => COMPATIBLE.has(name.trim())));
}

describe('manifests', () => {
  test('all packages have the version that the code says', () => {
    for (const [where, { version }] of manifests) assert.equal(version, PACECAR_VERSION, where);
  });

  test('every dependency is one exact version, the same in every package', () => {
    const seen = new Map<string, string>();
    for (const [where, { dependencies, devDependencies }] of manifests)
      for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
        assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${where}: ${name}`);
        assert.equal(seen.get(name) ?? version, version, `${name} in two versions`);
        seen.set(name, version);
        if (name.startsWith('@pacecar/')) assert.equal(version, PACECAR_VERSION, `${where}: ${name}`);
      }
  });

  for (const folder of PACKAGES)
    test(`${folder} can be published: it says what it is and takes no tests along`, () => {
      const manifest = packageJson(folder);
      assert.equal(manifest.license, 'Apache-2.0');
      assert.equal(manifest.type, 'module');
      assert.equal(manifest.engines?.node, '>=20');
      assert.ok((manifest.description ?? '').length > 20);
      assert.deepEqual(manifest.files, ['dist', '!dist/**/*.test.*', '!dist/**/*.map', '!dist/.tsbuildinfo']);
      assert.ok(manifest.exports !== undefined);
      // Scoped packages are private unless they say otherwise.
      if (manifest.name.startsWith('@')) assert.deepEqual(manifest.publishConfig, { access: 'public' });
      assert.equal(read(`packages/${folder}/LICENSE`), read('LICENSE'));
      assert.match(read(`packages/${folder}/README.md`), new RegExp(`^# ${manifest.name}\n`));
    });

  test('the command is called pacecar', () => {
    assert.equal(packageJson('cli').name, 'pacecar');
    assert.deepEqual(packageJson('cli').bin, { pacecar: 'dist/main.js' });
  });
});

describe('package-lock.json', () => {
  const entries = Object.entries(lock.packages).filter(([path]) => path.startsWith('node_modules/'));

  test('names no host: every package comes from whatever registry the machine uses, and is checked by its hash', () => {
    for (const [path, entry] of entries) {
      if (entry.link === true) continue;
      assert.equal(entry.resolved, undefined, path);
      assert.match(entry.integrity ?? '', /^sha512-/, path);
    }
    assert.match(read('.npmrc'), /^omit-lockfile-registry-resolved=true$/m);
  });

  test('everything that is installed with Pacecar has a compatible licence', () => {
    let seen = 0;
    for (const [path, entry] of entries) {
      if (entry.dev === true || entry.link === true) continue;
      if (entry.optional === true && !existsSync(join(ROOT, path))) continue;
      const { license } = readJson<{ license?: string }>(`${path}/package.json`);
      assert.ok(typeof license === 'string' && isCompatible(license), `${path}: ${JSON.stringify(license)}`);
      seen++;
    }
    assert.ok(seen > 5);
  });

  test('licences are judged by all their parts', () => {
    for (const good of ['MIT', '(MIT AND Zlib)', '(MIT OR GPL-2.0)', 'BSD-3-Clause'])
      assert.ok(isCompatible(good), good);
    for (const bad of ['GPL-3.0', 'MIT AND GPL-2.0', 'UNLICENSED', '']) assert.ok(!isCompatible(bad), bad);
  });
});
