import { z } from 'zod';
import { LIMITS } from '../limits.js';
import { ActionSchema } from './action.js';
import { AmountSchema } from './amount.js';
import { KeysSchema } from './keys.js';
import { ClosedModelSchema, OpenModelSchema, ReconnectSchema } from './model.js';
import { NameSchema } from './name.js';
import { RecordsSchema, ValuesSchema } from './values.js';

export const WorkloadSchema = z
  .object({
    name: NameSchema,
    threads: AmountSchema.describe('Engine threads.'),
    connections: AmountSchema.describe('Connections; in flight = connections x depth.'),
    depth: z.int().min(1).max(LIMITS.depth).describe('Operations in flight on each connection.'),
    mix: z.array(ActionSchema).min(1).max(LIMITS.actionsPerMix).readonly(),
    mixMode: z
      .enum(['random', 'ratio'])
      .describe(
        'random: chosen by weight, seeded. ratio: each connection does the first action weight times, then the second, and round again.',
      ),
    keys: KeysSchema,
    values: ValuesSchema,
    records: RecordsSchema.nullable(),
    checkValues: z
      .boolean()
      .describe(
        'Whether a read, also of what a scan finds, checks that the value belongs to its key; a wrong one is the error VALUE_MISMATCH.',
      ),
    model: z.discriminatedUnion('kind', [ClosedModelSchema, OpenModelSchema]),
    reconnect: ReconnectSchema,
  })
  .readonly();
export type Workload = z.infer<typeof WorkloadSchema>;
