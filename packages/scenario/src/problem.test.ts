import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planOf, problemsOf, read, withStages } from './sample.test.data.js';

/** Problems of one stage in an otherwise good scenario: where, and what is said. */
const STAGES: readonly (readonly [stages: string, problem: RegExp, why: string])[] = [
  [
    '- lod',
    /:6:5: stages\[0\]: "lod" is no stage; did you mean load\?; allowed: load, warm-up, measure, verify/,
    'a typo',
  ],
  [
    '- mesure: { for: 1s }',
    /stages\[0\]\.mesure: unknown key "mesure"; did you mean measure\?/,
    'a typo in a mapping',
  ],
  ['- {}', /stages\[0\]: does not say what kind of stage/, 'no kind'],
  ['-', /stages\[0\]: an empty stage/, 'nothing'],
  ['- [load]', /stages\[0\]: expected a stage, found a list/, 'a list'],
  [
    '- load: 5',
    /stages\[0\]\.load: expected a mapping of what the stage does, found the text "5"/,
    'no mapping',
  ],
  ['- load: {}\n  verify: {}', /two stages in one entry, load and verify/, 'two kinds'],
  [
    '- measure:\n  for: 1s',
    /stages\[0\]\.for: unknown key "for"; indent it below "measure"/,
    'wrong indentation',
  ],
  [
    '- load: { for: 1s }',
    /stages\[0\]\.load\.for: unknown key "for"; a load stage has none/,
    'a load has one end',
  ],
  ['- verify: { mix: { get: 1 } }', /a verify stage has none: it gets every key once/, 'a verify has no mix'],
  ['- measure: { for: 1s, operations: 5 total }', /one end, and here are 2: for, operations/, 'two ends'],
  ['- measure: { for: 1s, allKeys: true, operations: 5 total }', /one end, and here are 3/, 'three ends'],
  [
    '- measure: { for: 1s, limit: 1m }',
    /measure\.limit: belongs to stages that end by operations or keys/,
    'no use',
  ],
  ['- measure: { for: 0s }', /measure\.for: "0s" is out of range; allowed: 1ms to/, 'zero'],
  ['- measure: { for: 10 }', /measure\.for: "10" has no unit: write 10s/, 'no unit'],
  ['- measure: { operations: 0 total }', /out of range; allowed: 1 to/, 'zero operations'],
  ['- measure: { depth: 0 }', /depth: "0" is out of range; allowed: 1 to 100000/, 'zero depth'],
  ['- measure: { depth: -1 }', /depth: "-1" is negative/, 'negative depth'],
  ['- measure: { connections: 10 }', /connections: "10" does not say of what/, 'of what'],
  [
    '- measure: { value: 200..10 }',
    /value: "200\.\.10" is reversed; write the smaller end first: 10\.\.200/,
    'reversed',
  ],
  ['- measure: { keys: 0 }', /keys: "0" is out of range/, 'no keys'],
  ['- measure: { keys: { range: 10..1 } }', /keys\.range: "10\.\.1" is reversed/, 'reversed keys'],
  ['- measure: { keys: 9007199254740993 }', /keys: "9007199254740993" is out of range/, 'not rounded'],
  [
    '- measure: { keys: { range: 1000, width: 2 } }',
    /keys\.width: the largest key 999 has 3 digits/,
    'too narrow',
  ],
  ['- measure: { keys: { distribution: zipf } }', /"zipf" is not known here; allowed: uniform/, 'unknown'],
  [
    '- load: { keys: { distribution: uniform } }',
    /every key once can only be done partitioned/,
    'impossible',
  ],
  [
    '- measure: { mix: { get: 80%, put: 30% } }',
    /mix: the percentages add up to 110%; they must add up to 100%/,
    '110 %',
  ],
  ['- measure: { mix: { get: 80%, put: 20 } }', /mixes weights and percentages/, 'both kinds'],
  ['- measure: { mix: { get: 0, put: 1 } }', /mix\.get: "0" is zero; leave the operation out/, 'zero weight'],
  ['- measure: { mix: {} }', /mix: names no operation; allowed: get, put, add/, 'no operation'],
  ['- measure: { mix: { gte: 1 } }', /mix\.gte: unknown key "gte"; did you mean get\?/, 'unknown operation'],
  ['- measure: { mix: { put: 1 }, checkValues: true }', /the mix has no get/, 'nothing to check'],
  ['- measure: { checkValues: yes }', /"yes" is neither true nor false/, 'YAML 1.1'],
  [
    '- measure: { group: client }',
    /there is no group "client"; did you mean clients\?; groups: clients/,
    'a typo',
  ],
  [
    '- measure: { threads: 2 total }',
    /2 total over the 3 workers of group clients leaves some with none/,
    'too few',
  ],
  [
    '- measure: { operations: 3002399751580331 per worker }',
    /measure\.operations: 3002399751580331 per worker on the 3 workers .* more than 2\^53-1 in total; allowed: at most 3002399751580330 per worker/,
    'a total that is no exact number',
  ],
  [
    '- measure: { threads: 257 per worker, connections: 300 per worker }',
    /at most 256 per worker/,
    'too many threads',
  ],
  [
    '- measure: { threads: 5 per worker, connections: 4 per worker }',
    /a thread needs one at least/,
    'idle threads',
  ],
  ['- measure: { connectTimeout: 1m }', /longer than armTimeout/, 'a timeout that cannot pass'],
  [
    '- load: { name: x }\n- measure: { name: x }',
    /measure\.name: the name "x" is taken by stages\[0\]\.load/,
    'a name twice',
  ],
  ['- measure: { value: 100\u20131000 }', /en dash \(U\+2013\), as text copied from a web page/, 'pasted'],
  [
    '- measure: { for: }',
    /measure\.for: has no value; expected a duration such as 10s/,
    'a key without a value',
  ],
  ['- measure: { for: [1s] }', /measure\.for: expected a duration such as 10s, found a list/, 'a list'],
];
for (const [stages, problem, why] of STAGES)
  test(`${stages.replaceAll('\n', ' / ')} is refused: ${why}`, () => {
    const problems = problemsOf(withStages(stages));
    assert.match(problems, problem);
    assert.equal(problems.split('\n').length, 1, `one slip, one problem:\n${problems}`);
  });

