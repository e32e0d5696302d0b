import { z } from 'zod';
import { RateProfileSchema } from '../schedule/profile.js';
import { AmountSchema } from './amount.js';
import { milliseconds, positive } from './quantities.js';

export const ClosedModelSchema = z
  .object({
    kind: z.literal('closed'),
    thinkTimeMs: milliseconds.describe('Pause between an answer and the next operation of the same slot.'),
    start: z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('together') }).readonly(),
        z
          .object({ kind: z.literal('ramp'), durationMs: milliseconds.min(1) })
          .readonly()
          .describe('Connection i of n starts i / n of this time after the start of the stage.'),
        z
          .object({
            kind: z.literal('staircase'),
            first: AmountSchema,
            step: AmountSchema,
            everyMs: milliseconds.min(1),
          })
          .readonly()
          .describe('So many connections at first, then so many more each time, up to all.'),
      ])
      .describe('When connections begin to send; all are open before the stage starts.'),
  })
  .readonly()
  .describe('A new operation starts when one ends.');
export type ClosedModel = z.infer<typeof ClosedModelSchema>;
/** Without pauses, all connections from the start. */
export const CLOSED_MODEL: ClosedModel = { kind: 'closed', thinkTimeMs: 0, start: { kind: 'together' } };

export const OpenModelSchema = z
  .object({
    kind: z.literal('open'),
    rate: RateProfileSchema,
    arrivals: z.enum(['constant', 'poisson']),
    lateAfterMs: milliseconds.describe(
      'An operation that starts later than this after its due time is counted late.',
    ),
    dropAfterMs: milliseconds
      .nullable()
      .describe('One that could not start for this long is dropped and counted; null: it waits.'),
  })
  .readonly()
  .describe('Starts follow a schedule, at most connections x depth in flight.');
export type OpenModel = z.infer<typeof OpenModelSchema>;

export const ReconnectSchema = z
  .object({
    everyOperations: positive.nullable().describe('Each connection is closed and opened anew after so many.'),
    firstBackOffMs: milliseconds,
    longestBackOffMs: milliseconds,
  })
  .readonly();

export type Reconnect = z.infer<typeof ReconnectSchema>;
/** Only connections that were lost are opened anew. */
export const RECONNECT: Reconnect = { everyOperations: null, firstBackOffMs: 10, longestBackOffMs: 1_000 };
