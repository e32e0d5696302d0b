import { z } from 'zod';
import { LIMITS } from '../limits.js';
import { ObjectiveSchema } from '../plan/objective.js';

const count = z.int().min(0).max(LIMITS.count);

/** Why a probe is made. */
export const PROBE_STEPS = ['first', 'growth', 'bisection', 'ceiling', 'confirmation'] as const;
export const ProbeStepSchema = z
  .enum(PROBE_STEPS)
  .describe(
    'first: the lowest rate. growth: a factor above the last that held. bisection: between one that held and one that did not. ceiling: the lowest that did not hold, again. confirmation: the rate that was found, again.',
  );
export type ProbeStep = z.infer<typeof ProbeStepSchema>;

export const SEARCH_OUTCOMES = ['found', 'at-least', 'none', 'unsettled'] as const;
export const SearchOutcomeSchema = z
  .enum(SEARCH_OUTCOMES)
  .describe(
    'found: confirmed, and a rate above it does not hold. at-least: the highest rate of the range holds. none: not even the lowest does. unsettled: out of probes before a rate was confirmed.',
  );
export type SearchOutcome = z.infer<typeof SearchOutcomeSchema>;

export const PROBE_FAULTS = ['objective', 'rate', 'dropped', 'late', 'errors', 'nothing'] as const;

/** What one probe of a search came to, over the time that is judged. */
export const ProbeJudgementSchema = z
  .object({
    held: z.boolean(),
    faults: z
      .array(z.enum(PROBE_FAULTS))
      .readonly()
      .describe(
        'objective: one was missed. rate: less was sent than asked, by more than 1 % and chance. dropped: operations were. late: more than 1 % were. errors: more than the budget. nothing: no operation succeeded.',
      ),
    limit: z
      .enum(['generator', 'pacing', 'in-flight'])
      .nullable()
      .describe(
        'What held the rate down. generator: an engine thread was busy all the time. pacing: at least half of the late operations had room in time, and the generator itself sent them late. in-flight: all that may be was.',
      ),
    windowMs: z.number().min(0).describe('Whole intervals in which what was sent is held against the rate.'),
    due: z.number().min(0),
    sent: count,
    late: count,
    dropped: count,
    ok: count,
    failed: count.describe('errors + timeouts + aborted'),
    objectives: z
      .array(
        z.object({ objective: ObjectiveSchema, actual: z.number().nullable(), met: z.boolean() }).readonly(),
      )
      .readonly(),
    p99Ns: z.number().nullable().describe('Of all operations of the searched workload.'),
    utilisation: z.number().min(0).max(1).nullable().describe('Of the busiest engine thread.'),
    inFlight: z.number().min(0).nullable().describe('At the ends of the intervals, as a share of the limit.'),
  })
  .readonly();
export type ProbeJudgement = z.infer<typeof ProbeJudgementSchema>;