const WHOLE: readonly (readonly [lines: string, problem: RegExp, why: string])[] = [
  ['pacecar: 2', /pacecar: "2" is no version of the scenario format; allowed: 1/, 'another version'],
  ['seed: 9007199254740992', /seed: "9007199254740992" is out of range/, 'beyond 2^53-1'],
  ['repeat: 10001', /repeat: "10001" is out of range/, 'too many cells'],
  ['order: interleave', /order: "interleave" is not known here; did you mean interleaved\?/, 'a typo'],
  ['errorBudget: 5', /errorBudget: "5" is more than the whole; did you mean 5%\?/, 'percent forgotten'],
  ['interval: 10ms', /interval: "10ms" is out of range; allowed: 100ms to 1h/, 'too short'],
  ['liveness: { lease: 1s }', /liveness\.lease: must be at least two heartbeats/, 'one late heartbeat'],
  ['objectives: get.p99 < 5ms', /objectives: expected a list of objectives/, 'no list'],
  [
    'objectives: [delete.p99 < 5ms]',
    /objectives\[0\]: no measure stage has the operation "delete" in its mix; allowed: get, put, total/,
    'never judged',
  ],
  ['objectives: [gett.p99 < 5ms]', /has the operation "gett" in its mix; did you mean get\?/, 'a typo'],
  [
    'objectives: [put.misses < 1%]',
    /in "put\.misses < 1%", put looks nothing up, so it cannot miss/,
    'a put has nothing to miss',
  ],
  ['groups: { a: 1, b: 2 }', /stages\[0\]: does not say which group runs it; .*: a, b/, 'which group'],
  ['groups: { a: 5001 }', /groups\.a: "5001" is out of range; allowed: 1 to 5000/, 'too many workers'],
  ['groups: { a: 0 }', /groups\.a: "0" is out of range/, 'an empty group'],
  [
    'sweep: { d: [1, 2] }',
    /sweep\.d: nothing uses \$\{d\}, so every cell would be the same/,
    'a sweep of nothing',
  ],
  ['sweep: { d: [] }', /sweep\.d: has no value/, 'an empty sweep'],
  ['sweep: { d: 1..5 }', /sweep\.d: expected a list of values such as \[1, 10, 50\]/, 'no list'],
  [
    'name: "${d}"\nsweep: { d: [1] }',
    /name: \$\{d\} is swept, and only `workload` and `stages` may differ/,
    'swept name',
  ],
];
for (const [lines, problem, why] of WHOLE)
  test(`${lines.replaceAll('\n', ' / ')} is refused: ${why}`, () => {
    const version = lines.startsWith('pacecar') ? '' : 'pacecar: 1\n';
    const problems = problemsOf(
      `${version}configurations: { it: { target: builtin } }\nstages: [measure]\n${lines}\n`,
    );
    assert.match(problems, problem);
  });

