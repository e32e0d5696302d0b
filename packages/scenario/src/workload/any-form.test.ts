import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlanSchema } from '@pacecar/protocol';
import fc from 'fast-check';
import { describePlan } from '../describe.js';
import { estimateMs } from '../estimate.js';
import { read } from '../sample.test.data.js';

const number = fc.constantFrom(
  '0',
  '1',
  '5',
  '-1',
  '1.5',
  '0.99',
  '1e9',
  '9007199254740991',
  'x',
  '',
  null,
  true,
  [],
  {},
);
const size = fc.constantFrom(
  '0',
  '7',
  '10..200',
  '5..5',
  '200..10',
  '512MiB',
  '600MB',
  [{ '80%': 100 }, { '20%': 7 }],
  [{ 1: 5 }, { 1: '1..2' }],
  [],
  {
    weighted: { 1: '5', 2: '5' },
  },
  { gaussian: { range: '1..9' } },
  { gaussian: { range: '5', median: 7 } },
);
const distribution = fc.oneof(
  fc.constantFrom(
    'uniform',
    'sequential',
    'partitioned',
    'gaussian',
    'zipfian',
    'latest',
    'hotspot',
    'exponential',
    'x',
  ),
  fc.record({ zipfian: fc.record({ exponent: number, scrambled: number }, { requiredKeys: [] }) }),
  fc.record({ gaussian: fc.record({ median: number, deviation: number }, { requiredKeys: [] }) }),
  fc.record({ hotspot: fc.record({ keys: number, operations: number }, { requiredKeys: [] }) }),
  fc.record({ exponential: fc.record({ keys: number, operations: number }, { requiredKeys: [] }) }),
);
const keys = fc.oneof(
  fc.constantFrom('1', '0', '100k', '5..3', '0..9007199254740990'),
  fc.record(
    {
      range: fc.constantFrom('1', '7..7', '0..9', '1..4M', '9007199254740000..9007199254740990'),
      prefix: fc.constantFrom('', 'p', '{a}'),
      suffix: fc.constantFrom('', ':s'),
      template: fc.constantFrom('__n__', 'a{__n__}b', 'none'),
      hashTag: fc.boolean(),
      width: fc.constantFrom('0', '3', '20', '21'),
      order: fc.constantFrom('numeric', 'hashed'),
      distribution,
    },
    { requiredKeys: [] },
  ),
);
const told = fc.record(
  {
    weight: number,
    name: fc.constantFrom('a', 'b', 'total', 'get'),
    batch: number,
    timeToLive: fc.constantFrom('1s', '0s', '5'),
    length: number,
    offset: number,
    inline: fc.boolean(),
  },
  { requiredKeys: [] },
);
const operation = fc.constantFrom(
  'get',
  'put',
  'getAll',
  'putAll',
  'expire',
  'getRange',
  'insert',
  'scan',
  'readRecord',
  'scanRecords',
  'gte',
);
const entry = fc.oneof(
  fc
    .tuple(operation, fc.oneof(number, told), told)
    .map(([name, value, more]) => ({ [name]: value, ...more })),
  fc
    .tuple(fc.constantFrom('GET __key__', 'PING', 'SET __key__ __data__', 'GET __x__', ''), told)
    .map(([command, more]) => ({ command, ...more })),
  fc
    .tuple(fc.constantFrom(['PING'], ['INCR __key__', 'PING'], []), told)
    .map(([transaction, more]) => ({ transaction, ...more })),
);
const mix = fc.oneof(
  fc.dictionary(operation, fc.oneof(number, told), { maxKeys: 3 }),
  fc.array(entry, { maxLength: 3 }),
);
const rate = fc.oneof(
  fc.constantFrom('none', '5/s', '0/s', '1M/s', '5'),
  fc.record({
    ramp: fc.record({
      from: fc.constantFrom('0/s', '5/s'),
      to: fc.constantFrom('0/s', '9/s'),
      over: fc.constantFrom('1s', '0s'),
    }),
  }),
  fc.record({
    steps: fc.array(fc.record({ rate: fc.constantFrom('0/s', '5/s'), for: fc.constantFrom('1s') }), {
      maxLength: 2,
    }),
  }),
  fc.record({
    sine: fc.record({
      mean: fc.constantFrom('5/s'),
      amplitude: fc.constantFrom('0/s', '5/s', '6/s'),
      period: fc.constantFrom('1s'),
      phase: number,
    }),
  }),
  fc.record({ file: fc.constantFrom('good.csv', 'bad.csv', 'gone.csv') }),
);
const workload = {
  keys,
  value: fc.oneof(
    size,
    fc.record(
      { size, content: fc.constantFrom('random', 'printable', { compressible: 3 }, { compressible: 99 }) },
      { requiredKeys: [] },
    ),
  ),
  records: fc.record({ fields: number, fieldSize: size, readAllFields: fc.boolean() }, { requiredKeys: [] }),
  mix,
  ratio: mix,
  preset: fc.constantFrom('ycsb-a', 'ycsb-d', 'ycsb-e', 'redis-benchmark', 'x'),
  checkValues: fc.boolean(),
  connections: fc.constantFrom('1 per worker', '2 total', '5 total', '1000000 per worker'),
  threads: fc.constantFrom('1 per worker', '3 total', '300 per worker'),
  depth: number,
  rate,
  arrivals: fc.constantFrom('constant', 'poisson'),
  lateAfter: fc.constantFrom('0s', '1s'),
  dropAfter: fc.constantFrom('never', '10ms', '5s'),
  thinkTime: fc.constantFrom('0s', '5ms'),
  rampUp: fc.constantFrom('0s', '1s', '1h'),
  staircase: fc.record({
    first: fc.constantFrom('1 per worker', '1 total'),
    step: fc.constantFrom('1 per worker', '1 total'),
    every: fc.constantFrom('1s'),
  }),
  reconnectEvery: fc.constantFrom('never', '10 operations', '0 operations'),
  backOff: fc.constantFrom('1ms', '1ms..1s', '1s..1ms'),
};
const some = fc.record(workload, { requiredKeys: [] });
const named = fc.tuple(fc.constantFrom('a', 'b'), some).map(([name, more]) => ({ name, ...more }));
const stage = fc
  .tuple(
    fc.constantFrom('load', 'warm-up', 'measure', 'verify'),
    fc.record(
      {
        ...workload,
        workloads: fc.array(named, { maxLength: 2 }),
        for: fc.constantFrom('1s', '20s'),
        operations: fc.constantFrom('5 total'),
        allKeys: fc.boolean(),
        tests: fc.constantFrom(['GET'], ['x']),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([kind, body]) => ({ [kind]: body }));

const FILES: Readonly<Record<string, string>> = { 'good.csv': '0,5\n1,6\n', 'bad.csv': '5,5\n' };
/** JSON is YAML. A stage has few of the keys, so that many scenarios are right. */
const few = <T extends object>(arbitrary: fc.Arbitrary<T>) =>
  fc.tuple(arbitrary, fc.array(fc.nat(50), { maxLength: 3 })).map(([all, picks]) => {
    const entries = Object.entries(all);
    return Object.fromEntries(
      picks.flatMap((pick) =>
        entries[pick % Math.max(1, entries.length)] === undefined
          ? []
          : [entries[pick % entries.length] as [string, unknown]],
      ),
    );
  });

test('whatever is written gives a plan that its schema takes and that can be described, or problems with a place', () => {
  let right = 0;
  const scenario = fc.record({
    pacecar: fc.constant(1),
    groups: fc.constant({ clients: 3 }),
    configurations: fc.constant({ it: { target: 'builtin' } }),
    workload: few(some),
    stages: fc.array(
      stage.chain((full) => {
        const [[kind, body]] = Object.entries(full) as [[string, object]];
        return few(fc.constant(body)).map((less) => ({ [kind]: less }));
      }),
      { minLength: 1, maxLength: 3 },
    ),
  });
  fc.assert(
    fc.property(scenario, (written) => {
      const result = read(JSON.stringify(written), { files: (path) => FILES[path] ?? null });
      if (!result.ok) {
        assert.ok(result.problems.length > 0);
        for (const { line, message, path } of result.problems)
          assert.ok(line === 1 && message !== '' && path !== '', JSON.stringify(result.problems));
        return;
      }
      right++;
      PlanSchema.parse(result.plan);
      assert.ok(Number.isFinite(estimateMs(result.plan)));
      for (const line of describePlan(result.plan).split('\n')) assert.ok(line.length <= 100, line);
    }),
    { numRuns: 1_500 },
  );
  assert.ok(right > 50, `only ${right} of them are right: too few to say something`);
});
