import { startTarget } from '@pacecar/worker';
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

/** Servers that every driver must get on with. */
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
