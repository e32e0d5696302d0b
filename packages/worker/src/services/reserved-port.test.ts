import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { reservePort } from './reserved-port.js';

const HOST = '127.0.0.1';

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen({ host: HOST, port, exclusive: true });
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

test('a free port and the one beside it are held until they are let go', async () => {
  const reserved = await reservePort(HOST, 0, [10_000]);
  assert.ok(reserved.port >= 12_000 && reserved.port < 22_000, `${reserved.port}`);
  assert.equal(await canListen(reserved.port), false);
  assert.equal(await canListen(reserved.port + 10_000), false);
  await reserved.release();
  assert.equal(await canListen(reserved.port), true);
  assert.equal(await canListen(reserved.port + 10_000), true);
});

test('a hundred reservations are a hundred ports', async () => {
  const reserved = await Promise.all(Array.from({ length: 100 }, () => reservePort(HOST, 0, [])));
  assert.equal(new Set(reserved.map(({ port }) => port)).size, 100);
  await Promise.all(reserved.map(async (one) => one.release()));
});

test('a port in use is named, also the one beside, and nothing stays held', async () => {
  const taken = await reservePort(HOST, 0, [10_000]);
  try {
    await assert.rejects(reservePort(HOST, taken.port, []), {
      code: 'SERVICE_FAILED',
      message: `port ${taken.port} of ${HOST} is in use by another process; give another port, or 0 for a free one`,
    });
    const before = taken.port - 1;
    await assert.rejects(reservePort(HOST, before, [10_001]), {
      message: new RegExp(`^port ${taken.port + 10_000} of ${HOST} is in use`),
    });
    assert.equal(await canListen(before), true);
  } finally {
    await taken.release();
  }
});

test('an address that this machine has not is said at once', async () => {
  await assert.rejects(reservePort('192.0.2.1', 0, []), {
    code: 'SERVICE_FAILED',
    message:
      /no port of 192\.0\.2\.1 can be listened on: cannot be listened on: this machine has no such address/,
  });
});

test('whoever knocks at a held port is turned away', async () => {
  const reserved = await reservePort(HOST, 0, []);
  const socket = connect(reserved.port, HOST);
  socket.on('error', () => undefined);
  await once(socket, 'close');
  await reserved.release();
});
