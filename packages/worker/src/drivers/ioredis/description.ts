import type { DriverDescription } from '@pacecar/protocol';
import { z } from 'zod';
import { KEY_OPERATIONS } from '../resp/key-command.js';

export const IoredisSettingsSchema = z
  .strictObject({
    autoPipelining: z
      .boolean()
      .default(false)
      .describe("enableAutoPipelining of the library: collects a turn's commands into one pipeline."),
    protocol: z
      .union([z.literal(2), z.literal(3)])
      .default(3)
      .describe('Version of RESP that the library asks for.'),
    noDelay: z.boolean().default(true).describe('TCP_NODELAY: send small packets at once.'),
  })
  .readonly();
export type IoredisSettings = z.infer<typeof IoredisSettingsSchema>;

export const IOREDIS_DESCRIPTION: DriverDescription = {
  name: 'ioredis',
  class: 'client',
  scheme: 'redis',
  summary:
    'The ioredis library, as applications use it; depth is the number of commands in flight on one client.',
  operations: [...KEY_OPERATIONS],
  settings: IoredisSettingsSchema,
};
