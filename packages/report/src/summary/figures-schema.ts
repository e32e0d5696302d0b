import { LIMITS, NOTE_MEANINGS, OBJECTIVE_METRICS } from '@pacecar/protocol';
import { z } from 'zod';

/** Figures of operations: the parts of which a summary is made. `null` stands wherever there is no data. */
export const count = z.int().min(0).max(LIMITS.count);
export const index = z.int().min(0).max(LIMITS.count);
const nanoseconds = z.int().min(0).max(LIMITS.count).nullable();
const ratio = z.number().min(0).max(1).nullable();
const perSecond = z.number().min(0).nullable();

export const LatencySchema = z
  .object({
    count: count.describe('How many operations were timed.'),
    minNs: nanoseconds,
    meanNs: nanoseconds.describe('Of the exact sum.'),
    p50Ns: nanoseconds,
    p90Ns: nanoseconds,
    p99Ns: nanoseconds,
    p999Ns: nanoseconds.describe('99.9 %'),
    p9999Ns: nanoseconds.describe('99.99 %'),
    maxNs: nanoseconds.describe('Exact.'),
    saturated: count.describe('How many took more than one hour; percentiles count them as one hour.'),
  })
  .readonly()
  .describe(
    'Of merged histograms, 3 significant digits; minimum, mean and maximum are exact. null: no data.',
  );
export type Latency = z.infer<typeof LatencySchema>;

const figures = {
  sent: count.describe(
    'sent = ok + errorCount + timeouts + aborted, plus what a lost worker left in flight when it never reported the end.',
  ),
  ok: count.describe('Answered without error; a miss is an answer.'),
  hits: count
    .nullable()
    .describe('null for operations that look nothing up. By item where an operation has several.'),
  misses: count.nullable(),
  errors: z.record(z.string(), count).describe('Error replies and client errors by kind.'),
  errorCount: count.describe('The sum of errors.'),
  timeouts: count,
  aborted: count.describe(
    'In flight when a connection was cut or the stage had to end; their fate is unknown.',
  ),
  late: count,
  dropped: count.describe('Due by the schedule, never begun; not part of sent.'),
  hitRatio: ratio.describe('hits / (hits + misses)'),
  throughputPerSec: perSecond.describe('ok / true elapsed time'),
  bytesSentPerSec: perSecond,
  bytesReceivedPerSec: perSecond,
  service: LatencySchema.describe('Sent to answered, of operations that were ok.'),
  response: LatencySchema.nullable().describe('Intended start to answered; null in the closed model.'),
  failed: LatencySchema.nullable().describe('Sent to error reply or timeout; null when there were none.'),
  pacing: LatencySchema.nullable().describe(
    "The generator's own error: due, with room for it on its connection, to sent; null in the closed model.",
  ),
  notes: z
    .object({
      NEAR_CACHE: count.optional().describe(NOTE_MEANINGS.NEAR_CACHE),
      MOVED: count.optional().describe(NOTE_MEANINGS.MOVED),
      ASK: count.optional().describe(NOTE_MEANINGS.ASK),
      RETRIED: count.optional().describe(NOTE_MEANINGS.RETRIED),
    })
    .readonly()
    .optional()
    .describe('What happened on the way to answers; left out where nothing of the kind did.'),
};

export const FiguresSchema = z.object(figures).readonly();
export type Figures = z.infer<typeof FiguresSchema>;

export const RowSchema = z.object({ workload: z.string(), operation: z.string(), ...figures }).readonly();
export type Row = z.infer<typeof RowSchema>;

export const SpectrumSchema = z
  .array(z.object({ ratio: z.number().min(0).max(1), latencyNs: count }).readonly())
  .readonly()
  .describe(
    'Latency over the share of operations that took at most as long; rising. Response times in the open model, else ' +
      'service times.',
  );
export type Spectrum = z.infer<typeof SpectrumSchema>;

export const StageRowSchema = z
  .object({ workload: z.string(), operation: z.string(), ...figures, spectrum: SpectrumSchema })
  .readonly();
export type StageRow = z.infer<typeof StageRowSchema>;

export const TotalSchema = z.object({ ...figures, spectrum: SpectrumSchema }).readonly();

export const WorkerStageSchema = z
  .object({
    worker: index,
    name: z.string(),
    complete: z.boolean().describe('It drained, and every one of its frames stands in the bundle.'),
    elapsedMs: z.number().min(0).nullable(),
    rows: z.array(RowSchema).readonly(),
    total: FiguresSchema,
    generator: z
      .object({
        utilisation: ratio.describe('Mean event-loop utilisation of its busiest engine thread.'),
        delayMaxNs: nanoseconds.describe('Longest delay of an event loop.'),
        cpuUserMs: z.number().min(0),
        cpuSystemMs: z.number().min(0),
        residentMaxBytes: count,
      })
      .readonly()
      .nullable()
      .describe('What the load generator itself used.'),
  })
  .readonly();
export type WorkerStage = z.infer<typeof WorkerStageSchema>;

