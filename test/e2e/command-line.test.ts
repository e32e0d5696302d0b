import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PACECAR_VERSION } from '@pacecar/protocol';
import { DRIVERS } from '@pacecar/worker';
import { pacecar } from './pacecar-process.js';
import { scenario, Workspace } from './workspace.js';

const MAIN = fileURLToPath(new URL('../../../packages/cli/dist/main.js', import.meta.url));
const COMMANDS = [
  'demo',
  'run',
  'validate',
  'report',
  'verify',
  'coordinator',
  'worker',
  'target',
  'drivers',
  'schema',
];

describe('the command line', () => {
  const workspace = new Workspace();
  const cwd = workspace.path;
  after(() => workspace.remove());

  test('help names every command, and each command has help with its options', async () => {
    const help = await pacecar(['--help'], { cwd });
    assert.equal(help.code, 0);
    for (const command of COMMANDS) {
      assert.match(help.stdout, new RegExp(`^ {2}${command}\\b`, 'm'));
      const own = await pacecar([command, '--help'], { cwd });
      assert.equal(own.code, 0);
      assert.match(own.stdout, new RegExp(`^Usage: pacecar ${command}`));
      assert.equal(own.stderr, '');
    }
    assert.equal((await pacecar(['--version'], { cwd })).stdout, `${PACECAR_VERSION}\n`);
  });

  test('what is mistyped is refused with exit 2 and the nearest word, on stderr', async () => {
    const rows: [args: string[], message: RegExp][] = [
      [['dmeo'], /Did you mean demo\?/],
      [['demo', '--wokers', '3'], /Did you mean --workers\?/],
      [['demo', '--workers', 'three'], /--workers.*whole number/],
      [['demo', '--workers', '0'], /--workers.*from 1/],
      [['run'], /scenario/],
      [['run', 'a.yaml', 'b.yaml'], /too many arguments/],
      [['run', 'a.yaml', '--set', 'x'], /name=value/],
      [['worker'], /--join/],
      [['worker', '--join', 'http://h:1'], /ws:\/\//],
      [['target'], /--port/],
      [['report', '.', '--format', 'pdf'], /text, json, csv, html/],
      [['schema', 'plan'], /scenario, summary, messages/],
      [['demo', '--log-level', 'loud'], /trace, debug/],
      [[], /Usage: pacecar/],
    ];
    for (const [args, message] of rows) {
      const refused = await pacecar(args, { cwd });
      assert.equal(refused.code, 2, `${args.join(' ')}: ${refused.stderr}`);
      assert.match(refused.stderr, message);
      assert.equal(refused.stdout, '');
    }
  });

  test('schemas and drivers are printed as data', async () => {
    for (const of of ['scenario', 'summary', 'messages']) {
      const printed = await pacecar(['schema', of], { cwd });
      assert.equal(printed.code, 0, printed.stderr);
      const schema = JSON.parse(printed.stdout) as Record<string, unknown>;
      assert.match(String(schema['$schema']), /json-schema\.org/);
    }
    const drivers = JSON.parse((await pacecar(['drivers', '--json'], { cwd })).stdout) as {
      name: string;
      class: string;
    }[];
    assert.deepEqual(
      drivers.map(({ name, class: kind }) => `${name} ${kind}`),
      DRIVERS.map(({ name, class: kind }) => `${name} ${kind}`),
    );
    const text = (await pacecar(['drivers'], { cwd })).stdout;
    assert.match(text, /^resp, class wire\n(?: {2}.+\n)*? {2}get put add /m);
    for (const line of text.split('\n')) assert.ok(line.length <= 100, line);
  });

  test('the first operations of each connection are printed without a target, and always the same ones', async () => {
    workspace.write('dump.yaml', scenario({ target: 'redis://127.0.0.1:1', stages: '[load, measure]' }));
    const args = ['run', 'dump.yaml', '--dump-operations', '5'];
    const first = await pacecar(args, { cwd });
    assert.equal(first.code, 0, first.stderr);
    assert.equal((await pacecar(args, { cwd })).stdout, first.stdout);
    const operations = first.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<'stage' | 'worker' | 'connection', string | number>);
    // Two stages, three workers, four connections.
    assert.equal(operations.length, 2 * 3 * 4 * 5);
    assert.equal(new Set(operations.map((one) => `${one.stage} ${one.worker} ${one.connection}`)).size, 24);
  });

  test('a reader that goes away is no failure, and no noise', async () => {
    const child = spawn(process.execPath, [MAIN, 'schema', 'summary'], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    child.stdout.destroy();
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 0);
    assert.equal(stderr, '');
  });

  test('logs are JSON lines on stderr when it is no terminal, text when asked', async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const address = busy.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    workspace.write(
      'run.yaml',
      scenario({
        target: `redis://127.0.0.1:${port}`,
        workers: 1,
        stages: '[measure: { for: 1s, connectTimeout: 500ms }]',
      }),
    );
    try {
      const json = await pacecar(['run', 'run.yaml', '--log-level', 'info'], { cwd });
      assert.equal(json.code, 3, json.stderr);
      const records = json.stderr.split('\n').filter((line) => line.startsWith('{'));
      assert.ok(records.length > 0);
      for (const record of records) assert.ok('level' in (JSON.parse(record) as object));
      const text = await pacecar(['run', 'run.yaml', '--log-level', 'info', '--log-format', 'text'], { cwd });
      assert.match(text.stderr, /^\d\d:\d\d:\d\d info {2}coordinator: /m);
      assert.doesNotMatch(text.stderr, /^\{/m);
    } finally {
      busy.close();
    }
  });

  test('an address that is taken is refused with exit 2 and leaves nothing behind', async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const address = busy.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      const target = await pacecar(['target', '--port', String(port)], { cwd });
      assert.equal(target.code, 2, target.stderr);
      assert.match(target.stderr, new RegExp(String(port)));
      const place = new Workspace();
      place.write('run.yaml', scenario({ target: 'redis://127.0.0.1:1', stages: '[load]' }));
      const coordinator = await pacecar(['coordinator', 'run.yaml', '--listen', `127.0.0.1:${port}`], {
        cwd: place.path,
      });
      assert.equal(coordinator.code, 2, coordinator.stderr);
      assert.match(coordinator.stderr, new RegExp(String(port)));
      assert.deepEqual(place.bundles(), []);
      place.remove();
    } finally {
      busy.close();
    }
  });
});
