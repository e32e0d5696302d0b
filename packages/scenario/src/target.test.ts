import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targetSecrets, withoutSecrets } from '@pacecar/protocol';
import { describePlan } from './describe.js';
import { planOf, problemsOf, read } from './sample.test.data.js';

const withTarget = (target: string, properties = '{}', driver = '') => `pacecar: 1
properties: ${properties}
configurations:
  it: { target: ${target}${driver === '' ? '' : `, driver: ${driver}`} }
stages: [measure]
`;
const ENV = { env: { PW: 'p@ss/w:rd', ENCODED: 'p%40ss' } };

const ACCEPTED: readonly (readonly [target: string, shown: string, why: string])[] = [
  ['redis://h', 'h 6379 null null 0', 'a host; the port is 6379'],
  ['redis://h:1', 'h 1 null null 0', 'a port'],
  ['redis://h:1/5', 'h 1 null null 5', 'a database'],
  ['redis://h/', 'h 6379 null null 0', 'a slash with nothing behind'],
  ['"redis://[::1]:7000"', '::1 7000 null null 0', 'IPv6 in brackets'],
  ['redis://u:${env.ENCODED}@h', 'h 6379 u p@ss 0', 'user and password, decoded'],
  ['redis://:${env.ENCODED}@h', 'h 6379 null p@ss 0', 'a password only'],
  ['redis://u@h', 'h 6379 u null 0', 'a user only'],
  ['redis://:${env.NONE:}@h', 'h 6379 null null 0', 'a password that the environment leaves out'],
  ['{ host: h }', 'h 6379 null null 0', 'a mapping'],
  [
    '{ host: h, port: 1, username: u, password: "${env.PW}", database: 2 }',
    'h 1 u p@ss/w:rd 2',
    'a whole mapping',
  ],
  ['{ host: h, password: "${env.NONE:}" }', 'h 6379 null null 0', 'an empty password is none'],
];
for (const [target, shown, why] of ACCEPTED)
  test(`${target}: ${why}`, () => {
    const { kind, host, port, username, password, database } =
      planOf(withTarget(target), ENV).configurations[0]?.target ?? {};
    assert.equal(`${kind} ${host} ${port} ${username} ${password} ${database}`, `address ${shown}`);
  });

const none = { ca: null, cert: null, key: null, serverName: null, verify: true };
const PLACES: readonly (readonly [target: string, expected: object, why: string])[] = [
  ['rediss://h', { host: 'h', port: 6379, tls: none }, 'TLS by the scheme'],
  ['{ host: h, tls: true }', { host: 'h', port: 6379, tls: none }, 'TLS in a mapping'],
  ['{ host: h, tls: false }', { host: 'h', port: 6379 }, 'no TLS in a mapping'],
  [
    '{ host: h, tls: { ca: /ca, cert: /c, key: /k, serverName: n, verify: false } }',
    { tls: { ca: '/ca', cert: '/c', key: '/k', serverName: 'n', verify: false } },
    'TLS with all its parts',
  ],
  ['redis+unix:///run/r.sock', { socket: '/run/r.sock', database: 0 }, 'a unix socket'],
  ['unix:///run/r.sock', { socket: '/run/r.sock' }, 'its short form'],
  ['{ socket: /s, database: 3 }', { socket: '/s', database: 3 }, 'a socket in a mapping'],
];
for (const [target, expected, why] of PLACES)
  test(`${target}: ${why}`, () => {
    const read = planOf(withTarget(target)).configurations[0]?.target;
    assert.deepEqual({ ...read, ...expected }, read);
    if (!('tls' in expected)) assert.equal(read?.tls, undefined);
  });

