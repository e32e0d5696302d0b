import { type DriverDescription, OPERATIONS } from '@pacecar/protocol';
import { z } from 'zod';

export const RespSettingsSchema = z
  .strictObject({
    noDelay: z.boolean().default(true).describe('TCP_NODELAY: send small packets at once.'),
    protocol: z
      .union([z.literal(2), z.literal(3)])
      .default(2)
      .describe('Version of RESP that is asked for; a server that does not know it goes on with 2.'),
  })
  .readonly();

export const RESP_DESCRIPTION: DriverDescription = {
  name: 'resp',
  class: 'wire',
  scheme: 'redis',
  summary:
    'Speaks RESP itself (Redis, Valkey, KeyDB, Dragonfly, Garnet ...), pipelined, at the least cost per operation.',
  operations: OPERATIONS,
  settings: RespSettingsSchema,
  refusal: ({ target }) =>
    target.addresses === undefined ? null : 'this driver speaks to one server: one address is enough',
};
