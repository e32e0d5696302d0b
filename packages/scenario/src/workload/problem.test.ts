import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problemsOf, withStages } from '../sample.test.data.js';

type Rows = readonly (readonly [stages: string, problem: RegExp, why: string])[];

/** One slip, one problem, and it stands where the slip is. */
function refused(name: string, rows: Rows, before = ''): void {
  describe(name, () => {
    for (const [written, problem, why] of rows)
      test(`${written} is refused: ${why}`, () => {
        const stages = written.startsWith('-') ? written : `- measure: ${written}`;
        const problems = problemsOf(withStages(stages, before));
        assert.match(problems, problem);
        assert.equal(problems.split('\n').length, 1, `one slip, one problem:\n${problems}`);
        assert.match(problems, /^test\.yaml:\d+:\d+: \S+: ./);
      });
  });
}

refused('a mix', [
  ['{ mix: { get: -1 } }', /mix\.get: "-1" is negative/, 'negative'],
  ['{ mix: { get: 0 } }', /mix\.get: "0" is zero; leave the operation out/, 'zero'],
  ['{ mix: { get: { weight: 0, name: x } } }', /mix\.get\.weight: "0" is zero/, 'zero in a mapping'],
  ['{ mix: [{ get: 50% }, { put: 51% }] }', /mix: the percentages add up to 101%/, '101 %'],
  [
    '{ mix: [{ get: 50% }, { command: PING }] }',
    /mixes weights and percentages/,
    'a weight left out among percentages',
  ],
  ['{ mix: [] }', /mix: names no operation/, 'an empty list'],
  [
    '{ mix: [get] }',
    /mix\[0\]: expected an operation with its weight such as \{ get: 80 \}, found the text "get"/,
    'a word',
  ],
  ['{ mix: [{}] }', /mix\[0\]: names no operation/, 'an empty entry'],
  ['{ mix: [{ weight: 5 }] }', /mix\[0\]: names no operation; allowed: get, put/, 'no operation'],
  ['{ mix: [{ gte: 5 }] }', /mix\[0\]\.gte: unknown key "gte"; did you mean get\?/, 'a typo'],
  ['{ mix: [{ get: 1, put: 1 }] }', /mix\[0\]\.put: two operations in one entry, get and put/, 'two in one'],
  [
    '{ mix: [{ get: 1 }, { get: 2 }] }',
    /mix\[1\]: get stands here several times; give each a name/,
    'the same row twice',
  ],
  [
    '{ mix: [{ get: 1, name: a }, { put: 2, name: a }] }',
    /mix\[1\]: the name a is taken by stages\[0\]\.measure\.mix\[0\]/,
    'one name for two',
  ],
  ['{ mix: [{ get: 1, name: total }] }', /mix\[0\]: the name total is taken/, 'a name of the report'],
  [
    '{ mix: [{ get: { weight: 1 }, weight: 2 }] }',
    /mix\[0\]\.weight: weight stands beside get and inside it/,
    'twice',
  ],
  ['{ mix: { get: { weight: 1, batch: 5 } } }', /mix\.get\.batch: unknown key "batch"/, 'a get has no batch'],
  ['{ mix: { getAll: { batch: 0 } } }', /batch: "0" is out of range; allowed: 1 to 10000/, 'an empty batch'],
  ['{ mix: { expire: 1 } }', /mix\.expire: expire does not say when/, 'no time'],
  ['{ mix: { getRange: 1 } }', /mix\.getRange: getRange does not say how much/, 'no length'],
  ['{ mix: { getRange: { length: 0 } } }', /length: "0" is out of range; allowed: 1 to 512MiB/, 'nothing'],
  ['{ mix: { put: { timeToLive: 0s } } }', /timeToLive: "0s" is out of range/, 'gone at once'],
  [
    '{ mix: { command: PING } }',
    /mix\.command: unknown key "command"; commands stand in a list/,
    'a command in a mapping',
  ],
  ['{ mix: { get: 1 }, ratio: { put: 1 } }', /ratio: stands beside `mix`/, 'both'],
  ['{ ratio: { get: 1.5 } }', /ratio\.get: "1\.5" is not a whole number/, 'half a turn'],
  ['{ ratio: { get: 50% } }', /ratio\.get: "50%" is not a count/, 'a share is no turn'],
  ['{ ratio: { get: 0 } }', /ratio\.get: "0" is out of range; allowed: 1 to/, 'no turn'],
]);

