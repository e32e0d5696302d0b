import { z } from 'zod';
import { bytes, port } from '../parameters.js';

export const MEBIBYTE = 1024 * 1024;

export const MemberParametersSchema = z.strictObject({
  members: z
    .int()
    .min(1)
    .max(500)
    .default(1)
    .describe('Members, over all workers of the group; clients are none.'),
  version: z
    .string()
    .regex(/^5\.\d{1,2}\.\d{1,2}$/, 'a version such as 5.5.0 is wanted')
    .default('5.5.0')
    .describe('Version of Hazelcast, fetched by Maven once.'),
  heap: bytes(32 * MEBIBYTE, 1024 * 1024 * MEBIBYTE)
    .default(1024 * MEBIBYTE)
    .describe('Heap of each member.'),
  clusterName: z
    .string()
    .regex(/^[\w.-]{0,100}$/, 'letters, digits, dots, dashes and underscores are allowed')
    .default('dev')
    .describe('The name by which clients find the cluster.'),
  port: port(),
  backupCount: z.int().min(0).max(6).default(1).describe('Copies that an operation waits for.'),
  asyncBackupCount: z.int().min(0).max(6).default(0).describe('Copies that it does not wait for.'),
  readBackupData: z.boolean().default(false).describe('Whether members answer from copies.'),
  inMemoryFormat: z.enum(['BINARY', 'OBJECT']).default('BINARY').describe('How entries are kept.'),
  evictionPolicy: z
    .enum(['NONE', 'LRU', 'LFU', 'RANDOM'])
    .default('NONE')
    .describe('What goes when a map is full.'),
  maxSizePerNode: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .default(0)
    .describe('Most entries of a map on a member, with an eviction policy; 0: no limit.'),
  timeToLiveSeconds: z.int().min(0).max(2_147_483_647).default(0).describe('0: entries stay.'),
  statistics: z.boolean().default(true).describe('Whether maps count their operations.'),
});
export type MemberParameters = z.infer<typeof MemberParametersSchema>;
