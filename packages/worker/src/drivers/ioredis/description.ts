import type { DriverDescription } from '@pacecar/protocol';
import { z } from 'zod';
import { operationsOf } from '../client-action.js';
import { IOREDIS_ACTIONS } from './actions.js';

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
    'The ioredis library, as applications use it; depth is the number of promises outstanding on one client.',
  operations: operationsOf(IOREDIS_ACTIONS),
  settings: IoredisSettingsSchema,
  refusal: ({ target }) =>
    target.addresses === undefined
      ? null
      : 'this driver speaks to one server: name one address, or take the driver resp with `settings: { mode: cluster }`',
  objection({ mix }) {
    const inline = mix.find((action) => action.inline);
    if (inline === undefined) return null;
    return `${inline.name} is sent inline, which the library cannot do; leave inline out, or use the driver resp`;
  },
};