test('too many cells are counted before they are made', () => {
  const list = Array.from({ length: 200 }, (_, i) => i + 1).join(', ');
  const sweep = `sweep: { a: [${list}], b: [${list}] }`;
  assert.match(
    problemsOf(withStages('- measure: { depth: "${a}", keys: "${b}" }', sweep)),
    /1 configurations x 40000 sweep points x 1 repetitions are 40000 cells; allowed: at most 10000/,
  );
});

test('a problem that only some points of a sweep have says which', () => {
  const text = withStages(
    '- measure: { threads: 2 per worker, connections: "${c} per worker" }',
    'sweep: { c: [1, 2] }',
  );
  assert.match(problemsOf(text), /^[^\n]*a thread needs one at least[^\n]* \(at c = 1\)$/);
});

test('a problem that all points have is said once, without a point', () => {
  const text = withStages('- measure: { threads: 2 total, depth: "${d}" }', 'sweep: { d: [1, 2] }');
  assert.match(problemsOf(text), /^[^\n]*leaves some with none[^\n]*3 total$/);
});

test('drivers: unknown ones, unknown settings and lacking operations are UNSUPPORTED, by name', () => {
  const text = (configuration: string) =>
    `pacecar: 1\nconfigurations: { it: { target: builtin, ${configuration} } }\nstages: [measure: { mix: { get: 1, delete: 1 } }]\n`;
  const only = (configuration: string) => {
    const result = read(text(configuration));
    assert.ok(!result.ok);
    assert.equal(result.problems.length, 1);
    return result.problems[0];
  };
  assert.deepEqual(only('driver: ioredsi'), {
    file: 'test.yaml',
    line: 2,
    column: 50,
    path: 'configurations.it.driver',
    message:
      'there is no driver "ioredsi"; did you mean ioredis?; drivers: resp, ioredis, memcached, mongodb',
    code: 'UNSUPPORTED',
  });
  assert.deepEqual(only('settings: { nodelay: true }'), {
    file: 'test.yaml',
    line: 2,
    column: 54,
    path: 'configurations.it.settings.nodelay',
    message:
      'the driver resp has no setting "nodelay"; did you mean noDelay?; settings: noDelay, protocol, mode',
    code: 'UNSUPPORTED',
  });
  assert.deepEqual(only('driver: ioredis'), {
    file: 'test.yaml',
    line: 3,
    column: 26,
    path: 'stages[0].measure.mix',
    message:
      'the stage "measure" (stages[0].measure) needs the operation delete, which the driver ioredis of configuration ' +
      'it lacks; it has get, put',
    code: 'UNSUPPORTED',
  });
});

test('flags: a group that is not there, and --workers for several groups', () => {
  const two =
    'pacecar: 1\ngroups: { a: 1, b: 1 }\nconfigurations: { it: { target: builtin } }\nstages: [measure: { group: a }]\n';
  assert.equal(
    problemsOf(two, { workers: 3 }),
    '--workers: the scenario has the groups a, b; say which: --group a=3',
  );
  assert.equal(
    problemsOf(withStages('- measure'), { groupSizes: { client: 3 } }),
    '--group: there is no group "client"; did you mean clients?; groups: clients',
  );
  assert.match(
    problemsOf(withStages('- measure'), { workers: 0 }),
    /^--workers: group "clients" cannot have 0 workers/,
  );
});

