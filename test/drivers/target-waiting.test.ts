import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, beforeEach, describe, test } from 'node:test';
import { SERVERS, type ServerUnderTest } from './server-under-test.js';

/** A connection on which lines are sent, and what came back. */
class Client {
  received = '';
  readonly #socket: Socket;

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port });
    this.#socket.on('data', (chunk: Buffer) => {
      this.received += chunk.toString('latin1');
    });
  }

  /** Sends inline commands in one write. They have been read once a later command elsewhere is answered. */
  send(...lines: readonly string[]): void {
    this.#socket.write(lines.map((line) => `${line}\r\n`).join(''));
  }

  /** Waits until just this, and no more, has come since the last time. */
  async gets(expected: string): Promise<void> {
    const deadline = Date.now() + 5_000;
    while (this.received.length < expected.length && Date.now() < deadline) await pause(1);
    assert.equal(this.received, expected);
    this.received = '';
  }

  hangUp(): void {
    this.#socket.destroy();
  }
}

const element = (key: string, value: string) =>
  `*2\r\n$${key.length}\r\n${key}\r\n$${value.length}\r\n${value}\r\n`;

for (const server of SERVERS)
  describe(`waiting for lists on ${server.name}`, server.options, () => {
    let target: ServerUnderTest;
    let clients: Client[] = [];
    before(async () => {
      target = await server.start();
    });
    beforeEach(() => target.command('FLUSHALL'));
    after(async () => {
      for (const client of clients) client.hangUp();
      await target.close();
    });

    /** A client that waits by now: its PING was answered, and what came in the same write was read with it. */
    async function waiting(command: string, ...rest: readonly string[]): Promise<Client> {
      const client = new Client(target.port);
      clients = [...clients, client];
      client.send('PING', command, ...rest);
      await client.gets('+PONG\r\n');
      return client;
    }

    test('who came first is served first, from its own end, each with one element', async () => {
      const first = await waiting('BLPOP l 0');
      const second = await waiting('BRPOP l 0');
      const third = await waiting('BLPOP l 0');
      assert.equal(await target.command('RPUSH', 'l', 'a', 'b', 'c', 'd'), 4);
      await first.gets(element('l', 'a'));
      await second.gets(element('l', 'd'));
      await third.gets(element('l', 'b'));
      assert.equal(await target.command('LLEN', 'l'), 1);
    });

    test('of several lists the one that gets something first; the others are waited for no more', async () => {
      const client = await waiting('BLPOP one two 0');
      await target.command('LPUSH', 'two', 'x');
      await client.gets(element('two', 'x'));
      await target.command('LPUSH', 'one', 'y');
      assert.equal(await target.command('LLEN', 'one'), 1);
      assert.equal(client.received, '');
    });

    test('commands behind it in one write wait with it', async () => {
      const client = await waiting('BLPOP l 0', 'SET k 1', 'GET k');
      assert.equal(await target.command('EXISTS', 'k'), 0);
      await target.command('RPUSH', 'l', 'a');
      await client.gets(`${element('l', 'a')}+OK\r\n$1\r\n1\r\n`);
    });

    test('commands that come later wait as well, the next wait among them', async () => {
      const client = await waiting('BLPOP l 0');
      client.send('BLPOP l 0', 'PING');
      await target.command('RPUSH', 'l', 'a');
      await client.gets(element('l', 'a'));
      await target.command('RPUSH', 'l', 'b');
      await client.gets(`${element('l', 'b')}+PONG\r\n`);
    });

    test('a timeout answers with no array, and the client goes on', async () => {
      const began = performance.now();
      const client = await waiting('BLPOP l 0.05', 'PING');
      await client.gets('*-1\r\n+PONG\r\n');
      assert.ok(performance.now() - began >= 49);
      await target.command('RPUSH', 'l', 'a');
      assert.equal(await target.command('LLEN', 'l'), 1);
    });

    test('a client that hangs up in mid-wait takes nothing', async () => {
      const gone = await waiting('BLPOP l 0');
      const waits = await waiting('BLPOP l 0');
      gone.hangUp();
      await new Promise((resolve) => setImmediate(resolve));
      await target.command('PING');
      await target.command('RPUSH', 'l', 'a');
      await waits.gets(element('l', 'a'));
      assert.equal(await target.command('EXISTS', 'l'), 0);
    });

    test('a transaction is whole before anybody is served, and does not wait itself', async () => {
      const client = await waiting('BLPOP l 0');
      const other = new Client(target.port);
      clients = [...clients, other];
      other.send('MULTI', 'RPUSH l a', 'LPUSH l b', 'BLPOP none 0', 'LLEN l', 'EXEC');
      await other.gets(`+OK\r\n${'+QUEUED\r\n'.repeat(4)}*4\r\n:1\r\n:2\r\n*-1\r\n:2\r\n`);
      await client.gets(element('l', 'b'));
    });

    test('in RESP3 nothing is null', async () => {
      const client = new Client(target.port);
      clients = [...clients, client];
      client.send('HELLO 3', 'BLPOP l 0.01');
      const deadline = Date.now() + 5_000;
      while (!client.received.endsWith('\r\n_\r\n') && Date.now() < deadline) await pause(1);
      assert.match(client.received, /\r\n_\r\n$/);
    });

    test('databases are apart', async () => {
      const client = await waiting('BLPOP l 0');
      const other = new Client(target.port);
      clients = [...clients, other];
      other.send('SELECT 1', 'RPUSH l there');
      await other.gets('+OK\r\n:1\r\n');
      assert.equal(client.received, '');
      await target.command('RPUSH', 'l', 'here');
      await client.gets(element('l', 'here'));
    });
  });
