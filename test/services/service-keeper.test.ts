import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { ServiceKeeper } from '@pacecar/worker';
import { eventually, lives } from './condition.js';
import { needs } from './installed.js';
import { redisCommand } from './redis-command.js';
import { type OrderDetails, serviceOrder, startService } from './start-service.js';

async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pacecar-keeper-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function pidOf(started: { service: { processes: readonly { pid: number | null }[] } }): number {
  const pid = started.service.processes[0]?.pid ?? null;
  assert.ok(pid !== null);
  return pid;
}

/** The parent of a server. */
function guardOf(pid: number): number {
  const [, parent] = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  assert.ok(parent !== undefined);
  return Number(parent);
}

describe('the keeper of services', needs('redis-server'), () => {
  test('a server works in a directory of its own, and neither it nor the directory outlives the keeper', async (t) => {
    const workDirectory = await emptyFolder(t);
    const redis = await startService('redis-server', {}, { workDirectory });
    const pid = pidOf(redis);
    try {
      assert.ok(lives(pid));
      assert.equal(readdirSync(workDirectory).length, 1);
    } finally {
      await redis.close();
    }
    assert.ok(!lives(pid));
    assert.deepEqual(readdirSync(workDirectory), []);
    assert.deepEqual(redis.deaths, []);
  });

  test('files that are to be kept are kept', async (t) => {
    const workDirectory = await emptyFolder(t);
    const redis = await startService('redis-server', {}, { workDirectory, keepsFiles: true });
    await redis.close();
    const [room] = readdirSync(workDirectory);
    assert.match(
      readFileSync(join(workDirectory, room as string, 'service-0', 'server-0.log'), 'utf8'),
      /Ready to accept connections/,
    );
  });

  // Redis writes its title over its own environment; the guard, which passes its own on, does not.
  test('a server knows nothing of the environment of its worker but what it needs', async () => {
    process.env['PACECAR_TOKEN'] = 'a secret of the worker';
    const redis = await startService('redis-server');
    try {
      const environment = readFileSync(`/proc/${guardOf(pidOf(redis))}/environ`, 'utf8');
      assert.match(environment, /PATH=/);
      assert.doesNotMatch(environment, /PACECAR|a secret/);
    } finally {
      delete process.env['PACECAR_TOKEN'];
      await redis.close();
    }
  });

  test('a port in use is one message, before anything runs', async (t) => {
    const other = createServer().listen(0, '127.0.0.1');
    t.after(() => other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await assert.rejects(startService('redis-server', { parameters: { port } }), {
      code: 'SERVICE_FAILED',
      message: new RegExp(
        `^the service it \\(redis-server\\) on .+: port ${port} of 127.0.0.1 is in use by another process; give another`,
      ),
    });
  });

  test('a program that is not installed is one message with its remedy', async (t) => {
    const path = process.env['PATH'];
    t.after(() => {
      process.env['PATH'] = path;
    });
    process.env['PATH'] = await emptyFolder(t);
    await assert.rejects(startService('redis-server'), {
      code: 'SERVICE_FAILED',
      message:
        /redis-server is not installed, or not on the PATH of this worker: apt-get install redis-server/,
    });
  });

  test('a server that ends at its start is one message with its last words', async () => {
    const files = { certificateFile: 'x', keyFile: 'x', authorityFile: 'x' };
    await assert.rejects(startService('redis-server', { parameters: { tls: 'files', ...files } }), {
      code: 'SERVICE_FAILED',
      message: /x cannot be read: there is no such file/,
    });
    const pem = new URL('../../../test/protocol/certificates/server.pem', import.meta.url).pathname;
    await assert.rejects(
      startService('redis-server', {
        parameters: { tls: 'files', certificateFile: pem, keyFile: pem, authorityFile: pem },
      }),
      {
        code: 'SERVICE_FAILED',
        message:
          /server 0 at 127\.0\.0\.1:\d+ ended with code 1 before it was ready; its last words:\n[^]*tls/i,
      },
    );
  });

  for (const [what, recipe, details, code, message] of [
    [
      'a recipe that there is not',
      'redis-sever',
      {},
      'UNSUPPORTED',
      /no recipe "redis-sever"; it has redis-server/,
    ],
    ['an unknown parameter', 'redis-server', { parameters: { prot: 1 } }, 'REQUEST_INVALID', /prot/],
    [
      'a parameter out of range',
      'redis-server',
      { parameters: { persistence: 'always' } },
      'REQUEST_INVALID',
      /the service it \(redis-server\): persistence: /,
    ],
    [
      'a second line in a parameter',
      'redis-server',
      { parameters: { snapshotRules: '1 1\nloadmodule x' } },
      'REQUEST_INVALID',
      /snapshotRules: pairs of seconds and changes/,
    ],
  ] satisfies [string, string, OrderDetails, string, RegExp][])
    test(`refused before anything is made: ${what}`, async (t) => {
      const workDirectory = await emptyFolder(t);
      await assert.rejects(startService(recipe, details, { workDirectory }), { code, message });
      assert.deepEqual(readdirSync(workDirectory), []);
    });

  test('two services of one name are refused', async () => {
    const redis = await startService('redis-server');
    try {
      await assert.rejects(redis.keeper.prepare(serviceOrder('redis-server')), {
        code: 'REQUEST_INVALID',
        message: /the service it is there already/,
      });
    } finally {
      await redis.close();
    }
  });

  test('a server that ends by itself is told, with its last words; one that is stopped is not', async () => {
    const redis = await startService('redis-server');
    try {
      process.kill(pidOf(redis), 'SIGKILL');
      await eventually('the death is told', () => redis.deaths.length > 0);
      assert.match(
        redis.deaths[0] ?? '',
        /^the service it \(redis-server\) on .+: server 0 at .+ was ended by SIGKILL by itself; its last words:/,
      );
      assert.deepEqual((await redis.service.facts())[0]?.facts, null);
    } finally {
      await redis.close();
    }
  });

  test('a suspended server does not answer, goes on, and can be stopped while suspended', async () => {
    const redis = await startService('redis-server');
    const port = redis.nodes[0]?.port ?? 0;
    try {
      await redis.service.fault('pause', [0], 0);
      await eventually('it is suspended', () =>
        /^State:\s*T/m.test(readFileSync(`/proc/${pidOf(redis)}/status`, 'utf8')),
      );
      await redis.service.fault('resume', [0], 0);
      assert.equal(await redisCommand(port, 'PING'), 'PONG');
      await redis.service.fault('pause', [0], 0);
      const [stopped] = await redis.service.stop('graceful');
      assert.equal(stopped?.inOrder, true);
    } finally {
      await redis.close();
    }
  });

  test('a killed server starts again on its port with its data', async () => {
    const redis = await startService('redis-server', {
      parameters: { persistence: 'append-only', appendFsync: 'always' },
    });
    const port = redis.nodes[0]?.port ?? 0;
    try {
      await redisCommand(port, 'SET', 'key', 'value');
      await redis.service.fault('kill', [0], 0);
      await assert.rejects(redisCommand(port, 'GET', 'key'), /ECONNREFUSED/);
      await redis.service.fault('restart', [0], 10_000);
      assert.equal(await redisCommand(port, 'GET', 'key'), 'value');
      assert.deepEqual(redis.deaths, []);
    } finally {
      await redis.close();
    }
  });

  test('a restart of the whole service keeps port and data', async () => {
    const redis = await startService('redis-server', { parameters: { persistence: 'snapshot' } });
    const port = redis.nodes[0]?.port ?? 0;
    try {
      await redisCommand(port, 'SET', 'key', 'value');
      await redis.service.restart('graceful', 10_000);
      assert.equal(await redisCommand(port, 'GET', 'key'), 'value');
      await redis.service.clear();
      assert.equal(await redisCommand(port, 'DBSIZE'), 0);
    } finally {
      await redis.close();
    }
  });
});

const WORKER = new URL('./service-owner.js', import.meta.url).pathname;

describe('whatever happens to a worker', needs('redis-server'), () => {
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const)
    test(`its servers and their files go with it: ${signal}`, async (t) => {
      const workDirectory = await emptyFolder(t);
      const owner = spawn(process.execPath, [WORKER, workDirectory], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [said] = (await once(owner.stdout, 'data')) as [Buffer];
      const pid = Number(String(said));
      assert.ok(lives(pid));
      owner.kill(signal);
      await eventually('the server is gone', () => !lives(pid));
      await eventually('its files are gone', () => readdirSync(workDirectory).length === 0);
    });

  test('its servers are ended if their guard is killed', async (t) => {
    const workDirectory = await emptyFolder(t);
    const redis = await startService('redis-server', {}, { workDirectory });
    const pid = pidOf(redis);
    process.kill(guardOf(pid), 'SIGKILL');
    await eventually('the server is gone', () => !lives(pid));
    await eventually('the death is told', () => redis.deaths.length > 0);
    await redis.close();
    assert.ok(!existsSync(join(workDirectory, 'service-0')));
  });

  test('a keeper that never ran anything closes at once', async () => {
    await new ServiceKeeper().close();
  });
});
