import type { DriverDescription } from '@pacecar/protocol';
import { z } from 'zod';
import { operationsOf } from '../client-action.js';
import { HAZELCAST_ACTIONS } from './actions.js';
import { isAddressList } from './address.js';

const MOST_ENTRIES = 2_147_483_647;

export const HazelcastSettingsSchema = z
  .strictObject({
    clusterName: z
      .string()
      .min(1)
      .max(100)
      .default('dev')
      .describe('cluster-name of the members; others refuse the client.'),
    map: z.string().min(1).max(100).default('pacecar').describe('Name of the map that operations go to.'),
    members: z
      .string()
      .max(10_000)
      .default('')
      .refine(isAddressList, 'host:port,host:port is wanted')
      .describe(
        "More members, as host:port,host:port: tried too when a client connects, so that the target's own may be down.",
      ),
    smartRouting: z
      .boolean()
      .default(true)
      .describe(
        'true: a connection to every member, and each operation goes to the owner of its key. false: one.',
      ),
    shareClient: z
      .boolean()
      .default(true)
      .describe(
        'true: one client of the library for each engine thread, which its connections of the plan use together, as ' +
          'applications do. false: a client, with sockets of its own, for each connection of the plan.',
      ),
    backupAcks: z
      .boolean()
      .default(true)
      .describe(
        'backupAckToClientEnabled: backups answer the client itself, which saves a hop. With smart routing.',
      ),
    redoOperation: z
      .boolean()
      .default(false)
      .describe('Whether the library repeats writes whose connection was cut; they may then happen twice.'),
    invocationTimeoutMs: z
      .int()
      .min(100)
      .max(3_600_000)
      .default(5_000)
      .describe('For how long the library repeats what it may repeat (its own default: 120000).'),
    keyType: z
      .enum(['string', 'long'])
      .default('string')
      .describe('string: keys as they are. long: the number of the key alone, as a java.lang.Long.'),
    valueType: z
      .enum(['string', 'bytes'])
      .default('string')
      .describe('java.lang.String or byte[]. Values that are no text are bytes in any case.'),
    write: z
      .enum(['set', 'put'])
      .default('set')
      .describe(
        'Of put, insert and putAll. set: set and setAll. put: put, which brings back the old value, and putAll.',
      ),
    nearCache: z
      .boolean()
      .default(false)
      .describe(
        'Whether clients keep what they have read, also from one stage to the next; the latter with shareClient.',
      ),
    nearCacheMaxSize: z
      .int()
      .min(1)
      .max(MOST_ENTRIES)
      .default(MOST_ENTRIES)
      .describe('Most entries that a client keeps, with an eviction policy.'),
    nearCacheEviction: z
      .enum(['NONE', 'LRU', 'LFU', 'RANDOM'])
      .default('NONE')
      .describe('What goes when it is full.'),
    nearCacheTimeToLiveSec: z.int().min(0).max(MOST_ENTRIES).default(0).describe('0: entries stay.'),
    nearCacheMaxIdleSec: z
      .int()
      .min(0)
      .max(MOST_ENTRIES)
      .default(0)
      .describe('Entries that nobody reads for so long go; 0: they stay.'),
    nearCacheInvalidation: z
      .boolean()
      .default(true)
      .describe('invalidateOnChange: members tell of changes. false: what others write is not seen.'),
    nearCacheFormat: z
      .enum(['BINARY', 'OBJECT'])
      .default('BINARY')
      .describe('BINARY: entries are read from bytes on each hit. OBJECT: they are kept ready.'),
  })
  .readonly()
  .refine((settings) => settings.nearCacheMaxSize === MOST_ENTRIES || settings.nearCacheEviction !== 'NONE', {
    message: 'nearCacheMaxSize limits nothing without nearCacheEviction: LRU, LFU or RANDOM',
  });
export type HazelcastSettings = z.infer<typeof HazelcastSettingsSchema>;

export const HAZELCAST_DESCRIPTION: DriverDescription = {
  name: 'hazelcast',
  class: 'client',
  library: 'hazelcast-client',
  scheme: 'hazelcast',
  summary:
    'The hazelcast-client library on a map, as applications use it; depth is the number of promises outstanding on a ' +
    'connection of the plan.',
  operations: operationsOf(HAZELCAST_ACTIONS),
  settings: HazelcastSettingsSchema,
  objection({ records, values }) {
    if (records === null || values.content.kind === 'printable') return null;
    return 'records of a Hazelcast are JSON here, and JSON is text; write content: printable';
  },
};
