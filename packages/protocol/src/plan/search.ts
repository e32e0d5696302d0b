import { z } from 'zod';
import { NameSchema } from './name.js';
import { ObjectiveSchema } from './objective.js';
import { milliseconds, positive } from './quantities.js';

/** Each is judged in the coordinator while the stage runs, with histograms of its own. */
const MOST_OBJECTIVES = 10;
const objectives = z.array(ObjectiveSchema).min(1).max(MOST_OBJECTIVES).readonly();
const positiveRate = z.number().min(1e-9).max(1e12);

/** Most probes of one search: at 5 s each, most of them take a quarter of an hour. */
export const MOST_PROBES = 100;

export const StopRuleSchema = z
  .object({
    any: objectives.describe('The stage ends early as soon as one of them has come true.'),
    holdMs: milliseconds.describe('For so long without a break; 0: in one interval.'),
    fewestOperations: positive.describe(
      'Intervals with fewer operations to judge by are joined to the next ones until there are so many.',
    ),
    fromMs: milliseconds.describe('What was before this time of the stage is not judged.'),
  })
  .readonly()
  .describe('Ends a stage early, judged over all its workers in intervals that are whole.');
export type StopRule = z.infer<typeof StopRuleSchema>;

export const SearchSchema = z
  .object({
    workload: NameSchema.describe('The workload whose rate is searched.'),
    objectives: objectives.describe('A rate holds when all of them are met.'),
    minimumPerSec: positiveRate.describe(
      'The lowest rate that is tried, operations per second of all workers.',
    ),
    maximumPerSec: positiveRate,
    settleMs: milliseconds.describe('The beginning of every probe, which is not judged.'),
    growth: z.number().min(1.1).max(100).describe('Factor between rates until one does not hold.'),
    precision: z
      .number()
      .min(0.001)
      .max(1)
      .describe(
        'The search has closed in when the lowest rate that does not hold is at most so much higher.',
      ),
    confirmations: z
      .object({ needed: z.int().min(1).max(10), of: z.int().min(1).max(10) })
      .readonly()
      .refine(({ needed, of }) => needed <= of, 'more confirmations are needed than are tried')
      .describe('The rate that was found holds in so many of so many further probes.'),
    mostProbes: z.int().min(3).max(MOST_PROBES),
  })
  .readonly()
  .refine(
    ({ minimumPerSec, maximumPerSec }) => minimumPerSec < maximumPerSec,
    'the range of rates is reversed',
  )
  .refine(
    ({ confirmations, mostProbes }) => confirmations.of + 2 <= mostProbes,
    'the probes do not suffice for the confirmations',
  )
  .describe(
    'Finds the highest rate that holds. The stage runs once for each probe; its end is the end of a probe.',
  );
export type Search = z.infer<typeof SearchSchema>;
