import { PROBE_FAULTS, PROBE_STEPS, SEARCH_OUTCOMES } from '@pacecar/protocol';
import { z } from 'zod';
import { count, index, ObjectiveResultSchema } from './figures-schema.js';

/** What a stage with a search, and one that an objective ended, came to beside its figures. */

export const StopSchema = z
  .object({
    ...ObjectiveResultSchema.unwrap().shape,
    afterMs: z
      .number()
      .min(0)
      .nullable()
      .describe("When the workers were told to stop, since the stage's start."),
    firstInterval: index.describe('It was true from this interval on.'),
    lastInterval: index.describe('The last of those that `actual` was made of.'),
  })
  .readonly()
  .describe('The objective that ended the stage early, and the figure that it had.');
export type Stop = z.infer<typeof StopSchema>;

export const ProbeSchema = z
  .object({
    number: z.int().min(1).describe('In the order of the search.'),
    index: index.describe('Its number as a stage, as in events and frames.'),
    step: z.enum(PROBE_STEPS),
    ratePerSec: z.number().min(0).describe('Asked, of all workers together.'),
    achievedPerSec: z.number().min(0).nullable().describe('Sent in the time that was judged.'),
    held: z
      .boolean()
      .nullable()
      .describe('null: not judged, as a worker was lost in it or the run ended first.'),
    faults: z.array(z.enum(PROBE_FAULTS)).readonly().describe('Why it did not hold.'),
    limit: z
      .enum(['generator', 'pacing', 'in-flight'])
      .nullable()
      .describe(
        'What held the rate down: a busy engine thread, delays of the generator itself, or what may be in flight; null: nothing that is known.',
      ),
    objectives: z.array(ObjectiveResultSchema).readonly(),
    p99Ns: z.number().min(0).nullable().describe('Of the searched workload, response time.'),
    due: z.number().min(0).nullable(),
    sent: count.nullable(),
    late: count.nullable(),
    dropped: count.nullable(),
    failed: count.nullable().describe('errors + timeouts + aborted'),
    failedRatio: z.number().min(0).max(1).nullable(),
    utilisation: z.number().min(0).max(1).nullable().describe('Of the busiest engine thread.'),
    inFlight: z.number().min(0).nullable().describe('As a share of the limit.'),
    operations: count.describe('Sent in the whole probe.'),
    elapsedMs: z.number().min(0).nullable(),
  })
  .readonly();
export type Probe = z.infer<typeof ProbeSchema>;

export const SearchSchema = z
  .object({
    outcome: z
      .enum(SEARCH_OUTCOMES)
      .nullable()
      .describe(
        'found: confirmed, and a rate above it does not hold. at-least: the highest rate of the range holds. none: not even the lowest does. unsettled: out of probes before a rate was confirmed. null: the run ended first.',
      ),
    workload: z.string(),
    objectives: z.array(z.string()).readonly().describe('All must hold.'),
    minimumPerSec: z.number().min(0),
    maximumPerSec: z.number().min(0),
    precision: z.number().min(0),
    ratePerSec: z
      .number()
      .nullable()
      .describe(
        'The highest rate that holds; of a search that is not settled, the highest that held so far.',
      ),
    ceilingPerSec: z.number().nullable().describe('The lowest rate above it that did not hold.'),
    result: z
      .int()
      .min(1)
      .nullable()
      .describe('Number of the probe whose figures stand for the stage; null: none began.'),
    confirmations: z
      .object({ held: count, of: count })
      .readonly()
      .describe('Further probes at the rate that was found.'),
    probes: z.array(ProbeSchema).readonly(),
    totalMs: z
      .number()
      .min(0)
      .nullable()
      .describe('From the start of the first probe to the end of the last.'),
  })
  .readonly()
  .describe('The way of a search to the highest rate that holds.');
export type SearchSummary = z.infer<typeof SearchSchema>;