test('a key that is written out earns a warning and stands neither in the text nor in the description', () => {
  const pem = '-----BEGIN PRIVATE KEY----- hunter2 -----END PRIVATE KEY-----';
  const result = read(withTarget(`{ host: h, tls: { cert: /c, key: "${pem}" } }`));
  assert.ok(result.ok);
  assert.match(result.warnings[0] ?? '', /target\.tls\.key: a private key stands in the file/);
  assert.doesNotMatch(result.publicText, /hunter2/);
  const shown = withoutSecrets(result.plan).configurations[0]?.target;
  assert.deepEqual(shown?.tls, { ...none, cert: '/c', key: '***' });
  assert.deepEqual(
    result.plan.configurations.flatMap(({ target }) => targetSecrets(target)),
    [pem],
  );
});

test('a memcached has no TLS, no socket and one address', () => {
  const problems = (target: string) => problemsOf(withTarget(target, '{}', 'memcached'));
  assert.match(problems('{ host: h, tls: true }'), /tls: the driver for memcached has no TLS/);
  assert.match(problems('{ socket: /s }'), /socket: the driver for memcached has no unix sockets/);
  assert.match(problems('"memcached://h,i"'), /the driver for memcached has one address/);
});

const MEMCACHED: readonly (readonly [target: string, driver: string, shown: string, why: string])[] = [
  ['memcached://h', '', 'memcached h 11211', 'the scheme brings the driver and its port'],
  ['memcached://h:1/', 'memcached', 'memcached h 1', 'a port'],
  ['"memcached://[::1]"', '', 'memcached ::1 11211', 'IPv6 in brackets'],
  ['{ host: h }', 'memcached', 'memcached h 11211', 'a mapping: the driver brings the port'],
  [
    '{ host: h, port: 2, password: "${env.NONE:}" }',
    'memcached',
    'memcached h 2',
    'an empty password is none',
  ],
  ['{ host: h }', '', 'resp h 6379', 'a mapping without a driver'],
];
for (const [target, driver, shown, why] of MEMCACHED)
  test(`${target} with driver "${driver}": ${why}`, () => {
    const [configuration] = planOf(withTarget(target, '{}', driver)).configurations;
    const { host, port, database } = configuration?.target ?? {};
    assert.deepEqual([`${configuration?.driver} ${host} ${port}`, database], [shown, 0]);
  });

const MISFITS: readonly (readonly [target: string, driver: string, problem: RegExp])[] = [
  [
    'builtin',
    'memcached',
    /the built-in target speaks the protocol of Redis.*allowed: memcached:\/\/host:port/,
  ],
  ['redis://h', 'memcached', /this is a redis:\/\/ target, and the driver here speaks that of memcached/],
  ['memcached://h', 'resp', /this is a memcached:\/\/ target, and the driver here speaks that of redis/],
  ['memcached://u:hunter2@h', '', /cannot log in: a target of it has no user and no password/],
  ['memcached://h/3', '', /a memcached has no databases/],
  ['"memcached://::1"', '', /in brackets: memcached:\/\/\[::1\]:11211/],
  ['{ host: h, username: u }', 'memcached', /username: the driver for memcached cannot log in/],
  ['{ host: h, password: hunter2 }', 'memcached', /password: the driver for memcached cannot log in/],
  ['{ host: h, database: 0 }', 'memcached', /database: a memcached has no databases/],
  ['mongodb://u:hunter2@h/a.b', '', /only \/database may stand: "a\.b" is no name of a database/],
  ['mongodb://h/a?w=0', '', /"a\?w=0" is no name of a database.*settings go under `settings`/],
  ['{ host: h, database: "a b" }', 'mongodb', /database: "a b" is no name of a database/],
  ['{ host: h, database: x }', 'resp', /database: "x" is no number of a database; allowed: 0 to 1000000/],
  ['h:27017', '', /did you mean mongodb:\/\/h:27017\?/],
  ['h:11211', '', /did you mean memcached:\/\/h:11211\?/],
  ['h:1', 'memcached', /did you mean memcached:\/\/h:1\?; allowed: memcached:\/\/host:port/],
];
for (const [target, driver, problem] of MISFITS)
  test(`${target} with driver "${driver}" is refused`, () => {
    const problems = problemsOf(withTarget(target, '{}', driver));
    assert.match(problems, problem);
    assert.doesNotMatch(problems, /hunter2/);
  });

