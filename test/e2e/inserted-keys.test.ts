import assert from 'node:assert/strict';
import { createConnection } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import { firstInsertedKey, type Keys } from '@pacecar/protocol';
import { needs } from '../services/installed.js';
import { type RedisServer, startRedis } from '../services/redis-server.js';
import { pacecar } from './pacecar-process.js';
import { readSummary, Workspace } from './workspace.js';

const WORKERS = [2, 3] as const;

/** YCSB's workload D, read latest, as fast as it goes. */
const ycsb = (target: string, workers: number) => `
pacecar: 1
name: read latest
interval: 200ms
groups: { clients: ${workers} }
configurations:
  sut: { target: "${target}" }
workload: { preset: ycsb-d, keys: 500, connections: 3 per worker, checkValues: true }
stages:
  - load
  - measure: { for: 2s }
`;

describe('keys that others inserted', () => {
  let workspace = new Workspace();
  after(() => workspace.remove());
  beforeEach(() => {
    workspace.remove();
    workspace = new Workspace();
  });

  async function measured(scenario: string) {
    workspace.write('scenario.yaml', scenario);
    const run = await pacecar(['run', 'scenario.yaml', '--json'], { cwd: workspace.path });
    assert.equal(run.code, 0, run.stderr);
    const stage = readSummary(run.stdout).cells[0]?.stages.at(-1);
    assert.ok(stage !== undefined);
    return stage;
  }

  async function runYcsb(target: string, workers: number): Promise<void> {
    const { rows } = await measured(ycsb(target, workers));
    const [read, insert] = ['readRecord', 'insertRecord'].map((name) =>
      rows.find(({ operation }) => operation === name),
    );
    assert.ok(read !== undefined && insert !== undefined);
    assert.ok(insert.sent > 0 && read.sent > insert.sent, `${read.sent} reads, ${insert.sent} inserts`);
    assert.equal(read.misses, 0);
    assert.deepEqual([read.ok, read.hits, insert.ok], [read.sent, read.sent, insert.sent]);
  }

  for (const workers of WORKERS)
    test(`${workers} workers on the built-in target: what is read last is there`, () =>
      runYcsb('builtin', workers));

  describe('on a real server', needs('redis-server'), () => {
    for (const workers of WORKERS) {
      test(`${workers} workers: what is read last is there`, async () => {
        const redis = await startRedis();
        try {
          await runYcsb(`redis://127.0.0.1:${redis.port}`, workers);
        } finally {
          await redis.close();
        }
      });

      test(`${workers} workers read the keys of each other, each after it was written`, async () => {
        const redis = await startRedis();
        const monitor = new Monitor(redis);
        try {
          await monitor.open();
          const stage = await measured(`
pacecar: 1
name: latest
interval: 200ms
groups: { clients: ${workers} }
configurations:
  sut: { target: "redis://127.0.0.1:${redis.port}" }
workload:
  keys: { range: 1..100, distribution: latest, prefix: "k:" }
  connections: 2 per worker
  mix: { get: 50%, insert: 50% }
stages:
  - load
  - measure: { for: 2s, rate: 600/s }
`);
          assert.equal(stage.total.ok, stage.total.sent);
          assert.equal(stage.rows.find(({ operation }) => operation === 'get')?.misses, 0);
          checkReads(await monitor.commands(100 + stage.total.sent), workers);
        } finally {
          monitor.close();
          await redis.close();
        }
      });
    }
  });
});

/** A command as the server carried it out: by whom, what, and on which key. */
interface Seen {
  readonly client: string;
  readonly command: string;
  readonly key: number;
}

/** What every client of a server does, in the order in which the server does it. */
class Monitor {
  readonly #redis: RedisServer;
  readonly #seen: Seen[] = [];
  #socket: ReturnType<typeof createConnection> | null = null;
  #wake: () => void = () => undefined;

  constructor(redis: RedisServer) {
    this.#redis = redis;
  }

  async open(): Promise<void> {
    const socket = createConnection({ host: '127.0.0.1', port: this.#redis.port });
    this.#socket = socket;
    socket.setEncoding('utf8');
    let rest = '';
    const accepted = new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.on('data', (text: string) => {
        const lines = (rest + text).split('\r\n');
        rest = lines.pop() ?? '';
        for (const line of lines)
          if (line === '+OK') resolve();
          else this.#note(line);
        this.#wake();
      });
    });
    socket.write('MONITOR\r\n');
    await accepted;
  }

  /** The GETs and SETs, once there are so many. */
  async commands(count: number): Promise<readonly Seen[]> {
    const deadlineMs = performance.now() + 10_000;
    while (this.#seen.length < count) {
      assert.ok(
        performance.now() < deadlineMs,
        `the server tells of ${this.#seen.length} of ${count} commands`,
      );
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    assert.equal(this.#seen.length, count);
    return this.#seen;
  }

  close(): void {
    this.#socket?.destroy();
  }

  #note(line: string): void {
    const [, client, command, key] = /\[0 (\S+)\] "(GET|SET)" "k:(\d+)"/.exec(line) ?? [];
    if (client !== undefined && command !== undefined) this.#seen.push({ client, command, key: Number(key) });
  }
}

const RANGE_END = 100;

/** Of the second stage. */
const FIRST = firstInsertedKey([{ keys: { maximum: RANGE_END } as Keys }], 1, 0);

/** By the arithmetic that deals keys out: whose key it is. */
function checkReads(seen: readonly Seen[], workers: number): void {
  const inserted = new Set<number>();
  const workerOf = new Map<string, number>();
  for (const { client, command, key } of seen)
    if (command === 'SET' && key > RANGE_END) workerOf.set(client, (key - FIRST) % workers);
  const reads = Array.from({ length: workers }, () => Array.from({ length: workers }, () => 0));
  for (const { client, command, key } of seen) {
    if (key <= RANGE_END) continue;
    if (command === 'SET') {
      assert.ok(!inserted.has(key), `key ${key} is inserted twice`);
      inserted.add(key);
      continue;
    }
    assert.ok(inserted.has(key), `key ${key} is read before it was written`);
    const row = reads[workerOf.get(client) ?? -1];
    const of = (key - FIRST) % workers;
    if (row !== undefined) row[of] = (row[of] ?? 0) + 1;
  }
  const table = `reads by worker and owner: ${JSON.stringify(reads)}`;
  assert.ok(
    reads.every((row) => row.every((count) => count > 0)),
    table,
  );
  // Reads go to all workers' keys alike, but that one's own are known a little sooner.
  for (const [worker, row] of reads.entries()) {
    const all = row.reduce((sum, count) => sum + count, 0);
    const own = row[worker] ?? 0;
    assert.ok((all - own) / (workers - 1) > own / 10, table);
  }
}
