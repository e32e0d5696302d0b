import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type FailureCode, plainAction, type Tls } from '@pacecar/protocol';
import { needs } from '../services/installed.js';
import { freePort, type RedisServer, startRedis } from '../services/redis-server.js';
import { type StartedService, startService } from '../services/start-service.js';
import { startScripted } from './scripted-server.js';
import { RESP_DRIVERS } from './server-under-test.js';
import { checkIdentities, StageRig, type StageWishes, totalOf } from './stage-rig.js';

const run = promisify(execFile);
const TLS: Tls = { ca: null, cert: null, key: null, serverName: null, verify: true };

/** A server that has never heard of HELLO or CONFIG. */
const ANCIENT = { PING: '+PONG', GET: '$-1', CLIENT: '+OK', INFO: '$19\r\nredis_version:2.8.0' } as const;

for (const { name: driver } of RESP_DRIVERS)
  describe(`ways to a Redis with driver ${driver}`, needs('redis-server', 'openssl'), () => {
    let rig: StageRig;
    let folder: string;
    let redis: RedisServer;
    let securePort: number;
    const file = (name: string) => join(folder, name);

    before(async () => {
      rig = new StageRig();
      folder = await mkdtemp(join(tmpdir(), 'pacecar-ways-'));
      const openssl = (...words: string[]) => run('openssl', words, { cwd: folder });
      const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
      const authority = ['-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=authority'];
      await openssl('req', '-x509', ...curve, ...authority);
      for (const [name, subject] of [
        ['server', '/CN=redis.internal'],
        ['client', '/CN=client'],
      ] as const) {
        await openssl('req', ...curve, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject);
        const signed = ['-in', `${name}.csr`, '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial'];
        await openssl('x509', '-req', ...signed, '-days', '2', '-out', `${name}.crt`);
      }
      securePort = await freePort();
      redis = await startRedis([
        ...['--tls-port', String(securePort), '--tls-cert-file', file('server.crt')],
        ...['--tls-key-file', file('server.key'), '--tls-ca-cert-file', file('ca.crt')],
        ...['--unixsocket', file('redis.sock')],
      ]);
    });
    after(async () => {
      await rig.close();
      await redis.close();
      await rm(folder, { recursive: true, force: true });
    });

    async function expectRun(wishes: Omit<StageWishes, 'driver'>): Promise<Readonly<Record<string, string>>> {
      const before = (await redis.calls())['set'] ?? 0;
      const bytes = { bytes: [0, 60_000] as const, depth: 4, operations: 403 };
      const result = await rig.run({ driver, mix: { put: 1 }, ...bytes, ...wishes });
      assert.equal(result.failure, null, result.failure?.reason);
      checkIdentities(result);
      assert.equal(totalOf(result, 'put').ok, 403);
      assert.equal(((await redis.calls())['set'] ?? 0) - before, 403);
      return result.target?.settings ?? {};
    }

    async function expectRefusal(wishes: Omit<StageWishes, 'driver'>, code: FailureCode, reason: RegExp) {
      const result = await rig.run({ driver, ...wishes });
      assert.equal(result.failure?.code, code, result.failure?.reason);
      assert.match(result.failure?.reason ?? '', reason);
    }

    const secure = (tls: Partial<Tls>) => ({
      ...{ port: securePort },
      target: {
        tls: { ...TLS, ca: file('ca.crt'), cert: file('client.crt'), key: file('client.key'), ...tls },
      },
    });

    test('TLS with certificates of both sides, from files', async () => {
      const facts = await expectRun(secure({ serverName: 'redis.internal' }));
      assert.equal(facts['tls'], 'yes, verified');
    });

    test('TLS with certificates that are written out, and values are what they should be', async () => {
      const pem = async (name: string) => readFile(file(name), 'utf8');
      const tls = { ca: await pem('ca.crt'), cert: await pem('client.crt'), key: await pem('client.key') };
      const wishes = secure({ ...tls, serverName: 'redis.internal' });
      await rig.run({ driver, ...wishes, mix: { put: 1 }, keys: 50, end: { kind: 'keys' }, bytes: 100_000 });
      const verify = { checkValues: true, keys: 50, end: { kind: 'keys' } as const, bytes: 100_000 };
      const result = await rig.run({ driver, ...wishes, ...verify, mix: { get: 1 } });
      assert.deepEqual([result.failure, totalOf(result, 'get').hits], [null, 50]);
    });

    test('TLS that is not verified says so', async () => {
      assert.equal((await expectRun(secure({ verify: false, ca: null })))['tls'], 'yes, not verified');
    });

    test('an authority that is unknown is refused, with host and remedy', async () => {
      const reason = new RegExp(
        `127\\.0\\.0\\.1:${securePort} .*its certificate does not verify.*name its authority by tls: \\{ ca`,
      );
      await expectRefusal(secure({ ca: null }), 'TARGET_UNREACHABLE', reason);
    });

    test('a certificate for another name is refused, with host and remedy', async () => {
      await expectRefusal(
        secure({ serverName: 'other.internal' }),
        'TARGET_UNREACHABLE',
        /its certificate does not verify: .*say whose it is by tls: \{ serverName/,
      );
    });

    test('TLS to a port without it, and no TLS to a port with it', async () => {
      const plain = { ...secure({}), port: redis.port, connectTimeoutMs: 1_000 };
      await expectRefusal(plain, 'TARGET_UNREACHABLE', /does the port speak TLS\?/);
      const unsecured = { port: securePort, connectTimeoutMs: 1_000 };
      const result = await rig.run({ driver, ...unsecured });
      assert.match(result.failure?.reason ?? '', /TLS|closed|ended/);
    });

    test('files that are not there, and such that are no PEM', async () => {
      await expectRefusal(
        secure({ ca: '/no/such.crt' }),
        'REQUEST_INVALID',
        /\/no\/such\.crt \(tls: ca\) cannot be read/,
      );
      await expectRefusal(
        secure({ ca: '/dev/null' }),
        'REQUEST_INVALID',
        /\/dev\/null \(tls: ca\) is no PEM file/,
      );
    });

    test('a unix socket, and one that is not there', async () => {
      const target = (socket: string) => ({ port: 0, target: { socket, host: 'localhost' } });
      await expectRun(target(file('redis.sock')));
      await expectRefusal(
        target('/no/redis.sock'),
        'TARGET_UNREACHABLE',
        /\/no\/redis\.sock cannot be reached/,
      );
    });

    for (const protocol of [2, 3])
      test(`RESP${protocol}, as the server says`, async () => {
        const facts = await expectRun({ port: redis.port, settings: { protocol } });
        assert.equal(facts['resp'], String(protocol));
      });

    test('WAIT is a command like others', async () => {
      const actions = [{ ...plainAction('command', 1), name: 'wait', commands: ['WAIT 0 10'] }];
      const result = await rig.run({ driver, port: redis.port, operations: 20, actions });
      assert.deepEqual([result.failure, totalOf(result, 'wait').ok], [null, 20]);
    });

    test('a server without HELLO goes on with RESP2', async () => {
      const server = await startScripted((socket, bytes) => {
        const names = [...bytes.toString('latin1').matchAll(/\*\d+\r\n\$\d+\r\n([A-Za-z]+)\r\n/g)];
        for (const [, name = ''] of names)
          socket.write(`${ANCIENT[name.toUpperCase() as 'GET'] ?? `-ERR unknown command '${name}'`}\r\n`);
      });
      try {
        const result = await rig.run({
          driver,
          port: server.port,
          settings: { protocol: 3 },
          operations: 50,
        });
        assert.equal(result.failure, null, result.failure?.reason);
        assert.equal(totalOf(result, 'get').misses, 50);
        assert.equal(result.target?.settings['resp'], '2');
      } finally {
        await server.close();
      }
    });

    test('a node of a cluster is refused before anything is sent', async () => {
      let cluster: StartedService | null = null;
      try {
        cluster = await startService('redis-cluster', { parameters: { masters: 1 } });
        const [node] = cluster.nodes;
        await expectRefusal({ port: node?.port ?? 0 }, 'TARGET_PROTOCOL', /is a node of a cluster/);
      } finally {
        await cluster?.close();
      }
    });
  });
