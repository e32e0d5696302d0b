import {
  type DriverDescription,
  OPERATIONS,
  type Plan,
  type RecipeDescription,
  type ServiceParameters,
} from '@pacecar/protocol';
import { z } from 'zod';
import { formatProblems } from './problem.js';
import { readScenario, type ScenarioInput, type ScenarioResult } from './read.js';

/** Drivers to read scenarios with: one that can do everything, one that only gets and puts, one of another protocol. */
export const DRIVERS: readonly DriverDescription[] = [
  {
    name: 'resp',
    class: 'wire',
    scheme: 'redis',
    summary: 'Speaks RESP.',
    operations: OPERATIONS,
    settings: z
      .strictObject({
        noDelay: z.boolean().default(true),
        protocol: z.union([z.literal(2), z.literal(3)]).default(2),
        mode: z.enum(['standalone', 'cluster']).optional(),
      })
      .readonly() as DriverDescription['settings'],
  },
  {
    name: 'ioredis',
    class: 'client',
    scheme: 'redis',
    summary: 'A client library.',
    operations: ['get', 'put'],
    settings: z.strictObject({ label: z.string().default('') }),
  },
  {
    name: 'memcached',
    class: 'wire',
    scheme: 'memcached',
    summary: 'Speaks the protocol of memcached.',
    operations: ['get', 'put', 'getAll'],
    settings: z.strictObject({}),
    objection: ({ keys }) => (keys.prefix.length > 200 ? `the prefix has ${keys.prefix.length} bytes` : null),
  },
  {
    name: 'mongodb',
    class: 'client',
    scheme: 'mongodb',
    summary: 'Another client library.',
    operations: ['get', 'put', 'delete', 'readRecord', 'updateRecord', 'insertRecord'],
    settings: z.strictObject({ w: z.int().default(1), collection: z.string().default('') }),
    objection: ({ mix }, { settings }) =>
      settings['w'] === 0 && mix.some(({ operation }) => operation === 'delete') ? 'nobody knows' : null,
  },
];

/** Recipes to read scenarios with. They take any parameter, since real ones have tests of their own. */
export const RECIPES: readonly RecipeDescription[] = [
  {
    name: 'redis-server',
    summary: 'One Redis server.',
    roles: ['server'],
    speaks: 'redis',
    login: true,
    parameters: z.looseObject({
      persistence: z.enum(['none', 'snapshot', 'append-only']).default('none'),
      maxMemory: z.int().min(0).default(0).meta({ quantity: 'size' }),
      downAfter: z.int().min(100).default(1_000).meta({ quantity: 'duration' }),
    }) as z.ZodType<ServiceParameters>,
  },
  {
    name: 'redis-cluster',
    summary: 'A Redis Cluster.',
    roles: ['master', 'replica'],
    speaks: 'redis',
    login: true,
    parameters: z.looseObject({
      nodeTimeout: z.int().min(100).default(1_000).meta({ quantity: 'duration' }),
    }) as z.ZodType<ServiceParameters>,
  },
  {
    name: 'hazelcast',
    summary: 'A cluster of Hazelcast members.',
    roles: ['member'],
    speaks: 'gopher',
    login: false,
    parameters: z.strictObject({ members: z.int().min(1).default(1) }),
  },
];

type Options = Partial<Omit<ScenarioInput, 'text'>>;

export function read(text: string, options: Options = {}): ScenarioResult {
  return readScenario({
    text,
    file: 'test.yaml',
    set: {},
    env: {},
    drivers: DRIVERS,
    recipes: RECIPES,
    ...options,
  });
}

/** The plan of a scenario that must be right. */
export function planOf(text: string, options: Options = {}): Plan {
  const result = read(text, options);
  if (!result.ok) throw new Error(formatProblems(result.problems));
  return result.plan;
}

/** The problems of a scenario, as they are printed; empty if it is right. */
export function problemsOf(text: string, options: Options = {}): string {
  const result = read(text, options);
  return result.ok ? '' : formatProblems(result.problems);
}

/** A whole scenario around some stages. */
export function withStages(stages: string, before = ''): string {
  return `pacecar: 1
groups: { clients: 3 }
configurations: { builtin: { target: builtin } }
${before}
stages:
${stages
  .split('\n')
  .map((line) => `  ${line}`)
  .join('\n')}
`;
}