refused('a command', [
  [
    '{ mix: [{ command: "GET __kye__" }] }',
    /mix\[0\]\.command: column 5 of the command: __kye__ is no placeholder; did you mean __key__\?/,
    'a typo, with its column',
  ],
  ['{ mix: [{ command: "" }] }', /mix\[0\]\.command: /, 'nothing'],
  [
    "{ mix: [{ command: 'SET a \"b' }] }",
    /column 7 of the command: the quote " is not closed/,
    'an open quote',
  ],
  [
    '{ mix: [{ command: { file: gone.txt } }] }',
    /command\.file: the file "gone\.txt" cannot be read/,
    'no file',
  ],
  ['{ mix: [{ transaction: [] }] }', /mix\[0\]\.transaction: has no command/, 'an empty transaction'],
  ['{ mix: [{ transaction: PING }] }', /transaction: expected a list of commands/, 'no list'],
  [
    '{ mix: [{ transaction: [PING, "GET __x__"] }] }',
    /transaction\[1\]: column 5 of the command/,
    'the second one',
  ],
  [
    '{ mix: [{ command: "HGET __key__ __field__" }] }',
    /__field__ works on records, and none are said/,
    'fields of nothing',
  ],
]);

refused('keys', [
  ['{ keys: { distribution: zipfain } }', /"zipfain" is not known here; did you mean zipfian\?/, 'a typo'],
  [
    '{ keys: { distribution: { zipfian: {}, latest: {} } } }',
    /distribution: has one key, and here is zipfian, latest/,
    'two',
  ],
  ['{ keys: { distribution: {} } }', /distribution: has one key, and here is none/, 'none'],
  [
    '{ keys: { distribution: [zipfian] } }',
    /distribution: expected one of uniform, .*found a list/,
    'a list',
  ],
  [
    '{ keys: { distribution: { zipfian: { exponent: 0 } } } }',
    /exponent: "0" is out of range; allowed: above 0 to 100/,
    'zero',
  ],
  ['{ keys: { distribution: { zipfian: { exponent: -1 } } } }', /exponent: "-1" is out of range/, 'negative'],
  ['{ keys: { distribution: { zipfian: { exponent: x } } } }', /exponent: "x" is not a number/, 'no number'],
  [
    '{ keys: { distribution: { zipfian: { exponet: 1 } } } }',
    /unknown key "exponet"; did you mean exponent\?/,
    'a typo inside',
  ],
  ['{ keys: { distribution: { uniform: { exponent: 1 } } } }', /unknown key "exponent"/, 'uniform has none'],
  [
    '{ keys: { range: 0..9, distribution: { gaussian: { median: 10 } } } }',
    /the median 10 lies outside the keys 0\.\.9/,
    'outside',
  ],
  [
    '{ keys: { distribution: { gaussian: { deviation: 0 } } } }',
    /deviation: "0" is out of range/,
    'no spread',
  ],
  [
    '{ keys: { distribution: { hotspot: { keys: 100% } } } }',
    /hotspot\.keys: must be above 0% and below 100%/,
    'all are hot',
  ],
  ['{ keys: { distribution: { hotspot: { operations: 101% } } } }', /more than the whole/, 'more than all'],
  [
    '{ keys: { distribution: { exponential: { operations: 0 } } } }',
    /exponential\.operations: must be above 0%/,
    'none',
  ],
  ['{ keys: { template: "user" } }', /template: "user" does not say where the number stands/, 'no number'],
  ['{ keys: { template: "__n____n__" } }', /a key has one number/, 'two numbers'],
  [
    '{ keys: { template: "a__key__b__n__" } }',
    /has __key__, which is no placeholder of a key/,
    'another placeholder',
  ],
  ['{ keys: { template: "a__n__", prefix: "b" } }', /keys\.prefix: stands beside `template`/, 'both'],
  ['{ keys: { prefix: "{a}", hashTag: true } }', /hashTag: the key has braces of its own/, 'two pairs'],
  [
    '{ keys: { order: hashed, width: 12 } }',
    /keys\.width: hashed numbers .* are not padded/,
    'padding a hash',
  ],
  [
    '- load: { keys: { distribution: zipfian } }',
    /every key once can only be done partitioned; found zipfian/,
    'once each',
  ],
  [
    '{ allKeys: true, mix: { getAll: 1 } }',
    /allKeys: does every key once, and getAll is not on one key/,
    'a batch',
  ],
]);

