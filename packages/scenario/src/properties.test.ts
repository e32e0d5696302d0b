import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf, problemsOf, read, withStages } from './sample.test.data.js';

/** A scenario whose name shows what became of an expression. */
const named = (name: string, properties = '{}', more = '') => `pacecar: 1
name: ${name}
properties: ${properties}
configurations: { it: { target: builtin } }
stages: [measure]
${more}`;

const EXPANDED: readonly (readonly [name: string, properties: string, expected: string, why: string])[] = [
  ['${a}', '{ a: x }', 'x', 'a property'],
  ['"${a}"', '{ a: x }', 'x', 'in quotes'],
  ['a-${a}-${b}', '{ a: 1, b: 2 }', 'a-1-2', 'several, among text'],
  ['${a:x}', '{}', 'x', 'a default'],
  ['${a:x}', '{ a: y }', 'y', 'a default that is not needed'],
  ['"n${a:}"', '{}', 'n', 'an empty default'],
  ['${a:h:1}', '{}', 'h:1', 'a default with a colon'],
  ['${a}', '{ a: "${b}", b: z }', 'z', 'a property of a property'],
  ['${env.HOST}', '{}', 'from env', 'the environment'],
  ['${env.NONE:x}', '{}', 'x', 'a default of the environment'],
  ['"$${a}"', '{}', '${a}', 'the sign itself'],
  ['"$$${a}"', '{}', '$${a}', 'the sign itself, after another'],
  ['"5 $ {a}"', '{}', '5 $ {a}', 'no expression at all'],
  ['${a}', '{ a: 007 }', '007', 'a number as it is written'],
];
for (const [name, properties, expected, why] of EXPANDED)
  test(`${name} becomes ${JSON.stringify(expected)}: ${why}`, () =>
    assert.equal(planOf(named(name, properties), { env: { HOST: 'from env' } }).name, expected));

test('an expression needs no quotes inside a flow mapping', () => {
  const plan = planOf(
    withStages(
      '- measure: { keys: ${keys}, connections: ${c:2 total, 1}, depth: ${d:3} }',
      'properties: { keys: 5, c: 6 total }',
    ),
  );
  const workload = plan.cells[0]?.stages[0]?.workloads[0];
  assert.equal(workload?.keys.maximum, 4);
  assert.deepEqual(workload?.connections, { count: 6, scope: 'total' });
  assert.equal(workload?.depth, 3);
});

test('--set overrides a property and defines one that has a default', () => {
  assert.equal(planOf(named('${a}', '{ a: x }'), { set: { a: 'y' } }).name, 'y');
  assert.equal(planOf(named('${a:x}'), { set: { a: 'y' } }).name, 'y');
});

test('--set puts one value in place of a swept list, which stays a coordinate', () => {
  const plan = planOf(withStages('- measure: { depth: ${d} }', 'sweep: { d: [1, 2] }'), { set: { d: '7' } });
  assert.deepEqual(
    plan.cells.map(({ coordinates }) => coordinates),
    [{ d: 7 }],
  );
});

test('what --set and the environment say is data: no expression in it is replaced', () => {
  assert.equal(planOf(named('${a:x}'), { set: { a: '${env.HOME}' } }).name, '${env.HOME}');
});

test('settings keep the types that YAML gives them, also through a property', () => {
  const text = (settings: string) => `pacecar: 1
properties: { nd: false }
configurations: { it: { target: builtin, settings: ${settings} } }
stages: [measure]
`;
  assert.deepEqual(planOf(text('{ noDelay: ${nd}, protocol: 3 }')).configurations[0]?.settings, {
    noDelay: false,
    protocol: 3,
  });
  assert.match(problemsOf(text('{ protocol: "3" }')), /settings\.protocol: "3" is not allowed/);
});

test('a property that nothing uses is a warning', () => {
  const result = read(named('x', '{ spare: 1 }'));
  assert.ok(result.ok);
  assert.deepEqual(result.warnings, ['properties.spare: nothing uses ${spare}']);
});

const REFUSED: readonly (readonly [name: string, properties: string, problem: RegExp, why: string])[] = [
  [
    '${kyes}',
    '{ keys: 1 }',
    /^test\.yaml:2:7: name: there is no property "kyes"; did you mean keys\?; there are keys; .*--set kyes=value.*\$\{kyes:default\}$/,
    'a typo',
  ],
  [
    'abc ${x}',
    '{}',
    /^test\.yaml:2:11: name: there is no property "x"; there are none/,
    'the place is that of the expression',
  ],
  ['${env.NONE}', '{}', /environment variable NONE is not set/, 'an unset variable'],
  ['${a}', '{ a: "${b}", b: "${a}" }', /leads back to itself: a -> b -> a/, 'a circle'],
  ['"${a"', '{ a: 1 }', /`\$\{` has no `\}`/, 'it never ends'],
  ['"${}"', '{}', /is no expression; allowed: \$\{name\}/, 'no name'],
  ['"${ a }"', '{ a: 1 }', /is no expression/, 'blanks'],
  ['"${env.1}"', '{}', /is no expression/, 'no name of a variable'],
  ['x', '{ "a b": 1 }', /properties\["a b"\]: "a b" is no name of a property/, 'a name with a blank'],
  ['x', '{ a: [1] }', /one text or number/, 'a list'],
  ['x', '[a]', /properties: expected a mapping of values by name/, 'no mapping'],
];
for (const [name, properties, problem, why] of REFUSED)
  test(`${name} with ${properties} is refused: ${why}`, () =>
    assert.match(problemsOf(named(name, properties)), problem));

test('properties that double each other end at a bound', () => {
  const levels = Array.from({ length: 40 }, (_, i) => `p${i + 1}: "\${p${i}}\${p${i}}"`).join(', ');
  assert.match(problemsOf(named('${p40}', `{ p0: xxxxxxxxxx, ${levels} }`)), /more than 100000 characters/);
});

test('--set of a name that the scenario does not have is a problem of the flag', () => {
  assert.equal(
    problemsOf(named('${host:h}', '{ keys: 1 }'), { set: { kesy: '1' } }),
    '--set: the scenario has no property "kesy"; did you mean keys?; properties: keys, host',
  );
});

test('names of Object.prototype are no properties, no variables and no settings', () => {
  assert.match(problemsOf(named('${constructor}')), /no property "constructor"/);
  assert.match(problemsOf(named('${env.toString}')), /variable toString is not set/);
});
