import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { FailureCode } from '@pacecar/protocol';
import { startTarget } from '@pacecar/worker';
import { needs } from '../services/installed.js';
import { type MongodbServer, startMongodb } from '../services/mongodb-server.js';
import { freePort } from '../services/redis-server.js';
import { CuttingProxy } from './cutting-proxy.js';
import { startScripted } from './scripted-server.js';
import { checkIdentities, errorsOf, latenciesOf, StageRig, type StageWishes, totalOf } from './stage-rig.js';

const driver = 'mongodb';

async function expectFailure(
  rig: StageRig,
  wishes: Omit<StageWishes, 'driver'>,
  code: FailureCode,
  reason: RegExp,
  withinMs = 6_000,
): Promise<void> {
  const result = await rig.run({ ...wishes, driver });
  assert.equal(result.failure?.code, code, result.failure?.reason);
  assert.match(result.failure?.reason ?? '', reason);
  assert.doesNotMatch(result.failure?.reason ?? '', /\n|hunter2/);
  assert.deepEqual(result.frames, []);
  assert.ok(result.armMs < withinMs, `${result.armMs} ms`);
}

describe('arming with driver mongodb', () => {
  let rig: StageRig;
  before(() => {
    rig = new StageRig();
  });
  after(() => rig.close());

  test('nobody listens: unreachable, with host, port, product and what to do', async () => {
    const port = await freePort();
    const reason = new RegExp(
      `127\\.0\\.0\\.1:${port} cannot be reached: .*ECONNREFUSED.*; start the MongoDB server, or check host and port`,
    );
    await expectFailure(rig, { port }, 'TARGET_UNREACHABLE', reason);
  });

  test('a replica set of which nobody listens: within the connect timeout', async () => {
    const wishes = { port: await freePort(), settings: { replicaSet: 'rs0' }, connectTimeoutMs: 400 };
    await expectFailure(rig, wishes, 'TARGET_UNREACHABLE', /start the MongoDB server/, 4_000);
  });

  test('a server of the Redis family: another protocol', async () => {
    const target = await startTarget({ host: '127.0.0.1', port: 0 });
    try {
      await expectFailure(
        rig,
        { port: target.port, connectTimeoutMs: 500 },
        'TARGET_PROTOCOL',
        /does not speak the MongoDB protocol.*check host and port/,
      );
    } finally {
      await target.close();
    }
  });

  test('a web server: another protocol', async () => {
    const server = await startScripted((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    try {
      await expectFailure(
        rig,
        { port: server.port },
        'TARGET_PROTOCOL',
        /does not speak the MongoDB protocol/,
      );
    } finally {
      await server.close();
    }
  });

  test('a server that takes connections and says nothing: within the connect timeout', async () => {
    const server = await startScripted(() => undefined);
    try {
      const wishes = { port: server.port, connectTimeoutMs: 400 };
      await expectFailure(rig, wishes, 'TARGET_UNREACHABLE', /did not answer as a MongoDB server/, 4_000);
    } finally {
      await server.close();
    }
  });

  test('a server that hangs up: unreachable', async () => {
    const server = await startScripted(
      () => undefined,
      (socket) => socket.end(),
    );
    try {
      await expectFailure(rig, { port: server.port }, 'TARGET_UNREACHABLE', /cannot be reached.*closed/);
    } finally {
      await server.close();
    }
  });

  test('settings that the driver does not have, and names of collections that there are not', async () => {
    const port = 27_017;
    await expectFailure(rig, { port, settings: { turbo: true } }, 'REQUEST_INVALID', /mongodb.*turbo/);
    await expectFailure(
      rig,
      { port, settings: { collection: 'a$b' } },
      'REQUEST_INVALID',
      /no name of a collection/,
    );
  });
});

describe('arming with driver mongodb on a FerretDB with users', needs('ferretdb'), () => {
  test('lets in who knows the password, and says who does not', async () => {
    const server = await startMongodb([
      ...[
        '--test-enable-new-auth',
        '--setup-username=bench',
        '--setup-password=hunter2',
        '--setup-database=admin',
      ],
    ]);
    const rig = new StageRig();
    try {
      const known = { port: server.port, username: 'bench', operations: 3, mix: { put: 1 } as const, driver };
      const result = await rig.run({ ...known, password: 'hunter2' });
      assert.equal(result.failure, null);
      assert.equal(totalOf(result, 'put').ok, 3);
      const reason =
        /127\.0\.0\.1:\d+ refuses the connection: .*; check the user "bench", the password, and the setting/;
      await expectFailure(rig, { ...known, password: 'wrong' }, 'TARGET_DENIED', reason);
    } finally {
      await rig.close();
      await server.close();
    }
  });
});

describe('trouble with driver mongodb on a real FerretDB', needs('ferretdb'), () => {
  let rig: StageRig;
  let server: MongodbServer;
  before(async () => {
    rig = new StageRig();
    server = await startMongodb();
    await rig.run({ port: server.port, driver, end: { kind: 'keys' }, keys: 50, mix: { put: 1 } });
  });
  after(async () => {
    await rig.close();
    await server.close();
  });

  test('a server that stands still: timeouts with their time; once it goes on, so does the load', async () => {
    let stopped = false;
    const isStopped = () => stopped;
    let okAfter = 0;
    try {
      const result = await rig.run(
        {
          ...{ port: server.port, driver, connections: 2, depth: 2, durationMs: 20_000, keys: 50 },
          ...{ operationTimeoutMs: 300, drainMs: 300, connectTimeoutMs: 500, limitMs: 25_000 },
        },
        ({ rows: [row], sequence }) => {
          if (row === undefined) return;
          if (!isStopped() && row.ok > 0) {
            stopped = true;
            process.kill(server.pid, 'SIGSTOP');
          } else if (isStopped() && row.timeouts > 0) {
            process.kill(server.pid, 'SIGCONT');
          } else if (isStopped() && row.ok > 0 && sequence > 3 && ++okAfter > 5) {
            rig.load?.stop();
          }
        },
      );
      assert.equal(result.failure, null);
      checkIdentities(result);
      assert.ok(totalOf(result, 'get').timeouts >= 1);
      assert.ok((latenciesOf(result, 'failed').minimumNs as number) >= 300e6);
      assert.ok(okAfter > 5);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
  });

  test('a server that is killed and started again: aborted, unreachable for a while, and back', async () => {
    let restarted: Promise<void> | null = null;
    let okAfter = 0;
    const result = await rig.run(
      { port: server.port, driver, connections: 3, depth: 4, durationMs: 20_000, limitMs: 25_000, keys: 50 },
      ({ rows: [row] }) => {
        const ok = row?.ok ?? 0;
        if (restarted === null && ok > 0) restarted = server.restart();
        else if (restarted !== null && ok > 0 && ++okAfter > 5) rig.load?.stop();
      },
    );
    await (restarted as Promise<void> | null);
    assert.equal(result.failure, null);
    checkIdentities(result);
    const { aborted, misses } = totalOf(result, 'get');
    assert.ok(aborted > 0 && aborted <= 2 * 12, `${aborted} aborted`);
    assert.deepEqual(errorsOf(result), {});
    assert.equal(misses, 0);
    assert.ok(okAfter > 5);
  });

  test('connections cut in mid-stage: opened anew, and no answer goes to another operation', async () => {
    const proxy = await CuttingProxy.start(server.port);
    try {
      const wishes = { driver, keys: 50, checkValues: true, bytes: [0, 3_000] } as const;
      await rig.run({ ...wishes, port: proxy.port, end: { kind: 'keys' }, mix: { put: 1 } });
      let cuts = 0;
      const result = await rig.run(
        { ...wishes, port: proxy.port, connections: 3, depth: 4, durationMs: 20_000, mix: { get: 1 } },
        (frame) => {
          if (!frame.rows.some((row) => row.ok > 0)) return;
          if (cuts === 3) rig.load?.stop();
          else {
            cuts++;
            proxy.cutAll();
          }
        },
      );
      assert.equal(result.failure, null);
      checkIdentities(result);
      const { aborted, misses } = totalOf(result, 'get');
      assert.ok(aborted > 0 && aborted <= cuts * 3 * 4, `${aborted} aborted`);
      assert.deepEqual([errorsOf(result), misses], [{}, 0]);
    } finally {
      await proxy.close();
    }
  });

  test('stop in mid-stage: drained early, with everything accounted for', async () => {
    const begin = rig.nowMs();
    const result = await rig.run({ port: server.port, driver, durationMs: 20_000, depth: 4 }, (frame) => {
      if (frame.sequence === 2) rig.load?.stop();
    });
    assert.equal(result.failure, null);
    checkIdentities(result);
    assert.equal(totalOf(result, 'get').aborted, 0);
    assert.ok(rig.nowMs() - begin < 8_000);
  });
});
