import type { DriverDescription, Operation, Workload } from '@pacecar/protocol';
import { z } from 'zod';
import { operationsOf } from '../client-action.js';
import { MONGODB_ACTIONS } from './actions.js';

const LONGEST_NAME = 120;

export const MongodbSettingsSchema = z
  .strictObject({
    w: z
      .union([z.int().min(0).max(50), z.literal('majority'), z.literal('server')], {
        error: 'it is a number of members from 0 to 50, majority or server',
      })
      .default('server')
      .describe(
        'Write concern: how many members must have a write before it is answered. 0: it is not answered at all, and what ' +
          'is counted was only sent. server: none is sent, and the server has its own.',
      ),
    journal: z
      .boolean()
      .default(false)
      .describe('Write concern j: a write is answered once it is journaled.'),
    readConcern: z
      .enum(['server', 'local', 'available', 'majority', 'linearizable'])
      .default('server')
      .describe('server: none is sent, and the server has its own.'),
    readPreference: z
      .enum(['primary', 'primaryPreferred', 'secondary', 'secondaryPreferred', 'nearest'])
      .default('primary')
      .describe('Which members of a replica set are read from.'),
    poolSize: z
      .int()
      .min(0)
      .max(1_000)
      .default(0)
      .describe(
        "Sockets of each client, of which each carries one operation at a time; others wait in the library. 0: as many as the workload's depth.",
      ),
    collection: z
      .string()
      .min(1)
      .max(LONGEST_NAME)
      .regex(
        /^(?!system\.)[^$\0]+$/,
        'no name of a collection; allowed: no $, and not system. at its beginning',
      )
      .default('usertable')
      .describe('Where keys and records are.'),
    ordered: z
      .boolean()
      .default(true)
      .describe(
        'Of putAll: in the order of its keys, up to the first error. false: in any order, all of them.',
      ),
    upsert: z
      .boolean()
      .default(false)
      .describe('Whether updateRecord makes a record that is absent; otherwise that is the error NOT_FOUND.'),
    replicaSet: z
      .string()
      .max(LONGEST_NAME)
      .default('')
      .describe(
        'Name of the replica set of which the target is a member: its members are found and followed. Empty: the target alone is spoken to.',
      ),
    authSource: z.string().min(1).max(63).default('admin').describe('Database that knows the user.'),
  })
  .readonly();
export type MongodbSettings = z.infer<typeof MongodbSettingsSchema>;

/** What only the answer to a write tells: whether the key was there. */
const TOLD_BY_ANSWER: ReadonlySet<Operation> = new Set<Operation>(['add', 'replace', 'delete']);

export const MONGODB_DESCRIPTION: DriverDescription = {
  name: 'mongodb',
  class: 'client',
  scheme: 'mongodb',
  summary:
    'The mongodb library, as applications use it (MongoDB, FerretDB and others that speak its protocol); a connection is ' +
    'one client, and depth is the number of promises outstanding on it.',
  operations: operationsOf(MONGODB_ACTIONS),
  settings: MongodbSettingsSchema,
  refusal: ({ target, settings }) =>
    target.addresses === undefined || settings['replicaSet'] !== ''
      ? null
      : 'several addresses are members of one replica set, whose name goes into the setting replicaSet',
  objection: (workload, { settings }) => objectionTo(workload, settings['w'] === 0),
};

function objectionTo({ mix }: Workload, isUnacknowledged: boolean): string | null {
  const living = mix.find(({ timeToLiveMs }) => timeToLiveMs !== null);
  if (living !== undefined)
    return `${living.name} has a time to live, which a document of a MongoDB has not; leave it out`;
  const blind = isUnacknowledged ? mix.find(({ operation }) => TOLD_BY_ANSWER.has(operation)) : undefined;
  if (blind === undefined) return null;
  return (
    `with the setting w: 0 the server does not answer a write, so nobody knows whether ${blind.name} found its key; ` +
    'use another w'
  );
}
