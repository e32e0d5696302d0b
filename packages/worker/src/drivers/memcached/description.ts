import type { DriverDescription, Operation } from '@pacecar/protocol';
import { z } from 'zod';
import { objectionTo } from './limits.js';

export const MemcachedSettingsSchema = z
  .strictObject({
    protocol: z
      .enum(['meta', 'text'])
      .default('meta')
      .describe(
        'meta: the meta commands (mg, ms, md, ma), since memcached 1.6. text: the classic ones (get, set ...), which ' +
          'older servers and other products that speak the protocol have.',
      ),
    noDelay: z.boolean().default(true).describe('TCP_NODELAY: send small packets at once.'),
  })
  .readonly();
export type MemcachedSettings = z.infer<typeof MemcachedSettingsSchema>;

/** What a memcached can do on keys and values. */
const MEMCACHED_OPERATIONS: readonly Operation[] = [
  ...(['get', 'put', 'add', 'replace', 'insert', 'delete', 'increment'] as const),
  ...(['getAll', 'putAll', 'expire', 'readModifyWrite'] as const),
];

export const MEMCACHED_DESCRIPTION: DriverDescription = {
  name: 'memcached',
  class: 'wire',
  summary: 'Speaks the protocol of memcached itself, pipelined, at the least cost per operation.',
  scheme: 'memcached',
  operations: MEMCACHED_OPERATIONS,
  settings: MemcachedSettingsSchema,
  objection: objectionTo,
};
