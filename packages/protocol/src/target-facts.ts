import { z } from 'zod';

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
  })
  .readonly()
  .describe('What a target says of itself.');
export type TargetFacts = z.infer<typeof TargetFactsSchema>;
