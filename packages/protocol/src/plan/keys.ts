import { z } from 'zod';
import { count } from './quantities.js';

export const KeysSchema = z
  .object({
    minimum: count.describe('Smallest number, inclusive.'),
    maximum: count.describe('Largest number, inclusive.'),
    prefix: z.string().max(1_000).describe('A key is this prefix, its number and the suffix.'),
    suffix: z
      .string()
      .max(1_000)
      .describe('Stands behind the number; with braces round the number it pins a slot.'),
    order: z
      .enum(['numeric', 'hashed'])
      .describe("numeric: the number itself. hashed: FNV-1 hash of the number, YCSB's order of keys."),
    width: z.int().min(0).max(20).describe("Digits of a key's number, padded with zeros; 0 pads nothing."),
    distribution: z.discriminatedUnion('kind', [
      z
        .object({ kind: z.literal('uniform') })
        .readonly()
        .describe('Each key equally likely.'),
      z
        .object({ kind: z.literal('sequential') })
        .readonly()
        .describe('From minimum to maximum and round again, with a cursor for reads and one for writes.'),
      z
        .object({ kind: z.literal('partitioned') })
        .readonly()
        .describe(
          'Each connection of all workers walks a slice of its own; the slices cover the range once.',
        ),
      z
        .object({ kind: z.literal('gaussian'), median: z.number().min(0), deviation: z.number().positive() })
        .readonly()
        .describe(
          'Normal around the median, drawn again when outside the range. Both in keys from the minimum.',
        ),
      z
        .object({
          kind: z.literal('zipfian'),
          exponent: z.number().positive().max(100),
          scrambled: z.boolean(),
        })
        .readonly()
        .describe(
          'Key i with a weight of 1 / i^exponent; scrambled: the popular ones lie anywhere in the range.',
        ),
      z
        .object({ kind: z.literal('latest'), exponent: z.number().positive().max(100) })
        .readonly()
        .describe('Zipfian by age: the keys inserted last are the most popular.'),
      z
        .object({
          kind: z.literal('hotspot'),
          keysRatio: z.number().gt(0).lt(1),
          operationsRatio: z.number().min(0).max(1),
        })
        .readonly()
        .describe(
          'A share of the keys, the first ones, gets a share of the operations; uniform in both parts.',
        ),
      z
        .object({
          kind: z.literal('exponential'),
          percentile: z.number().gt(0).lt(1),
          keysRatio: z.number().gt(0).max(1),
        })
        .readonly()
        .describe('Exponential, with this share of operations within this share of the keys.'),
    ]),
  })
  .readonly()
  .refine((keys) => keys.maximum >= keys.minimum, 'the maximum is below the minimum');
export type Keys = z.infer<typeof KeysSchema>;