refused('values', [
  ['{ value: [] }', /value: has no size/, 'no size'],
  ['{ value: [{ 80%: 100 }, { 30%: 200 }] }', /value: the percentages add up to 110%/, '110 %'],
  ['{ value: [{ 80%: 100 }, { 20: 200 }] }', /value: mixes weights and percentages/, 'both kinds'],
  ['{ value: [{ -5: 100 }] }', /value\[0\]: "-5" is negative/, 'negative'],
  ['{ value: [100] }', /value\[0\]: expected one weight and one size/, 'no weight'],
  ['{ value: [{ 1: 10..20 }] }', /value\[0\]: a weighted size is one size, no range/, 'a range'],
  ['{ value: { size: { weighted: { 10x: 1 } } } }', /weighted.*"10x" is not a size/, 'a unit'],
  ['{ value: { size: { gaussian: {} } } }', /gaussian: the key "range" is missing/, 'no range'],
  [
    '{ value: { size: { gaussian: { range: 5 } } } }',
    /gaussian\.range: a single size 5 has no spread/,
    'no spread',
  ],
  [
    '{ value: { size: { gaussian: { range: 5..9, median: 10 } } } }',
    /median: "10" lies outside the range 5\.\.9/,
    'outside',
  ],
  ['{ value: { size: { normal: 5 } } }', /unknown key "normal"; allowed: weighted, gaussian/, 'unknown'],
  ['{ value: { content: rnadom } }', /"rnadom" is not known here; did you mean random\?/, 'a typo'],
  ['{ value: { content: compressible } }', /compressible needs a ratio/, 'how much'],
  [
    '{ value: { content: { compressible: 0.5 } } }',
    /compressible: "0\.5" is out of range; allowed: 1 to 20/,
    'it would grow',
  ],
  ['{ value: 600MB }', /out of range; allowed: 0 to 512MiB/, 'too large'],
]);

refused('records', [
  [
    '{ records: { fields: 0 }, mix: { readRecord: 1 } }',
    /records\.fields: "0" is out of range; allowed: 1 to 10000/,
    'no field',
  ],
  ['{ mix: { readRecord: 1 } }', /mix: readRecord works on records, and none are said/, 'no records'],
  ['{ records: {} }', /the keys hold records, and get is not for records/, 'plain operations'],
  ['{ records: { fieldSize: 9..1 }, mix: { readRecord: 1 } }', /fieldSize: "9\.\.1" is reversed/, 'reversed'],
]);

