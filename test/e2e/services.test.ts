import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, beforeEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../services/condition.js';
import { needs } from '../services/installed.js';
import { freePort } from '../services/redis-server.js';
import { assertGone, lives, pacecar, PacecarProcess, workersOf } from './pacecar-process.js';
import { readSummary, Workspace } from './workspace.js';

const EXAMPLE = fileURLToPath(new URL('../../../scenarios/redis-persistence.yaml', import.meta.url));
const LIVENESS = 'liveness: { heartbeat: 200ms, lostAfter: 2s, lease: 2s, startLead: 100ms }';
const SECRET = 'a-password-of-a-service';

function scenario(stages: string, parameters = '{}', more = ''): string {
  return `pacecar: 1
name: services
groups: { servers: 1, clients: 1 }
services:
  cache: { recipe: redis-server, parameters: ${parameters}, password: "\${env.SERVICE_PASSWORD:}" }
configurations: { redis: { target: { service: cache } } }
workload: { group: clients, keys: 500, connections: 2 per worker }
stages: ${stages}
${LIVENESS}
${more}
`;
}

/** Empty for a process that is gone. */
function workDirectoryOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

const LONG = scenario('[load, measure: { for: 1m }]');

describe('services of a run', needs('redis-server'), () => {
  let workspace = new Workspace();
  const open: PacecarProcess[] = [];
  beforeEach(async () => {
    await Promise.all(open.splice(0).map((process) => process.close()));
    workspace.remove();
    workspace = new Workspace();
  });
  after(async () => {
    await Promise.all(open.map((process) => process.close()));
    workspace.remove();
  });

  function start(args: readonly string[]): PacecarProcess {
    const process = new PacecarProcess(args, { cwd: workspace.path, env: { TMPDIR: workspace.path } });
    open.push(process);
    return process;
  }

  /** The directories in which servers of this test work. */
  const rooms = (): string[] =>
    readdirSync(workspace.path).filter((name) => name.startsWith('pacecar-services-'));

  /** The pid of the server of this test, which is the one that works below its directory. */
  async function serverPid(): Promise<number> {
    let found = 0;
    await eventually('a redis-server works for this test', () => {
      for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
        if (workDirectoryOf(entry).startsWith(`${workspace.path}/pacecar-services-`)) found = Number(entry);
      return found !== 0;
    });
    return found;
  }

  test('start, load, fault and stop: files, marks and logs are there, the password is not', async () => {
    workspace.write(
      'run.yaml',
      scenario(
        '[load, measure: { name: busy, until: rest, mix: { get: 1, put: 1 } }, wait: 300ms, fault: { do: pause }, wait: 200ms, fault: { do: resume }, snapshot, wait: { name: rest, for: 300ms }]',
        '{ persistence: append-only, maxMemory: 50MB }',
      ),
    );
    const { code, stdout, stderr } = await pacecar(['run', 'run.yaml', '--json'], {
      cwd: workspace.path,
      env: { SERVICE_PASSWORD: SECRET, TMPDIR: workspace.path },
    });
    assert.equal(code, 0, stderr);
    const summary = readSummary(stdout);
    const [cell] = summary.cells;
    assert.deepEqual(
      cell?.acts.map(({ name, outcome }) => [name, outcome]),
      ['service-start', 'wait-1', 'fault-1', 'wait-2', 'fault-2', 'snapshot', 'rest', 'service-stop'].map(
        (name) => [name, 'complete'],
      ),
    );
    const stopped = cell.acts.at(-1)?.nodes[0];
    assert.equal(stopped?.end, 'in-order');
    assert.ok((stopped.bytes ?? 0) > 500 * 100, `${stopped.bytes} bytes of append-only files`);
    assert.equal(cell.acts[0]?.nodes[0]?.product, 'redis');
    const busy = cell.stages.find(({ name }) => name === 'busy');
    assert.deepEqual(
      busy?.marks.map(({ text }) => text),
      ['pause every process of cache', 'resume every process of cache', 'snapshot cache'],
    );
    const bundle = workspace.bundle();
    assert.match(readFileSync(join(bundle, 'timeline.csv'), 'utf8'), /pause every process of cache/);
    assert.match(readFileSync(join(bundle, 'report.html'), 'utf8'), /pause every process of cache/);
    assert.match(
      readFileSync(join(bundle, 'logs/cell-0-cache-server-0.log'), 'utf8'),
      /Ready to accept connections/,
    );
    assert.equal(summary.run.targets[0]?.settings['maxmemory'], '50000000');
    for (const file of readdirSync(bundle, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ))
      assert.ok(!readFileSync(join(file.parentPath, file.name)).includes(SECRET), file.name);
    assert.deepEqual(rooms(), []);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    test(`${signal}: the server and its files are gone with the run`, async () => {
      workspace.write('run.yaml', LONG);
      const run = start(['run', 'run.yaml']);
      const server = await serverPid();
      await run.says(/measure \(3 of 4\)/);
      run.signal(signal);
      const { code } = await run.endsWithin(15_000);
      assert.equal(code, signal === 'SIGINT' ? 130 : 143);
      await assertGone([server], 5_000);
      await eventually('its files are gone', () => rooms().length === 0);
    });

  test('kill -9 of the run: no server is left, nor a file of it', async () => {
    workspace.write('run.yaml', LONG);
    const run = start(['run', 'run.yaml']);
    const server = await serverPid();
    await run.says(/measure \(3 of 4\)/);
    run.signal('SIGKILL');
    await assertGone([server], 15_000);
    await eventually('its files are gone', () => rooms().length === 0);
  });

  test('kill -9 of a coordinator on another machine: its worker stops the server when its lease runs out', async () => {
    workspace.write('run.yaml', LONG);
    workspace.write('token', 'a-token-for-tests');
    const port = await freePort();
    const listen = `127.0.0.1:${port}`;
    const coordinator = start(['coordinator', 'run.yaml', '--listen', listen, '--token-file', 'token']);
    await coordinator.says(/listening on/);
    const join = ['worker', '--join', `ws://${listen}`, '--token-file', 'token', '--group'];
    const workers = [start([...join, 'servers']), start([...join, 'clients'])];
    const server = await serverPid();
    await coordinator.says(/measure \(3 of 4\)/);
    coordinator.signal('SIGKILL');
    await assertGone([server], 15_000);
    for (const worker of workers) assert.equal((await worker.endsWithin(15_000)).code, 3);
    await eventually('its files are gone', () => rooms().length === 0);
  });

  test('kill -9 of the worker that runs the server: no server is left, and the run fails', async () => {
    workspace.write('run.yaml', LONG);
    const run = start(['run', 'run.yaml']);
    const server = await serverPid();
    await run.says(/measure \(3 of 4\)/);
    const [worker] = workersOf(run);
    assert.ok(worker !== undefined && lives(server));
    process.kill(worker, 'SIGKILL');
    await assertGone([server], 15_000);
    assert.equal((await run.endsWithin(30_000)).code, 3);
  });

  test('a server that dies by itself ends the run with one message', async () => {
    workspace.write('run.yaml', LONG);
    const run = start(['run', 'run.yaml']);
    const server = await serverPid();
    await run.says(/measure \(3 of 4\)/);
    process.kill(server, 'SIGKILL');
    const { code, stderr } = await run.endsWithin(30_000);
    assert.equal(code, 3);
    assert.match(
      stderr,
      /error: worker servers-0: the service cache \(redis-server\) on .+: server 0 at 127\.0\.0\.1:\d+ was ended by SIGKILL by itself/,
    );
  });

  test('a program that is not installed: exit 3, with what to install, before any load', async () => {
    workspace.write('run.yaml', scenario('[load]'));
    const { code, stderr } = await pacecar(['run', 'run.yaml'], {
      cwd: workspace.path,
      env: { PATH: workspace.path },
    });
    assert.equal(code, 3);
    assert.match(
      stderr,
      /error: worker servers-0: the service cache \(redis-server\) on .+: redis-server is not installed, or not on the PATH of this worker: apt-get install redis-server/,
    );
  });

  test('a port in use: exit 3, with the port and the host, before any load', async () => {
    const target = start(['target', '--port', '0']);
    const [, port] = await target.says(/listening on 127\.0\.0\.1:(\d+)/);
    workspace.write('run.yaml', scenario('[load]', `{ port: ${port} }`));
    const { code, stderr } = await pacecar(['run', 'run.yaml'], { cwd: workspace.path });
    assert.equal(code, 3);
    assert.match(
      stderr,
      new RegExp(`port ${port} of 127.0.0.1 is in use by another process; give another port`),
    );
  });

  test('the five persistence modes of scenarios/redis-persistence.yaml, shortened', async () => {
    const { code, stdout, stderr } = await pacecar(['run', EXAMPLE, '--set', 'operations=300', '--json'], {
      cwd: workspace.path,
      limitMs: 240_000,
    });
    assert.equal(code, 0, stderr);
    const { cells } = readSummary(stdout);
    const files = cells.map(({ configuration, acts }) => {
      const names = acts.at(-1)?.nodes[0]?.files.map(({ name }) => name.replace(/\.\d+\./, '.N.')) ?? [];
      return [configuration, names.includes('dump.rdb'), names.some((name) => name.endsWith('incr.aof'))];
    });
    assert.deepEqual(files, [
      ['memory', false, false],
      ['snapshot', true, false],
      ['fsync-always', false, true],
      ['fsync-no', false, true],
      ['fsync-everysec', false, true],
    ]);
  });
});
