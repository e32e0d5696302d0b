import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WIDTH } from './columns.js';
import { describePlan } from './describe.js';
import { estimateMs } from './estimate.js';
import { planOf, withStages } from './sample.test.data.js';

const COMPARISON = `pacecar: 1
name: compare
groups: { servers: 1, clients: 10 }
configurations:
  wire: { target: "redis://u:\${env.PW}@10.0.0.5/2" }
  client: { target: builtin, driver: ioredis, settings: { label: x } }
objectives: [get.p99 < 5ms, total.throughput > 10000/s]
onWorkerLoss: continue
repeat: 2
sweep: { c: [20 total, 25 total] }
workload: { group: clients, keys: 1..1000, value: 10..30, connections: 20 total }
stages:
  - load
  - warm-up: { for: 1s }
  - measure: { operations: 1003 total, depth: 16, mix: { get: 2, put: 1 }, connections: "\${c}" }
`;

test('a plan is described with every default, share, cell and estimate', () => {
  assert.equal(
    describePlan(planOf(COMPARISON, { env: { PW: 'hunter2' } })),
    `compare: a valid scenario; nothing was sent

seed           1
groups         servers 1 (worker 0), clients 10 (workers 1..10)
order          interleaved
worker loss    continue, and mark the run DEGRADED
budgets        errors 0.1%, misses 10%, start skew 100ms
objectives     get.p99 < 5ms, total.throughput > 10000/s
interval       1s
liveness       heartbeat 1s, lost after 10s, lease 10s, join 1m, start lead 500ms

configurations
  wire         driver resp, target u:***@10.0.0.5:6379, database 2, noDelay = true, protocol = 2
  client       driver ioredis, target builtin (Pacecar's own), label = x

stages at c = 20 total
  1 load
    workers      10 of group clients
    mix          put 100%
    keys         1,000, key:0001 to key:1000, partitioned
    values       10 to 30 B, each size equally likely, mean 20 B
    threads      1 per worker, 10 total
    connections  20 total: 10 workers x 2
    depth        1, so 20 in flight
    model        closed: a new operation starts when one ends
    ends         after every key once: 1,000 operations total: 10 workers x 100
    timeouts     operation 5s, connect 5s, arm 30s, drain 5s, given up after 1h
  2 warm-up, enters no result
    workers      10 of group clients
    mix          get 66.67%, put 33.33%
    keys         1,000, key:0001 to key:1000, uniform
    values       10 to 30 B, each size equally likely, mean 20 B
    threads      1 per worker, 10 total
    connections  20 total: 10 workers x 2
    depth        16, so 320 in flight
    model        closed: a new operation starts when one ends
    ends         after 1s
    timeouts     operation 5s, connect 5s, arm 30s, drain 5s
  3 measure
    workers      10 of group clients
    mix          get 66.67%, put 33.33%
    keys         1,000, key:0001 to key:1000, uniform
    values       10 to 30 B, each size equally likely, mean 20 B
    threads      1 per worker, 10 total
    connections  20 total: 10 workers x 2
    depth        16, so 320 in flight
    model        closed: a new operation starts when one ends
    ends         after 1,003 operations total: 3 workers x 101 + 7 x 100
    timeouts     operation 5s, connect 5s, arm 30s, drain 5s, given up after 1h

what differs at other sweep points
  at c = 25 total
    2 warm-up, enters no result
      connections  25 total: 5 workers x 3 + 5 x 2
      depth        16, so 400 in flight
    3 measure
      connections  25 total: 5 workers x 3 + 5 x 2
      depth        16, so 400 in flight

cells: 8, in the order of the run
  1 wire, repetition 1, c = 20 total
  2 client, repetition 1, c = 20 total
  3 wire, repetition 1, c = 25 total
  4 client, repetition 1, c = 25 total
  5 wire, repetition 2, c = 20 total
  6 client, repetition 2, c = 20 total
  7 wire, repetition 2, c = 25 total
  8 client, repetition 2, c = 25 total

duration       about 23s (stages without a time taken at 1 ms per operation, at most 100,000/s per
               thread)
data set       1,000 keys x (20 B value + 8 B key) = 28 kB
memory         target about 128 kB (with 100 B of its own per key); a worker's data in flight at
               most 1.82 kB
`,
  );
});

test('no line is wider than 100 columns, whatever the names are', () => {
  const long = 'n'.repeat(100);
  const blanks = 'word '.repeat(20).trim();
  const plan = planOf(`pacecar: 1
name: ${blanks}
groups: { ${long}: 3, "${blanks}": 2 }
configurations: { ${long}: { target: { host: ${'h'.repeat(253)} } } }
sweep: { ${'s'.repeat(80)}: [${'1'.repeat(15)}] }
stages:
  - measure: { group: ${long}, name: ${long}, keys: { range: "\${${'s'.repeat(80)}}", prefix: ${'p'.repeat(500)} } }
`);
  for (const line of describePlan(plan).split('\n'))
    assert.ok(line.length <= WIDTH, `${line.length}: ${line}`);
});

test('control characters of a prefix or setting are shown as escapes', () => {
  const plan = planOf(withStages('- measure: { keys: { prefix: "\\e[31m" } }'));
  const text = describePlan(plan);
  assert.ok(text.includes('\\x1b[31m'));
  assert.ok(!text.includes('\u001b'));
});

test('thousands of cells are counted, not listed', () => {
  const text = describePlan(planOf(withStages('- measure', 'repeat: 5000')));
  assert.match(text, /cells: 5,000, in the order of the run/);
  assert.match(text, /\.\.\. and 4,960 cells more/);
  assert.ok(text.split('\n').length < 100);
});

const ESTIMATES: readonly (readonly [stages: string, before: string, ms: number, why: string])[] = [
  ['- measure: { for: 10s }', '', 10_600, 'its time, the start lead and the barrier'],
  ['- measure: { for: 10s }', 'repeat: 3', 31_800, 'each cell'],
  ['- measure: { for: 10s }', 'liveness: { startLead: 2s }', 12_100, 'another lead'],
  [
    '- measure: { operations: 30k total, connections: 10 per worker }',
    '',
    1_600,
    '30 in flight, 1 ms each: 30,000/s',
  ],
  ['- load: { keys: 3M, depth: 1000 }', '', 10_600, 'three threads are taken to do 300,000/s'],
  ['- load: { keys: 9G, limit: 20s }', '', 20_600, 'no longer than its limit'],
];
for (const [stages, before, ms, why] of ESTIMATES)
  test(`${stages} ${before} takes about ${ms} ms: ${why}`, () =>
    assert.equal(Math.round(estimateMs(planOf(withStages(stages, before)))), ms));