refused('a model', [
  ['{ rate: 0/s }', /rate: "0\/s" is not above zero/, 'nothing'],
  ['{ rate: -5/s }', /rate: "-5\/s" is negative/, 'negative'],
  ['{ rate: 5 }', /rate: "5" is not a rate; a rate says per what: 5\/s/, 'per what'],
  ['{ rate: 2000G/s }', /out of range; the largest rate is 1000G\/s/, 'too much'],
  [
    '{ rate: { ramp: { from: 0/s, to: 0/s, over: 1s } } }',
    /a ramp from 0\/s to 0\/s sends nothing/,
    'nothing',
  ],
  ['{ rate: { ramp: { from: 0/s, over: 1s } } }', /ramp: the key "to" is missing/, 'no end'],
  ['{ rate: { steps: [] } }', /no step has a rate above 0\/s/, 'no step'],
  ['{ rate: { steps: [{ rate: 5/s }] } }', /steps\[0\]: the key "for" is missing/, 'how long'],
  [
    '{ rate: { sine: { mean: 5/s, amplitude: 6/s, period: 1s } } }',
    /amplitude: 6\/s is above the mean of 5\/s/,
    'below zero',
  ],
  [
    '{ rate: { sine: { mean: 5/s, amplitude: 1/s, period: 1s, phase: 1 } } }',
    /phase: "1" is out of range; allowed: 0 to below 1/,
    'a whole wave',
  ],
  ['{ rate: { ramp: {}, sine: {} } }', /rate: has one key, and here is ramp, sine/, 'two'],
  ['{ rate: { rmap: {} } }', /unknown key "rmap"; did you mean ramp\?/, 'a typo'],
  ['{ rate: { file: gone.csv } }', /file: the file "gone\.csv" cannot be read/, 'no file'],
  ['{ arrivals: poisson }', /arrivals: belongs to the open model, and no `rate` is said/, 'no rate'],
  ['{ dropAfter: 1s }', /dropAfter: belongs to the open model/, 'no rate'],
  ['{ rate: 5/s, arrivals: posson }', /did you mean poisson\?/, 'a typo'],
  [
    '{ rate: 5/s, thinkTime: 1s }',
    /thinkTime: belongs to the closed model, and stages\[0\]\.measure\.rate makes it open/,
    'both models',
  ],
  ['{ rate: 5/s, rampUp: 1s }', /rampUp: belongs to the closed model/, 'both models'],
  [
    '{ rate: 5/s, lateAfter: 2s, dropAfter: 1s }',
    /dropAfter: 1s is below lateAfter, 2s/,
    'gone before it is late',
  ],
  ['{ rampUp: 11s }', /rampUp: takes 11s, longer than the stage, 10s/, 'never all'],
  [
    '{ rampUp: 1s, staircase: { first: 1 per worker, step: 1 per worker, every: 1s } }',
    /staircase: stands beside `rampUp`/,
    'both',
  ],
  [
    '{ staircase: { first: 1 per worker, step: 1 per worker, every: 2s } }',
    /staircase: all 10 per worker connections send after 18s, and the stage ends after 10s/,
    'never all',
  ],
  [
    '{ staircase: { first: 11 per worker, step: 1 per worker, every: 1s } }',
    /11 per worker is more than all connections/,
    'more than all',
  ],
  [
    '{ staircase: { first: 1 total, step: 1 per worker, every: 1s } }',
    /counts as connections do, which are 10 per worker/,
    'of what',
  ],
  ['{ staircase: { first: 1 per worker, every: 1s } }', /staircase: the key "step" is missing/, 'no step'],
  [
    '{ reconnectEvery: 1000 }',
    /reconnectEvery: "1000" does not say of what; allowed: "1000 operations"/,
    'of what',
  ],
  ['{ reconnectEvery: 0 operations }', /reconnectEvery: "0" is out of range/, 'never'],
  ['{ backOff: 1s..10ms }', /backOff: "1s\.\.10ms" is reversed/, 'reversed'],
]);

refused(
  'a model of two places',
  [
    [
      '{ thinkTime: 1s }',
      /measure\.thinkTime: belongs to the closed model, and workload\.rate makes it open/,
      'both models',
    ],
  ],
  'workload: { rate: 5/s }',
);
refused(
  'a model of two places, the other way round',
  [
    [
      '{ rate: 5/s }',
      /measure\.rate: makes the model open, and workload\.thinkTime belongs to the closed one/,
      'both models',
    ],
  ],
  'workload: { thinkTime: 1s }',
);

refused('several workloads', [
  ['{ workloads: [] }', /workloads: has no workload/, 'none'],
  ['{ workloads: [{ depth: 2 }] }', /workloads\[0\]: the key "name" is missing/, 'no name'],
  [
    '{ workloads: [{ name: a }, { name: a }] }',
    /workloads\[1\]\.name: the name "a" is taken by .*workloads\[0\]/,
    'one name for two',
  ],
  [
    '{ workloads: [{ name: a, for: 5s }] }',
    /workloads\[0\]\.for: unknown key "for"; it belongs to the whole stage/,
    'an end of its own',
  ],
  [
    '- load: { workloads: [{ name: a, mix: { get: 1 } }] }',
    /mix: unknown key "mix"; a load stage has none/,
    'a load has no mix',
  ],
  [
    '{ workloads: [{ name: a, connections: 1 total }, { name: b, connections: 2 total }] }',
    /leave some of the 3 workers of group clients without a connection/,
    'idle workers',
  ],
  [
    '{ workloads: [{ name: a, threads: 200 per worker, connections: 200 per worker }, { name: b, threads: 100 per worker, connections: 100 per worker }] }',
    /the workloads ask for 300 threads on one worker; allowed: at most 256/,
    'too many threads',
  ],
  [
    '{ workloads: [{ name: a, preset: redis-benchmark }] }',
    /redis-benchmark is a suite of stages/,
    'a suite',
  ],
]);

