import { z } from 'zod';
import { valueBytes as bytes } from './quantities.js';

export const SizeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fixed'), bytes }).readonly(),
  z
    .object({ kind: z.literal('uniform'), minimumBytes: bytes, maximumBytes: bytes })
    .readonly()
    .describe('Each size from minimum to maximum, both inclusive, equally likely.'),
  z
    .object({
      kind: z.literal('weighted'),
      sizes: z
        .array(z.object({ bytes, weight: z.number().positive().max(1e9) }).readonly())
        .min(1)
        .max(1_000)
        .readonly(),
    })
    .readonly()
    .describe('Each size as often as its weight says.'),
  z
    .object({
      kind: z.literal('gaussian'),
      minimumBytes: bytes,
      maximumBytes: bytes,
      medianBytes: z.number().min(0),
      deviationBytes: z.number().positive(),
    })
    .readonly()
    .describe('Normal around the median, drawn again when outside minimum..maximum.'),
]);
export type Size = z.infer<typeof SizeSchema>;

export const ValuesSchema = z
  .object({
    size: SizeSchema,
    content: z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('printable') }).readonly(),
        z.object({ kind: z.literal('random') }).readonly(),
        z
          .object({ kind: z.literal('compressible'), ratio: z.number().min(1).max(20) })
          .readonly()
          .describe('Shrinks to about 1 / ratio of its size.'),
      ])
      .describe('Any reader can check a value of any kind: it begins with a mark of its key and length.'),
  })
  .readonly();
export type Values = z.infer<typeof ValuesSchema>;

export const RecordsSchema = z
  .object({
    fields: z.int().min(1).max(10_000),
    fieldSize: SizeSchema,
    readAllFields: z.boolean(),
    writeAllFields: z.boolean(),
  })
  .readonly()
  .describe("YCSB's record: fields named field0, field1 ... of a size.");
export type Records = z.infer<typeof RecordsSchema>;
