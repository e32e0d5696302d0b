import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf, problemsOf } from './sample.test.data.js';

const BASE = 'pacecar: 1\nconfigurations: { it: { target: builtin } }\nstages: [measure]\n';
const LAUGHS = Array.from({ length: 12 }, (_, i) => {
  const inner = i === 0 ? Array(10).fill('ha') : Array(10).fill(`*l${i - 1}`);
  return `k${i}: &l${i} [${inner.join(', ')}]`;
}).join('\n');

const REFUSED: readonly (readonly [text: string, problem: RegExp, why: string])[] = [
  ['', /^test\.yaml:1:1: a scenario is a mapping that begins with `pacecar: 1`$/, 'an empty file'],
  ['# nothing\n', /^test\.yaml:1:1: a scenario is a mapping/, 'a comment only'],
  ['- a\n', /^test\.yaml:1:1: a scenario is a mapping/, 'a list'],
  [`${BASE}name: a\nname: b\n`, /^test\.yaml:5:1: the key "name" stands here twice/, 'a key twice'],
  [`${BASE}---\npacecar: 1\n`, /^test\.yaml:4:1: a second YAML document begins here/, 'two documents'],
  [
    'pacecar: 1\nstages: [load\nname: x\n',
    /^test\.yaml:3:1: not valid YAML: .*\]/,
    'a bracket that stays open',
  ],
  [
    'pacecar: 1\nstages:\n\t- load\n',
    /^test\.yaml:3:1: not valid YAML: .*indented with spaces only/,
    'a tab',
  ],
  [`${BASE}name: a: b\n`, /needs quotes/, 'a colon in a text'],
  [`${BASE}name: !mine x\n`, /^test\.yaml:4:7: not valid YAML: Unresolved tag/, 'a tag of its own'],
  [`${BASE}name: *x\n`, /^test\.yaml:4:7: an alias \(\*name\) of no anchor/, 'an alias of nothing'],
  ['a: &a [*a]\n', /an alias inside its own anchor/, 'an alias of itself'],
  [LAUGHS, /more than 100000 values, aliases \(\*name\) counted each time/, 'ten to the twelfth laughs'],
  [`a: ${'['.repeat(100)}${']'.repeat(100)}\n`, /nested deeper than 40 levels/, 'deep nesting'],
  ['[\n'.repeat(100_000), /nested too deep to be read/, 'very deep nesting'],
  [`a:\n${'- '.repeat(2_000)}x\n`, /nested too deep to be read/, 'very deep nesting by dashes'],
  [`# ${'x'.repeat(6_000)}`, /^test\.yaml:1:1: the line has 6002 characters/, 'a line that no person writes'],
  [
    '# x\n'.repeat(100_000),
    /^test\.yaml:1:1: the file has 400000 characters/,
    'a file that no person writes',
  ],
  [`${BASE}? [a, b]\n: 1\n`, /a key must be a plain word/, 'a list as a key'],
  [
    `${BASE}groups: { __proto__: 1 }\n`,
    /^test\.yaml:4:11: the name "__proto__" is not allowed/,
    'a name that is none',
  ],
  [
    'pacecar: 1\nconfigurations:\n  a: &t { target: builtin }\n  b: { <<: *t }\n',
    /^test\.yaml:4:8: merge keys/,
    'a merge key',
  ],
  [
    `${BASE}groups:\u00a0{ a: 1 }\n`,
    /^test\.yaml:4:1: .*no-break space \(U\+00A0\)/,
    'a no-break space behind a colon',
  ],
  [
    `${BASE}liveness:\n\u00a0 lease: 1s\n`,
    /^test\.yaml:5:1: .*no-break space/,
    'a no-break space as indentation',
  ],
  [
    `${BASE.replaceAll('\n', '\r\n')}nmae: x\r\n`,
    /^test\.yaml:4:1: nmae: .*did you mean name\?/,
    'lines of Windows are counted',
  ],
  [`${BASE}constructor: 1\n`, /^test\.yaml:4:1: constructor: unknown key/, 'names of objects are no keys'],
];

for (const [text, problem, why] of REFUSED)
  test(`refused: ${why}`, () => assert.match(problemsOf(text), problem));

test('many slips of YAML give a bounded list', () => {
  const lines = problemsOf(`a: ${'"" '.repeat(500)}\n`).split('\n');
  assert.ok(lines.length > 1 && lines.length <= 20, String(lines.length));
});

test('a byte order mark, comments and Windows line ends are no part of a scenario', () => {
  assert.equal(planOf(`\ufeff# first\n${BASE}`.replaceAll('\n', '\r\n')).pacecar, 1);
});

test('an alias stands for its anchor, and problems in it are said once, where it is written', () => {
  const text = 'pacecar: 1\nconfigurations:\n  a: &t { target: builtin }\n  b: *t\nstages: [measure]\n';
  assert.equal(planOf(text).configurations.length, 2);
  const wrong = text.replace('builtin', '5 5');
  assert.deepEqual(
    problemsOf(wrong)
      .split('\n')
      .map((line) => line.split(': ').slice(0, 2).join(' ')),
    ['test.yaml:3:19 configurations.a.target', 'test.yaml:3:19 configurations.b.target'],
  );
});

test('texts of every YAML style are texts', () => {
  for (const name of ["'a b'", '"a\\x20b"', '>-\n  a\n  b', 'a\n  b', '|-\n  a b'])
    assert.equal(planOf(`${BASE}name: ${name}\n`).name, 'a b', name);
});

test('private-use characters of the author stay his', () => {
  assert.equal(planOf(`${BASE}name: \ue000\${x:\ue001}\n`).name, '\ue000\ue001');
});