refused('presets', [
  ['- warm-up: { preset: redis-benchmark }', /preset: redis-benchmark is measured/, 'a warm-up'],
  [
    '{ preset: redis-benchmark, mix: { get: 1 } }',
    /mix: redis-benchmark says itself what is sent/,
    'a mix of its own',
  ],
  [
    '{ preset: redis-benchmark, tests: [GTE] }',
    /tests\[0\]: there is no test "GTE"; did you mean GET\?/,
    'a typo',
  ],
  ['{ preset: redis-benchmark, tests: [] }', /tests: names no test/, 'none'],
  ['{ tests: [GET] }', /tests: are those of a suite; add `preset: redis-benchmark`/, 'of what'],
]);

describe('a rate file', () => {
  const FILES: readonly (readonly [text: string, problem: RegExp, why: string])[] = [
    ['', /r\.csv: has no rates; allowed: a time and a rate per line/, 'empty'],
    ['time,rate\n', /r\.csv: has no rates/, 'a head alone'],
    ['1,5\n', /r\.csv:1: the first line is at "1"; a stage starts at 0/, 'a late start'],
    ['0,5\n2,5\n2,6\n', /r\.csv:3: "2" does not come after the line before it/, 'no order'],
    ['0,0\n1,0\n', /r\.csv: has no rate above 0/, 'nothing'],
    ['0,5\n1,-5\n', /r\.csv:2: "-5" is out of range/, 'negative'],
    ['0,5\n1\n', /r\.csv:2: "1" has 1 columns/, 'no rate'],
    ['0,5\n1,2,3\n', /r\.csv:2: "1,2,3" has 3 columns/, 'a third column'],
    ['0,5\n1,x\n', /r\.csv:2: "x" is not a rate/, 'no number'],
    ['0,5\nlater,5\n', /r\.csv:2: "later" is not a duration/, 'no time'],
  ];
  for (const [text, problem, why] of FILES)
    test(`${JSON.stringify(text)} is refused: ${why}`, () => {
      const problems = problemsOf(withStages('- measure: { rate: { file: r.csv } }'), { files: () => text });
      assert.match(problems, problem);
      assert.equal(problems.split('\n').length, 1, problems);
    });

  test('says so many faults and counts the others', () => {
    const text = `0,1\n${'x,y\n'.repeat(50)}`;
    const problems = problemsOf(withStages('- measure: { rate: { file: r.csv } }'), { files: () => text });
    assert.equal(problems.split('\n').length, 11);
    assert.match(problems, /r\.csv: 40 more lines cannot be read/);
  });
});

test('a stage that fits into no message to a worker is refused before it is sent', () => {
  const commands = Array.from({ length: 5 }, (_, index) => `{ command: { file: big.txt }, name: c${index} }`);
  const problems = problemsOf(withStages(`- measure: { mix: [${commands.join(', ')}] }`), {
    files: () => `SET __key__ ${'x'.repeat(1_000_000)}`,
  });
  assert.match(
    problems,
    /stages\[0\]\.measure: the stage takes 50\d+ bytes to be told to a worker.*at most 4128768$/,
  );
});

test('keys that leave no room for those that are inserted are refused, whichever stage or probe it is', () => {
  const keys = 'workload: { keys: { range: 9007181000000000..9007181100000000 } }';
  const refusal = /keys up to 9007181100000000 leave no room below 2\^53 .*; allowed: keys up to \d+$/;
  const stage = '- measure: { mix: { insert: 1 } }';
  assert.equal(problemsOf(withStages(stage, keys)), '');
  const later = problemsOf(withStages(`- load\n- measure: { name: a }\n${stage}`, keys));
  assert.match(later, /stages\[2\]\.measure: keys up to/);
  assert.match(later, refusal);
  const search =
    '- measure: { mix: { insert: 1 }, search: { objective: insert.p99 < 5ms, rate: 1k/s..2k/s } }';
  assert.match(problemsOf(withStages(search, keys)), refusal);
  // Records are loaded by inserts of the range itself.
  const records = keys.replace('} }', '}, records: {} }');
  assert.equal(problemsOf(withStages('- load\n- load: { name: again }', records)), '');
});
