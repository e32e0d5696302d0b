import { z } from 'zod';

/** More than any machine sends; keeps every sum of rates finite. */
const LARGEST_PER_SEC = 1e12;
/** One in 31 years; what is less is meant to be 0. */
const SMALLEST_PER_SEC = 1e-9;
/** A day by steps of two seconds. The plan, which holds them, still fits into one control message. */
const MOST_POINTS = 50_000;

const milliseconds = z
  .number()
  .min(0)
  .max(31 * 24 * 3_600_000);
const positiveRate = z.number().min(SMALLEST_PER_SEC).max(LARGEST_PER_SEC);
/** A rate may rest at 0 for a while. */
const rate = z.union([z.literal(0), positiveRate]);

const RateStepSchema = z.object({ durationMs: milliseconds.min(1), ratePerSec: rate }).readonly();
export type RateStep = z.infer<typeof RateStepSchema>;

const RatePointSchema = z.object({ atMs: milliseconds, ratePerSec: rate }).readonly();
export type RatePoint = z.infer<typeof RatePointSchema>;

/** The rate of an open model over time, operations per second of all workers together. Time 0 is the stage's start. */
export const RateProfileSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('constant'), ratePerSec: positiveRate }).readonly(),
    z
      .object({
        kind: z.literal('steps'),
        steps: z
          .array(RateStepSchema)
          .min(1)
          .max(MOST_POINTS)
          .readonly()
          .refine((steps) => steps.some((step) => step.ratePerSec > 0), 'no step has a rate above 0'),
      })
      .readonly()
      .describe('One rate after the other; the last one goes on.'),
    z
      .object({ kind: z.literal('ramp'), fromPerSec: rate, toPerSec: rate, durationMs: milliseconds.min(1) })
      .readonly()
      .refine((ramp) => ramp.fromPerSec > 0 || ramp.toPerSec > 0, 'a ramp from 0 to 0 sends nothing')
      .describe('From one rate to another in a straight line; then that one goes on.'),
    z
      .object({
        kind: z.literal('sine'),
        meanPerSec: positiveRate,
        amplitudePerSec: rate,
        periodMs: milliseconds.min(1),
        /** Where in the wave time 0 is, in periods: 0 rises through the mean, 0.25 is the crest. */
        phase: z.number().min(0).lt(1),
      })
      .readonly()
      .refine(
        (sine) => sine.amplitudePerSec <= sine.meanPerSec,
        'the amplitude is above the mean: the rate would be below 0',
      )
      .describe('mean + amplitude x sin(2 pi (time / period + phase)).'),
    z
      .object({
        kind: z.literal('points'),
        points: z
          .array(RatePointSchema)
          .min(1)
          .max(MOST_POINTS)
          .readonly()
          .refine((points) => points[0]?.atMs === 0, 'the first point is not at 0')
          .refine(
            (points) =>
              points.every(
                (point, index) => index === 0 || point.atMs > (points[index - 1] as RatePoint).atMs,
              ),
            'the points are not in the order of time',
          )
          .refine((points) => points.some((point) => point.ratePerSec > 0), 'no point has a rate above 0'),
        between: z
          .enum(['hold', 'linear'])
          .describe('hold: a rate lasts until the next point. linear: straight lines.'),
      })
      .readonly()
      .describe('A recorded rate, replayed; the last rate goes on.'),
  ])
  .describe('Operations per second of all workers together, over the time of the stage.');
export type RateProfile = z.infer<typeof RateProfileSchema>;