export const StartSkewSchema = z
  .object({
    spreadMs: z
      .number()
      .min(0)
      .nullable()
      .describe(
        "Latest less earliest of the workers' first operations; null unless at least two workers sent one.",
      ),
    errorBoundMs: z
      .number()
      .min(0)
      .nullable()
      .describe('How far the spread may be off: the clock error bounds of the two extreme workers together.'),
    perWorker: z
      .array(
        z
          .object({
            worker: index,
            firstOperationMs: z
              .number()
              .min(0)
              .nullable()
              .describe("Since the stage's common start, or its own due time by a schedule or ramp."),
            clockErrorMs: z.number().min(0).nullable(),
          })
          .readonly(),
      )
      .readonly(),
  })
  .readonly();
export type StartSkew = z.infer<typeof StartSkewSchema>;

export const TimelinePointSchema = z
  .object({
    interval: index.describe('Number of its first interval.'),
    startMs: z.number().min(0).describe("Since the stage's start."),
    endMs: z.number().min(0),
    sent: count,
    ok: count,
    failures: count.describe('errors + timeouts + aborted'),
    misses: count,
    inFlight: count.describe('At its end: in flight at its start + sent = ok + failures + inFlight.'),
    throughputPerSec: perSecond,
    p50Ns: nanoseconds.describe(
      'Of response times in the open model, else of service times; so p99 and max.',
    ),
    p99Ns: nanoseconds,
    maxNs: nanoseconds,
  })
  .readonly();
export type TimelinePoint = z.infer<typeof TimelinePointSchema>;

export const TimelineSchema = z
  .object({
    intervalMs: z.number().min(0).describe('Length of a point.'),
    intervalsPerPoint: z
      .int()
      .min(1)
      .describe('Above 1 in very long stages: so many intervals are merged (exactly) into a point.'),
    total: z.array(TimelinePointSchema).readonly(),
    rows: z
      .array(
        z
          .object({
            workload: z.string(),
            operation: z.string(),
            points: z.array(TimelinePointSchema).readonly(),
          })
          .readonly(),
      )
      .readonly(),
  })
  .readonly();
export type Timeline = z.infer<typeof TimelineSchema>;

const spread = z
  .object({ total: count, minimumPerWorker: count, maximumPerWorker: count })
  .readonly()
  .describe('Over all workers, and for the worker with the least and the most.');

export const ScheduleSchema = z
  .object({
    due: z.number().min(0).describe('Operations that were due, by the schedule, within `windowMs`.'),
    sent: count,
    windowMs: z.number().min(0).describe('How long operations were sent.'),
    duePerSec: perSecond,
    sentPerSec: perSecond,
    deviation: z.number().nullable().describe('sent / due - 1'),
    tolerance: z
      .number()
      .min(0)
      .nullable()
      .describe('1 %, or what chance and the length of an interval allow; a larger deviation is DEGRADED.'),
    judged: z.boolean().describe('false for a stage that was cut short.'),
  })
  .readonly()
  .describe('What the schedule of an open workload asked for, and what was sent.');
export type Schedule = z.infer<typeof ScheduleSchema>;

export const LittlesLawSchema = z
  .object({
    inFlight: z.number().min(0).nullable().describe('Mean of what frames say was in flight.'),
    product: z.number().min(0).nullable().describe('Throughput x mean time from sent to ended.'),
    deviation: z.number().nullable().describe('product / inFlight - 1'),
    tolerance: z.number().min(0).nullable(),
    unjudged: z
      .string()
      .nullable()
      .describe('Why the two cannot be held against each other; null: they are.'),
  })
  .readonly()
  .describe("Little's law: mean in flight = throughput x mean time.");
export type LittlesLaw = z.infer<typeof LittlesLawSchema>;

export const LoadSchema = z
  .object({
    workload: z.string(),
    model: z.enum(['closed', 'open']),
    workers: count.describe(
      'Those that were started in the stage; before the start, those that were told to arm.',
    ),
    threads: spread,
    connections: spread,
    depth: count,
    inFlightLimit: spread.describe('connections x depth: never more is in flight, often less.'),
    schedule: ScheduleSchema.nullable().describe('null in the closed model.'),
  })
  .readonly()
  .describe('How hard a workload may press, by the plan, with the workers that took part.');
export type Load = z.infer<typeof LoadSchema>;

export const InFlightSchema = z
  .object({
    limit: count.describe('By the plan, over all workloads and workers that took part.'),
    samples: count.describe('Whole intervals: each end is one sample, over all workers.'),
    sampledMaximum: count.nullable(),
    sampledMean: z.number().min(0).nullable(),
  })
  .readonly()
  .describe('Operations in flight: what there could be at most, and what frames say there was.');

export const ObjectiveResultSchema = z
  .object({
    text: z.string(),
    operation: z.string(),
    metric: z.enum(OBJECTIVE_METRICS),
    comparison: z.enum(['<', '<=', '>', '>=']),
    threshold: z.number(),
    actual: z.number().nullable().describe('In the unit of the threshold; null when there is no data.'),
    met: z.boolean().describe('false also without data.'),
  })
  .readonly();
export type ObjectiveResult = z.infer<typeof ObjectiveResultSchema>;
