import { type Action, plainAction } from '@pacecar/protocol';
import type { WorkloadLayer } from '../workload/layer.js';

/** The tests of redis-benchmark 7, in its order, each with the command that it sends. */
const COMMANDS = {
  PING_INLINE: 'PING',
  PING_MBULK: 'PING',
  SET: 'SET key:__rand_int__ __data__',
  GET: 'GET key:__rand_int__',
  INCR: 'INCR counter:__rand_int__',
  LPUSH: 'LPUSH mylist __data__',
  RPUSH: 'RPUSH mylist __data__',
  LPOP: 'LPOP mylist',
  RPOP: 'RPOP mylist',
  SADD: 'SADD myset element:__rand_int__',
  HSET: 'HSET myhash element:__rand_int__ __data__',
  SPOP: 'SPOP myset',
  ZADD: 'ZADD myzset __rand_int__ element:__rand_int__',
  ZPOPMIN: 'ZPOPMIN myzset',
  LRANGE_100: 'LRANGE mylist 0 99',
  LRANGE_300: 'LRANGE mylist 0 299',
  LRANGE_500: 'LRANGE mylist 0 499',
  LRANGE_600: 'LRANGE mylist 0 599',
  MSET: `MSET${' key:__rand_int__ __data__'.repeat(10)}`,
  XADD: 'XADD mystream * myfield __data__',
} as const;
export type RedisTest = keyof typeof COMMANDS;
export const REDIS_TESTS = Object.keys(COMMANDS) as [RedisTest, ...RedisTest[]];

/** What its defaults are: 50 clients, 100,000 requests in all, 3 bytes, one key. */
export const REDIS_BENCHMARK_FILLS: WorkloadLayer = {
  connections: { count: 50, scope: 'total' },
  keyRange: { minimum: 0, maximum: 0 },
  valueSize: { kind: 'fixed', bytes: 3 },
};
export const REDIS_BENCHMARK_OPERATIONS = { count: 100_000, scope: 'total' } as const;

/** One stage of the suite. */
export interface RedisStage {
  readonly name: string;
  /** Only prepares what a test reads. */
  readonly prepares: boolean;
  readonly action: Action;
}

/** The list that LRANGE reads must be longer than what it asks for. */
const LIST_LENGTH = 1_000;
export const REDIS_PREPARATION = { count: LIST_LENGTH, scope: 'total' } as const;
const PREPARATION = 'LPUSH for LRANGE';

/** The stages of some tests, in the order of the suite. */
export function redisStages(tests: readonly RedisTest[]): RedisStage[] {
  const stages: RedisStage[] = [];
  for (const test of REDIS_TESTS) {
    if (!tests.includes(test)) continue;
    if (test.startsWith('LRANGE') && !stages.some(({ prepares }) => prepares))
      stages.push({ name: PREPARATION, prepares: true, action: actionOf('LPUSH') });
    stages.push({ name: test, prepares: false, action: actionOf(test) });
  }
  return stages;
}

function actionOf(test: RedisTest): Action {
  return {
    ...plainAction('command', 1),
    name: test,
    commands: [COMMANDS[test]],
    inline: test === 'PING_INLINE',
  };
}
