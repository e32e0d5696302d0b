import type { TargetScheme } from '@pacecar/protocol';
import { DRIVERS, startTarget } from '@pacecar/worker';
import { startMember } from '../services/hazelcast-member.js';
import { startMemcached } from '../services/memcached-server.js';
import { redisCommand } from '../services/redis-command.js';
import { startRedis } from '../services/redis-server.js';
import { needs } from '../services/installed.js';

/** A RESP server that suites put load on. */
export interface ServerUnderTest {
  readonly port: number;
  command(...words: string[]): Promise<unknown>;
  /** Calls of each command since the start. */
  calls(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/** Those that speak to a Redis. */
export const RESP_DRIVERS = DRIVERS.filter(({ scheme }) => scheme === 'redis');

/** Servers that every driver for a Redis must get on with. */
export const SERVERS: readonly {
  readonly name: string;
  readonly options: { skip: string | false };
  start(): Promise<ServerUnderTest>;
}[] = [
  {
    name: 'the built-in target',
    options: { skip: false },
    start: async () => {
      const target = await startTarget({ host: '127.0.0.1', port: 0 });
      return {
        port: target.port,
        command: (...words) => redisCommand(target.port, ...words),
        calls: () => Promise.resolve(target.counters()),
        close: () => target.close(),
      };
    },
  },
  { name: 'a real Redis', options: needs('redis-server'), start: () => startRedis() },
];

/** Keyspace hits and misses as a server counts them. */
export async function hitsAndMisses(server: ServerUnderTest): Promise<{ hits: number; misses: number }> {
  const info = String(await server.command('INFO', 'stats'));
  const count = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  return { hits: count('keyspace_hits'), misses: count('keyspace_misses') };
}

/** What every product has, so that one suite can hold its drivers against what the server itself says. */
export interface StoreUnderTest {
  readonly port: number;
  clear(): Promise<unknown>;
  /** Keys that are there. */
  count(): Promise<number>;
  read(key: string): Promise<string>;
  write(key: string, value: string): Promise<unknown>;
  /** Commands since the start, and what reads found. */
  counts(): Promise<Record<'get' | 'put' | 'delete' | 'hits' | 'misses', number>>;
  close(): Promise<void>;
}

/** Stores that every driver of their scheme must get on with. */
export const STORES: readonly {
  readonly name: string;
  readonly scheme: TargetScheme;
  readonly product: string;
  /** One of its settings, as it says it. */
  readonly says: readonly [name: string, value: string] | null;
  readonly options: { skip: string | false };
  start(): Promise<StoreUnderTest>;
}[] = [
  ...SERVERS.map((server) => ({
    ...{ name: server.name, options: server.options, scheme: 'redis' as const },
    ...(server.name === 'a real Redis'
      ? { product: 'redis', says: ['appendonly', 'no'] as const }
      : { product: 'pacecar-target', says: null }),
    start: async () => respStore(await server.start()),
  })),
  {
    ...{ name: 'a real memcached', scheme: 'memcached', product: 'memcached' },
    says: ['item_size_max', '1048576'],
    options: needs('memcached'),
    start: memcachedStore,
  },
  {
    ...{ name: 'a real Hazelcast', scheme: 'hazelcast', product: 'hazelcast' },
    says: ['cluster_size', '1'],
    options: needs('java', 'mvn'),
    start: hazelcastStore,
  },
];

function respStore(server: ServerUnderTest): StoreUnderTest {
  return {
    port: server.port,
    clear: () => server.command('FLUSHALL'),
    count: async () => Number(await server.command('DBSIZE')),
    read: async (key) => String(await server.command('GET', key)),
    write: (key, value) => server.command('SET', key, value),
    counts: async () => {
      const calls = await server.calls();
      return {
        ...{ get: calls['get'] ?? 0, put: calls['set'] ?? 0, delete: calls['del'] ?? 0 },
        ...(await hitsAndMisses(server)),
      };
    },
    close: () => server.close(),
  };
}

async function memcachedStore(): Promise<StoreUnderTest> {
  const server = await startMemcached();
  return {
    port: server.port,
    clear: () => server.command('flush_all'),
    // What was flushed still counts as an item until somebody looks for it.
    count: async () => (await server.command('lru_crawler metadump all')).match(/^key=/gm)?.length ?? 0,
    read: async (key) => /\r\n(.*)\r\nEND/s.exec(await server.command(`get ${key}`))?.[1] ?? '',
    write: (key, value) => server.command(`set ${key} 0 0 ${Buffer.byteLength(value)}`, value),
    counts: async () => {
      const stats = await server.stats();
      const sum = (...names: string[]) => names.reduce((all, name) => all + (stats[name] ?? 0), 0);
      return {
        ...{ get: sum('cmd_get'), put: sum('cmd_set'), delete: sum('delete_hits', 'delete_misses') },
        ...{ hits: sum('get_hits'), misses: sum('get_misses') },
      };
    },
    close: () => server.close(),
  };
}

async function hazelcastStore(): Promise<StoreUnderTest> {
  const member = await startMember();
  const map = await member.map();
  return {
    port: member.port,
    clear: () => map.clear(),
    count: () => map.size(),
    read: async (key) => String(await map.get(key)),
    write: (key, value) => map.set(key, value),
    counts: async () => {
      const { get, put, set, remove, hits } = await member.counts();
      // Of its hits, those of gets alone: every write of a key that is there is one too.
      return { get, put: put + set, delete: remove, hits, misses: get - hits };
    },
    close: () => member.close(),
  };
}