const MONGODB: readonly (readonly [target: string, driver: string, shown: string, why: string])[] = [
  ['mongodb://h', '', 'mongodb h 27017 null 0 undefined', 'the scheme brings the driver and its port'],
  ['mongodb://u:p%40ss@h:1/records', '', 'mongodb h 1 u 0 records', 'a user and a database with a name'],
  ['mongodb://h/7', '', 'mongodb h 27017 null 0 7', 'a name of digits'],
  ['{ host: h, database: ycsb }', 'mongodb', 'mongodb h 27017 null 0 ycsb', 'a mapping'],
];
for (const [target, driver, shown, why] of MONGODB)
  test(`${target} with driver "${driver}": ${why}`, () => {
    const [configuration] = planOf(withTarget(target, '{}', driver)).configurations;
    const { host, port, username, database, databaseName } = configuration?.target ?? {};
    assert.equal(
      [configuration?.driver, host, port, username, database, databaseName].map(String).join(' '),
      shown,
    );
  });

test('a driver knows its settings when it looks at a workload', () => {
  const text = (w: number) => `pacecar: 1
configurations: { it: { target: "mongodb://h", settings: { w: ${w} } } }
stages: [measure: { mix: { delete: 1 } }]
`;
  assert.equal(problemsOf(text(1)), '');
  assert.match(problemsOf(text(0)), /does not suit the driver mongodb of configuration it: nobody knows/);
});

test('what a target cannot take of a workload is refused, with the stage and the driver', () => {
  const keys = `workload: { keys: { range: 0..9, prefix: ${'p'.repeat(201)} } }\n`;
  const text = withTarget('memcached://h');
  assert.equal(problemsOf(text), '');
  assert.match(
    problemsOf(text + keys),
    /the stage "measure" \(stages\[0\]\) does not suit the driver memcached of configuration it: the prefix has 201 bytes/,
  );
});

