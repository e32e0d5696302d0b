import { type Configuration, type DriverDescription, OPERATIONS } from '@pacecar/protocol';
import { z } from 'zod';
import { clusterObjection } from './cluster/route.js';

export const RespSettingsSchema = z
  .strictObject({
    noDelay: z.boolean().default(true).describe('TCP_NODELAY: send small packets at once.'),
    protocol: z
      .union([z.literal(2), z.literal(3)])
      .default(2)
      .describe('Version of RESP that is asked for; a server that does not know it goes on with 2.'),
    mode: z
      .enum(['standalone', 'cluster'])
      .default('standalone')
      .describe(
        'cluster: a Redis Cluster, found from the addresses of the target; each connection of the plan is one to every node, with `depth` operations in flight on all of them together.',
      ),
    readFrom: z
      .enum(['master', 'replica'])
      .default('master')
      .describe('replica: of a cluster, reads go to replicas (READONLY), where there are any.'),
  })
  .readonly();

export const RESP_DESCRIPTION: DriverDescription = {
  name: 'resp',
  class: 'wire',
  scheme: 'redis',
  summary:
    'Speaks RESP itself (Redis and Redis Cluster, Valkey, KeyDB, Dragonfly, Garnet ...), pipelined, at the least cost per operation.',
  operations: OPERATIONS,
  settings: RespSettingsSchema,
  objection: (workload, { settings }) => (settings['mode'] === 'cluster' ? clusterObjection(workload) : null),
  refusal,
};

function refusal({ target, settings }: Configuration): string | null {
  if (settings['mode'] !== 'cluster') {
    if (target.addresses !== undefined)
      return 'several addresses are of a cluster: say `settings: { mode: cluster }`';
    return settings['readFrom'] === 'replica' ? 'readFrom: replica is of a cluster (mode: cluster)' : null;
  }
  if (target.kind === 'builtin') return 'the built-in target is no cluster';
  if (target.socket !== undefined) return 'a cluster has addresses, not a socket';
  return target.database === 0 ? null : `a cluster has only database 0, not ${target.database}`;
}
