import { z } from 'zod';
import { LIMITS } from './limits.js';
import { OperationSchema } from './plan/action.js';
import { NameSchema } from './plan/name.js';

const count = z.int().min(0).max(LIMITS.count);

export const HostFactsSchema = z
  .object({
    hostname: z.string().max(253),
    platform: z.string().max(50),
    architecture: z.string().max(50),
    cpuModel: z.string().max(200),
    cpuCount: z.int().min(1),
    memoryBytes: count,
    nodeVersion: z.string().max(50),
    pacecarVersion: z.string().max(50),
    pid: z.int().min(0),
    wallTime: z
      .string()
      .max(40)
      .describe("ISO 8601 with zone, of the worker's own wall clock; only to show."),
  })
  .readonly()
  .describe('What a worker says of its machine.');
export type HostFacts = z.infer<typeof HostFactsSchema>;

export const DriverFactsSchema = z
  .object({
    name: NameSchema,
    class: z
      .enum(['client', 'wire'])
      .describe('client: the library that applications use. wire: the protocol itself.'),
    version: z.string().max(50),
    operations: z.array(OperationSchema).max(100).readonly(),
  })
  .readonly();
export type DriverFacts = z.infer<typeof DriverFactsSchema>;

/** Value of a target's setting `writes` where a write that counts as ok was only sent. */
export const NOT_ACKNOWLEDGED = 'not acknowledged';

export const TargetFactsSchema = z
  .object({
    address: z.string().max(300),
    product: z.string().max(100),
    version: z.string().max(100),
    mode: z.string().max(100),
    settings: z
      .record(z.string().max(100), z.string().max(1_000))
      .readonly()
      .describe('What the server says of its settings, by its own names.'),
    figures: z
      .record(z.string().max(100), z.number())
      .readonly()
      .optional()
      .describe('What the server counted up to that moment: memory, data, operations.'),
  })
  .readonly()
  .describe('What a target says of itself.');
export type TargetFacts = z.infer<typeof TargetFactsSchema>;