const REFUSED: readonly (readonly [target: string, problem: RegExp, why: string])[] = [
  ['localhost:6379', /not a target; did you mean redis:\/\/localhost:6379\?/, 'the scheme is missing'],
  ['builtn', /not a target; .*allowed: `builtin`/, 'a typo'],
  ['redis+unix://run/redis.sock', /a unix socket has an absolute path/, 'a path that is none'],
  ['"redis+unix:///s?db=1"', /after the path of a socket nothing stands/, 'a query'],
  ['"redis://h:1,h:0"', /the port is not a number from 1 to 65535/, 'the second port'],
  ['{ addresses: [] }', /has no address/, 'an empty list'],
  ['{ addresses: ["h:x"] }', /addresses\[0\].*the port is not a number/, 'a port of a list'],
  ['{ host: h, socket: /s }', /host and socket exclude each other/, 'two places'],
  ['{ socket: /s, port: 1 }', /a port goes with host/, 'a port of a socket'],
  ['{ socket: s }', /the path of a socket begins with \//, 'a relative path'],
  ['{ host: h, tls: perhaps }', /tls: is neither true nor false/, 'half a yes'],
  ['{ host: h, tls: { cert: /c } }', /cert and key go together; key is missing/, 'half an identity'],
  ['{ host: h, tls: { ca: [a] } }', /expected a text, found a list/, 'a list for a file'],
  ['{ host: h, tls: { verfy: false } }', /unknown key "verfy"; did you mean verify\?/, 'a typo in tls'],
  ['http://u:hunter2@h', /the scheme http:\/\/ is unknown/, 'another protocol'],
  ['redis://u:hunter2@h:0', /the port is not a number from 1 to 65535/, 'port zero'],
  ['redis://u:hunter2@h:99999', /the port is not a number/, 'a port beyond'],
  ['redis://h/x', /only \/database may stand/, 'a name for a database'],
  ['redis://h/1?a=b', /only \/database may stand/, 'a query'],
  ['redis://', /the host is missing/, 'no host'],
  ['redis://u:hun/ter2@h', /with \/ \? or # in it stands in a mapping/, 'a slash in a password'],
  ['redis://u:hunter2%@h', /write a plain % as %25/, 'a percent sign'],
  ['"redis://::1"', /IPv6 address stands in brackets/, 'IPv6 without brackets'],
  ['{ port: 1 }', /the key "host" is missing/, 'no host'],
  ['{ host: h, pasword: hunter2 }', /unknown key "pasword"; did you mean password\?/, 'a typo'],
  ['{ host: "a b", password: hunter2 }', /characters that no host name has/, 'a blank in a host'],
  ['{ host: h, password: [hunter2] }', /expected a text, found a list/, 'a list'],
  ['[redis://u:hunter2@h]', /found a list/, 'a list of targets'],
];
for (const [target, problem, why] of REFUSED)
  test(`${target} is refused: ${why}; no message repeats a password`, () => {
    const problems = problemsOf(withTarget(target));
    assert.match(problems, problem);
    assert.doesNotMatch(problems, /hun\/?ter2/);
  });

test('a URL where a configuration belongs is shown without its password', () => {
  const text = 'pacecar: 1\nconfigurations: { it: "redis://u:hunter2@h" }\nstages: [measure]\n';
  assert.match(problemsOf(text), /found the text "redis:\/\/u:\*\*\*@h"/);
});

const LITERAL: readonly (readonly [target: string, properties: string, kept: string, why: string])[] = [
  ['redis://u:hunter2@h:1', '{}', 'redis://u:***@h:1', 'in a URL'],
  ['{ host: h, password: hunter2 }', '{}', 'password: ***', 'in a mapping'],
  ['{ host: h, password: "hunter2" }', '{}', 'password: "***"', 'in quotes'],
  ['{ host: h, password: "hunter\\x32" }', '{}', 'password: "***"', 'behind an escape'],
  ['redis://u:${pw}@h', '{ pw: hunter2 }', '{ pw: *** }', 'in a property'],
  ['redis://u:${env.NONE:hunter2}@h', '{}', 'redis://u:${env.NONE:***}@h', 'as a default'],
];
for (const [target, properties, kept, why] of LITERAL)
  test(`a password ${why} earns a warning and is not kept`, () => {
    const result = read(withTarget(target, properties));
    assert.ok(result.ok);
    assert.equal(result.plan.configurations[0]?.target.password, 'hunter2');
    assert.equal(result.warnings.length, 1);
    assert.match(
      result.warnings[0] ?? '',
      /^configurations\.it\.target.*: a password stands in the file; use \$\{env\.NAME\}/,
    );
    assert.ok(result.publicText.includes(kept), result.publicText);
    assert.doesNotMatch(result.publicText, /hunter/);
    assert.doesNotMatch(describePlan(result.plan), /hunter2/);
  });

test('a password from the environment earns no warning, and the text is kept as it is', () => {
  const text = withTarget('redis://u:${env.ENCODED}@h');
  const result = read(text, ENV);
  assert.ok(result.ok);
  assert.deepEqual([result.warnings, result.publicText, result.secretSets], [[], text, []]);
  assert.match(describePlan(result.plan), /target u:\*\*\*@h:6379/);
});

test('a password by --set is named, so that a command line that is kept can hide it', () => {
  const result = read(withTarget('redis://u:${pw}@h', '{ pw: "" }'), { set: { pw: 'hunter2' } });
  assert.ok(result.ok);
  assert.deepEqual(result.secretSets, ['pw']);
  assert.match(result.warnings[0] ?? '', /comes from --set pw, which other users of this machine can see/);
});

test('a whole target by --set is a secret if a password stands in it, and none otherwise', () => {
  const secretsOf = (target: string) => {
    const result = read(withTarget('"${t}"', '{ t: builtin }'), { set: { t: target } });
    assert.ok(result.ok);
    return result.secretSets;
  };
  assert.deepEqual(secretsOf('redis://u:hunter2@h'), ['t']);
  assert.deepEqual(secretsOf('redis://u@h'), []);
});
