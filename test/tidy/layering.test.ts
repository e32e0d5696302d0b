import assert from 'node:assert/strict';
import { dirname, join } from 'node:path/posix';
import { describe, test } from 'node:test';
import { PACKAGES, packageJson, read, writtenFiles } from './checkout.js';
import { importsOf, withoutComments } from './imports.js';

/** protocol <- scenario, worker, coordinator, report <- cli, and nothing else. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  scenario: ['protocol'],
  worker: ['protocol'],
  coordinator: ['protocol'],
  report: ['protocol'],
  cli: ['protocol', 'scenario', 'worker', 'coordinator', 'report'],
};

/** No module of Node.js below these: what they compute depends on their arguments alone. */
const PURE = [
  'packages/protocol/src/',
  'packages/scenario/src/',
  'packages/report/src/',
  'packages/coordinator/src/core/',
  'packages/worker/src/core/',
  'packages/worker/src/engine/',
];

/** Modules that one place alone may touch, with the reason. */
const CONFINED: readonly { readonly module: RegExp; readonly within: string; readonly why: string }[] = [
  { module: /^hdr-histogram-js$/, within: 'packages/protocol/src/hdr.ts', why: 'its traps stay in one file' },
  {
    module: /^(ioredis|redis|hazelcast-client|mongodb|memjs|memcached)(\/|$)/,
    within: 'packages/worker/src/drivers/',
    why: 'client libraries of targets belong to their drivers',
  },
  { module: /^fast-check$/, within: '.test.', why: 'only tests use it' },
];

const nameOf = new Map(PACKAGES.map((folder) => [packageJson(folder).name, folder]));

interface Import {
  readonly file: string;
  readonly module: string;
}

function importsBelow(folder: string): Import[] {
  return writtenFiles()
    .filter((file) => file.startsWith(folder) && /\.(ts|tsx|mts|mjs|js)$/.test(file))
    .flatMap((file) => importsOf(read(file)).map((module) => ({ file, module })));
}

const isTest = (file: string): boolean => /\.test\.|\/testing\//.test(file);

/** The package that an import reaches, by name or by a path that leaves its own package; null for others. */
function packageReached({ file, module }: Import): string | null {
  if (module.startsWith('.')) {
    const target = join(dirname(file), module);
    return (
      /^packages\/([^/]+)\//.exec(target)?.[1] ??
      (target.startsWith('packages/') ? target : `outside: ${target}`)
    );
  }
  for (const [name, folder] of nameOf) if (module === name || module.startsWith(`${name}/`)) return folder;
  return null;
}

/** The name under which an import stands in package.json. */
function dependencyName(module: string): string {
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
}

function listed(found: readonly Import[]): string {
  return found.map(({ file, module }) => `${file} imports ${module}`).join('\n');
}

describe('layering', () => {
  test('is said of every package', () => {
    assert.deepEqual(Object.keys(MAY_IMPORT).sort(), PACKAGES);
  });

  for (const folder of PACKAGES) {
    const imports = importsBelow(`packages/${folder}/`);
    const sources = imports.filter(({ file }) => file.startsWith(`packages/${folder}/src/`));

    test(`${folder} imports no package but ${MAY_IMPORT[folder]?.join(', ') || 'itself'}, types included`, () => {
      const wrong = imports.filter((one) => {
        const reached = packageReached(one);
        return reached !== null && reached !== folder && !MAY_IMPORT[folder]?.includes(reached);
      });
      assert.equal(listed(wrong), '');
    });

    test(`${folder} reaches other packages by name, never by path`, () => {
      const wrong = imports.filter((one) => one.module.startsWith('.') && packageReached(one) !== folder);
      assert.equal(listed(wrong), '');
    });

    test(`${folder} declares what its sources import, and nothing that they do not`, () => {
      const used = new Set(
        sources
          .filter(
            ({ file, module }) => !isTest(file) && !module.startsWith('.') && !module.startsWith('node:'),
          )
          .map(({ module }) => dependencyName(module)),
      );
      assert.deepEqual([...used].sort(), Object.keys(packageJson(folder).dependencies ?? {}).sort());
    });
  }

  for (const folder of PURE)
    test(`${folder} imports no module of Node.js`, () => {
      const wrong = importsBelow(folder).filter(
        ({ file, module }) => !isTest(file) && module.startsWith('node:'),
      );
      assert.equal(listed(wrong), '');
    });

  test('modules of Node.js are imported by their full names', () => {
    const bare =
      /^(assert|buffer|child_process|crypto|events|fs|http|https|module|net|os|path|stream|tls|url|util|worker_threads|zlib)(\/|$)/;
    assert.equal(listed(importsBelow('').filter(({ module }) => bare.test(module))), '');
  });

  for (const { module, within, why } of CONFINED)
    test(`${module.source} only in ${within}: ${why}`, () => {
      const found = importsBelow('').filter((one) => module.test(one.module));
      const wrong = found.filter(
        ({ file }) => !file.includes(within) && !isTest(file) && !/^(test|bench)\//.test(file),
      );
      assert.equal(listed(wrong), '');
    });

  test('tests and benches use packages by name, as anybody would', () => {
    const outside = [...importsBelow('test/'), ...importsBelow('bench/')];
    assert.equal(listed(outside.filter(({ module }) => /(^|\/)packages\//.test(module))), '');
  });
});

describe('time is an argument', () => {
  const clocks =
    /\b(Date\.now|new Date\(\)|performance\.now|process\.hrtime|Math\.random|setTimeout|setInterval)\b/;
  for (const folder of PURE)
    test(`${folder} reads no clock, sets no timer and throws no dice`, () => {
      const wrong = writtenFiles()
        .filter((file) => file.startsWith(folder) && file.endsWith('.ts') && !isTest(file))
        .flatMap((file) => {
          const [found] = clocks.exec(withoutComments(read(file))) ?? [];
          return found === undefined ? [] : [`${file}: ${found}`];
        });
      assert.deepEqual(wrong, []);
    });
});
