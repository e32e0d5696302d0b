import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf } from './imports.js';

const cases: readonly [string, string, readonly string[]][] = [
  ['a default import', "import a from 'm';", ['m']],
  ['a side effect', 'import \'m\';\nimport "n";', ['m', 'n']],
  ['a namespace', "import * as a from 'm';", ['m']],
  ['a type-only import', "import type { A } from 'm';", ['m']],
  ['a type among values', "import { type A, b } from 'm';", ['m']],
  ['several lines', "import {\n  a,\n  type B,\n} from 'm';\nimport { c } from 'n';", ['m', 'n']],
  ['re-exports', "export * from 'm';\nexport { a } from 'n';\nexport type { B } from 'o';", ['m', 'n', 'o']],
  ['a dynamic import', "const a = await import('m');", ['m']],
  ['an import type', "type A = import('m').A;", ['m']],
  ['require', "createRequire(import.meta.url)('x'); require('m');", ['m']],
  [
    'nothing in comments',
    "// import a from 'm';\n/* import b from 'n';\n export * from 'o' */\nconst x = 1;",
    [],
  ],
  ['an export without a source', "export const from = 'm';\nexport function f() { return 'from'; }", []],
  ['an import behind a comment', "/* first */ import a from 'm'; // import b from 'n'", ['m']],
  ['slashes in a text are no comment', "const url = 'http://x'; import('m');", ['m']],
];

for (const [what, source, expected] of cases)
  test(`imports are found: ${what}`, () => {
    assert.deepEqual(importsOf(source), expected);
  });
