import type { DriverDescription } from '@pacecar/protocol';
import { z } from 'zod';

export const RespSettingsSchema = z
  .strictObject({
    noDelay: z.boolean().default(true).describe('TCP_NODELAY: send small packets at once.'),
  })
  .readonly();

export const RESP_DESCRIPTION: DriverDescription = {
  name: 'resp',
  class: 'wire',
  summary:
    'Speaks RESP2 itself (Redis, Valkey, KeyDB, Dragonfly, Garnet ...), pipelined, at the least cost per operation.',
  operations: ['get', 'put', 'delete', 'insert'],
  settings: RespSettingsSchema,
};
