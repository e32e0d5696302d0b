import { z } from 'zod';

const count = z.int().min(0);

export const ActNodeSchema = z
  .object({
    role: z.string(),
    index: count,
    address: z.string(),
    product: z.string().nullable().describe('As it says itself; null where it was not asked.'),
    version: z.string().nullable(),
    end: z.enum(['in-order', 'killed']).nullable().describe('How it ended; null: it was not stopped.'),
    files: z.array(z.object({ name: z.string(), bytes: count }).readonly()).readonly(),
    bytes: count.describe('All its files of data together.'),
  })
  .readonly()
  .describe('One process of a service.');

export const ActSchema = z
  .object({
    index: count,
    name: z.string(),
    kind: z.enum(['service', 'wait']),
    text: z.string().describe('What it did: `kill master 0 of cache`.'),
    service: z.string().nullable(),
    outcome: z.enum(['complete', 'partial', 'failed', 'interrupted']),
    startedAtMs: z.number().nullable().describe('Since the run began; null: it never did.'),
    elapsedMs: z.number().min(0).nullable(),
    nodes: z.array(ActNodeSchema).readonly(),
  })
  .readonly()
  .describe('A stage that sent no load.');
export type Act = z.infer<typeof ActSchema>;

export const MarkSchema = z
  .object({
    atMs: z.number().min(0).describe("Since the stage's start."),
    stage: z.string().describe('The stage that did it.'),
    text: z.string(),
  })
  .readonly()
  .describe('Something that was done to a service while the stage ran.');
export type Mark = z.infer<typeof MarkSchema>;
