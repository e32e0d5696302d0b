import { type DriverDescription, OPERATIONS } from '@pacecar/protocol';
import { z } from 'zod';

export const RespSettingsSchema = z
  .strictObject({
    noDelay: z.boolean().default(true).describe('TCP_NODELAY: send small packets at once.'),
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
};