test('every problem of a file is said at once, in order of position', () => {
  const text = `pacecar: 1
nmae: typo
seed: 9007199254740993
groups: { clients: 3, servers: 0 }
configurations:
  a: { target: "127.0.0.1:6379", driver: ioreds }
  b: { target: { port: 99999 } }
properties: { keys: 100x }
workload:
  keys: \${keys}
  value: 200..10
  group: clients
stages:
  - lod
  - measure: { for: 10s, operations: 5 total, mix: { get: 80%, put: 30% } }
  - measure: { group: cleints, connections: 10 }
objectives: [get.p98 < 5ms]
liveness: { lase: 5s }
`;
  assert.equal(
    problemsOf(text, { set: { kesy: '1' } }),
    `--set: the scenario has no property "kesy"; did you mean keys?; properties: keys
test.yaml:2:1: nmae: unknown key "nmae"; did you mean name?; allowed: pacecar, name, seed, properties, groups, services, configurations, workload, stages, repeat, sweep, order, onWorkerLoss, errorBudget, missBudget, startSkewLimit, objectives, interval, liveness
test.yaml:3:7: seed: "9007199254740993" is out of range; allowed: 0 to 9007199254740991; 9007199254740991 (2^53-1) is the largest number that is counted exactly
test.yaml:4:32: groups.servers: "0" is out of range; allowed: 1 to 5000
test.yaml:6:16: configurations.a.target: not a target; did you mean redis://127.0.0.1:6379?; allowed: \`builtin\`, redis://user:password@host:port/database, rediss:// for TLS, redis+unix:///path, memcached://host:port, hazelcast://host:port, mongodb://user:password@host:port/database, or a mapping { host, port, username, password, database, addresses, socket, tls }
test.yaml:6:42: configurations.a.driver: there is no driver "ioreds"; did you mean ioredis?; drivers: resp, ioredis, memcached, mongodb
test.yaml:7:16: configurations.b.target: the key "host" is missing; write for example \`host: 10.0.0.5\`, or addresses or socket
test.yaml:7:24: configurations.b.target.port: "99999" is out of range; allowed: 1 to 65535
test.yaml:10:9: workload.keys: "100x" is not a count; allowed: 4000000, 4_000_000, 4M, 100k or 2G (k = 1000, M = 1000k, G = 1000M) (written \${keys})
test.yaml:11:10: workload.value: "200..10" is reversed; write the smaller end first: 10..200
test.yaml:14:5: stages[0]: "lod" is no stage; did you mean load?; allowed: load, warm-up, measure, verify, service-start, service-stop, service-restart, service-wait, clear, snapshot, fault, wait, alone or with a mapping, as in \`- measure: { for: 10s }\`
test.yaml:15:38: stages[1].measure.operations: a stage has one end, and here are 2: for, operations; keep one of them
test.yaml:15:52: stages[1].measure.mix: the percentages add up to 110%; they must add up to 100%
test.yaml:16:23: stages[2].measure.group: there is no group "cleints"; did you mean clients?; groups: clients, servers
test.yaml:16:45: stages[2].measure.connections: "10" does not say of what: write "10 per worker" (each worker has 10) or "10 total" (all workers of the stage together)
test.yaml:17:14: objectives[0]: in "get.p98 < 5ms", the metric "p98" is unknown; did you mean p90?; allowed: mean, p50, p90, p99, p99.9, p99.99, max, throughput, errors, misses
test.yaml:18:13: liveness.lase: unknown key "lase"; did you mean lease?; allowed: heartbeat, lostAfter, lease, join, startLead`,
  );
});

test('any text gives a plan or problems with a place, and never throws', () => {
  const piece = fc.constantFrom(
    'pacecar: 1\n',
    'stages:\n',
    '  - load\n',
    '  - measure: { for: 1s',
    ' }\n',
    'keys: ',
    '${a}',
    '${',
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    ': ',
    '- ',
    '\n',
    '  ',
    '&a ',
    '*a ',
    '!!int ',
    '# ',
    '| \n',
    'configurations: { it: { target: builtin } }\n',
    'sweep: { a: [1, 2] }\n',
    'properties: { a: 5 }\n',
    '100k',
    '\u00a0',
    '\t',
    '? ',
    '%YAML 1.2\n',
    '---\n',
    '<<: ',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const text = pieces.join('');
      const lines = text.split('\n').length;
      const result = read(text);
      if (result.ok) return;
      assert.ok(result.problems.length > 0);
      for (const { line, column, message } of result.problems)
        assert.ok(
          line >= 1 && line <= lines && column >= 1 && message !== '',
          JSON.stringify(result.problems),
        );
    }),
    { numRuns: 500 },
  );
});

test('a scenario that is right has no problems', () => {
  assert.equal(planOf(withStages('- load\n- measure')).cells.length, 1);
});
