import { FAULTS } from '@pacecar/protocol';
import { z } from 'zod';
import { key, required } from '../key-doc.js';
import { count, duration, flag, name, secret, text } from './scalar.js';

/** Services, and stages that do something to them, as they are written. */

export const ServiceShape = {
  recipe: required(name(), {
    says: 'What is run (see Recipes); `pacecar recipes` lists them.',
    example: 'redis-server',
  }),
  group: key(name(), {
    says: 'The workers that run it. By default the group `servers`, or the only one.',
    example: 'servers',
  }),
  parameters: key(z.record(z.string(), text(10_000)), {
    says: "The recipe's own parameters; sizes and durations are written with units.",
    fallback: '{}',
    example: '{ persistence: append-only, maxMemory: 1GB }',
  }),
  username: key(text(1_000), {
    says: 'The user that the servers ask for. By default none.',
    example: 'bench',
  }),
  password: key(secret(), {
    says: 'The password that they ask for, never shown. By default none. Take it from the environment.',
    example: '${env.REDIS_PASSWORD}',
  }),
  readyWithin: key(duration(1), {
    says: 'All its processes are ready within this time of their start; otherwise the run ends and says what is missing.',
    fallback: '1m',
    example: '3m',
  }),
  keep: key(flag(), {
    says: 'Whether it runs on from cell to cell, with its data. By default every cell has a new one with empty files.',
    fallback: 'false',
    example: 'true',
  }),
};

export const ServiceTargetShape = {
  service: required(name(), { says: 'A service of this scenario.', example: 'cache' }),
  database: key(text(63), { says: 'Number or name of the database, as of a target.', example: '1' }),
};

const stageName = () =>
  key(name(), {
    says: 'Stands in the report and on the timeline. By default the kind of the stage, numbered if there are several.',
    example: 'outage',
  });
const service = () =>
  key(name(), { says: "Which one. By default the service of the configuration's target.", example: 'cache' });
const how = () =>
  key(z.enum(['graceful', 'kill']), {
    says: 'graceful: asked to end, with all that it does then. kill: at once, by SIGKILL.',
    fallback: 'graceful',
    example: 'kill',
  });

const PlainShape = { name: stageName(), service: service() };
const EndingShape = { ...PlainShape, how: how() };

/** Stages that send no load, by the word that begins them. */
export const ACT_SHAPES = {
  'service-start': { name: stageName(), service: service() },
  'service-stop': EndingShape,
  'service-restart': { name: stageName(), service: service(), how: how() },
  'service-wait': { name: stageName(), service: service() },
  clear: { name: stageName(), service: service() },
  snapshot: PlainShape,
  fault: {
    name: stageName(),
    service: service(),
    do: required(z.enum(FAULTS), {
      says: 'pause: suspended (SIGSTOP). resume: goes on. kill: SIGKILL. restart: started again after a kill, on its port and with its files.',
      example: 'kill',
    }),
    role: key(text(50), { says: 'Only processes of this role.', example: 'master' }),
    index: key(count(0, 1_000), {
      says: 'Only this one, counted from 0 within the role, or within the service without one. By default all.',
      example: '0',
    }),
  },
  wait: {
    name: stageName(),
    for: required(duration(1), { says: 'How long.', example: '10s' }),
  },
} as const;
export type ActWord = keyof typeof ACT_SHAPES;
export const ACT_WORDS = Object.keys(ACT_SHAPES) as readonly ActWord[];

const SAYS = {
  'service-start':
    'Starts a service, and waits until it is ready. Without this stage a cell starts the service of its target itself.',
  'service-stop':
    'Stops a service; the sizes of its files stand in the report. Without this stage a cell stops at its end what it has started.',
  'service-restart': 'Stops a service and starts it again, on its ports and with its files.',
  'service-wait': 'Waits until every process answers and is part of the whole, for example after a fault.',
  clear: 'Deletes all data of a service.',
  snapshot: 'Asks the servers what they are; the answers stand in the bundle.',
  fault: 'Does something to processes of a service while background stages run.',
  wait: 'Only waits. Alone or with its time: `- wait: 10s`.',
} as const satisfies Record<ActWord, string>;

const forms = (word: ActWord) =>
  word === 'wait'
    ? z.union([duration(1), z.strictObject(ACT_SHAPES.wait)])
    : z.union([name(), z.strictObject(ACT_SHAPES[word])]);

/** For the union of stages: each word with a name or time, or a mapping. */
export const ACT_ENTRIES = Object.fromEntries(
  ACT_WORDS.map((word) => [word, key(forms(word), { says: SAYS[word] })]),
) as Readonly<Record<ActWord, z.ZodOptional<ReturnType<typeof forms>>>>;

/** Words that may stand alone. */
export const LONE_WORDS = [
  'service-start',
  'service-stop',
  'service-restart',
  'service-wait',
  'clear',
  'snapshot',
] as const;
