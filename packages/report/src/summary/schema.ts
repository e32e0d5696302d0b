import { FAILURE_CODES, type FailureCode, HostFactsSchema, StageKindSchema } from '@pacecar/protocol';
import { z } from 'zod';
import { ActSchema, MarkSchema } from './act-schema.js';
import {
  count,
  InFlightSchema,
  index,
  LittlesLawSchema,
  LoadSchema,
  ObjectiveResultSchema,
  StageRowSchema,
  StartSkewSchema,
  TimelineSchema,
  TotalSchema,
  WorkerStageSchema,
} from './figures-schema.js';
import { SearchSchema, StopSchema } from './search-schema.js';

export type { Act, Mark } from './act-schema.js';
export type { Probe, SearchSummary, Stop } from './search-schema.js';
export type {
  Figures,
  Latency,
  LittlesLaw,
  Load,
  ObjectiveResult,
  Row,
  Schedule,
  Spectrum,
  StageRow,
  StartSkew,
  Timeline,
  TimelinePoint,
  WorkerStage,
} from './figures-schema.js';

/**
 * summary.json: what a run came to. Everything in it follows from the plan, the events and the frames (never from
 * the manifest, which is written after it), and `null` stands wherever there is no data.
 * Latencies are integer nanoseconds, rates are per second of true elapsed time.
 */
export const SUMMARY_VERSION = 1;

const failureCode = z.enum(Object.keys(FAILURE_CODES) as [FailureCode, ...FailureCode[]]);

export const STAGE_OUTCOMES = ['complete', 'partial', 'failed', 'interrupted'] as const;

export const StageSummarySchema = z
  .object({
    index,
    name: z.string(),
    kind: StageKindSchema,
    background: z.boolean().describe('It ran beside the stages after it until it was told to stop.'),
    beside: z
      .array(z.string())
      .readonly()
      .describe(
        'Of a background stage: the stages that it ran beside. Of any other: the background stages that ran beside it.',
      ),
    outcome: z
      .enum(STAGE_OUTCOMES)
      .describe('complete: every worker drained. partial: some were lost. failed, interrupted: given up.'),
    elapsedMs: z.number().min(0).nullable().describe('True extent: start to the end of the last worker.'),
    participants: z
      .object({ complete: count, of: count })
      .readonly()
      .describe('Workers whose statistics are complete, of those that the plan asks for.'),
    load: z.array(LoadSchema).readonly(),
    connectionsOpened: count
      .nullable()
      .describe(
        'As the workers said when they were armed, over those that took part; null when none said it.',
      ),
    inFlight: InFlightSchema,
    rows: z.array(StageRowSchema).readonly(),
    total: TotalSchema,
    workers: z.array(WorkerStageSchema).readonly(),
    startSkew: StartSkewSchema,
    littlesLaw: LittlesLawSchema,
    timeline: TimelineSchema,
    marks: z.array(MarkSchema).readonly(),
    objectives: z.array(ObjectiveResultSchema).readonly(),
    stoppedBy: StopSchema.nullable().describe('null: no objective ended it early.'),
    search: SearchSchema.nullable().describe(
      'null: the stage has no search. Otherwise the figures of the stage are those of one probe, `result`.',
    ),
  })
  .readonly();
export type StageSummary = z.infer<typeof StageSummarySchema>;

export const UnmeasuredStageSchema = z
  .object({
    index,
    name: z.string(),
    kind: StageKindSchema,
    outcome: z.enum(STAGE_OUTCOMES),
    elapsedMs: z.number().min(0).nullable(),
    sent: count,
    failures: count.describe('errors + timeouts + aborted'),
    stoppedBy: StopSchema.nullable(),
  })
  .readonly()
  .describe('A stage that enters no result: a warm-up.');
export type UnmeasuredStage = z.infer<typeof UnmeasuredStageSchema>;

export const CellSummarySchema = z
  .object({
    index,
    configuration: z.string(),
    driver: z.string(),
    driverClass: z.enum(['client', 'wire']).nullable(),
    repetition: count,
    coordinates: z.record(z.string(), z.union([z.string(), z.number()])),
    stages: z.array(StageSummarySchema).readonly(),
    unmeasured: z.array(UnmeasuredStageSchema).readonly(),
    acts: z.array(ActSchema).readonly(),
  })
  .readonly();
export type CellSummary = z.infer<typeof CellSummarySchema>;

export const LEVELS = ['VALID', 'DEGRADED', 'INVALID'] as const;
export type Level = (typeof LEVELS)[number];

export const FindingSchema = z
  .object({
    rule: z.string(),
    level: z.enum(LEVELS),
    text: z.string().describe('One sentence.'),
    figures: z.record(z.string(), z.union([z.number(), z.string(), z.null()])),
    cell: index.nullable(),
    stage: z.string().nullable(),
  })
  .readonly();
export type Finding = z.infer<typeof FindingSchema>;

export const VerdictSchema = z
  .object({
    status: z.enum(LEVELS),
    reasons: z.array(FindingSchema).readonly().describe('What keeps the run from VALID, the worst first.'),
    evidence: z.array(FindingSchema).readonly().describe('What was checked and holds.'),
  })
  .readonly();
export type Verdict = z.infer<typeof VerdictSchema>;

export const RunWorkerSchema = z
  .object({
    index,
    name: z.string(),
    group: z.string(),
    host: HostFactsSchema.nullable(),
    lost: z
      .object({
        noticedAtMs: z
          .number()
          .describe('When the coordinator gave it up; it may have been gone for a while.'),
        reason: z.string(),
      })
      .readonly()
      .nullable(),
    cuts: count.describe('How often its connection was cut and came back.'),
    clock: z
      .object({ offsetMs: z.number(), errorMs: z.number() })
      .readonly()
      .nullable()
      .describe('Its monotonic clock less the coordinator’s, as last measured.'),
  })
  .readonly();
export type RunWorker = z.infer<typeof RunWorkerSchema>;

export const RunSchema = z
  .object({
    name: z.string(),
    epoch: index.nullable(),
    startedAt: z.string().nullable().describe('ISO 8601 wall time.'),
    endedAt: z.string().nullable(),
    durationMs: z.number().min(0).nullable().describe('First to last event, joining and arming included.'),
    outcome: z.enum(['complete', 'failed', 'interrupted']),
    code: failureCode.nullable(),
    reason: z.string(),
    seed: count,
    pacecarVersion: z.string().nullable(),
    cells: z.object({ complete: count, of: count }).readonly(),
    participants: z.object({ joined: count, of: count, lost: count }).readonly(),
    workers: z.array(RunWorkerSchema).readonly(),
    targets: z
      .array(
        z
          .object({
            configuration: z.string(),
            address: z.string(),
            product: z.string(),
            version: z.string(),
            mode: z.string(),
            settings: z.record(z.string(), z.string()),
            workers: z.array(index).readonly().describe('Those that saw exactly this.'),
          })
          .readonly(),
      )
      .readonly(),
    drivers: z
      .array(
        z
          .object({
            name: z.string(),
            class: z.enum(['client', 'wire']).nullable(),
            versions: z.array(z.string()).readonly(),
            configurations: z.array(z.string()).readonly(),
          })
          .readonly(),
      )
      .readonly(),
  })
  .readonly();
export type RunSummary = z.infer<typeof RunSchema>;

export const SummarySchema = z
  .object({
    summaryVersion: z.literal(SUMMARY_VERSION),
    run: RunSchema,
    verdict: VerdictSchema,
    notes: z.array(z.string()).readonly().describe('What a reader should know and no rule judges.'),
    cells: z.array(CellSummarySchema).readonly(),
  })
  .readonly();
export type Summary = z.infer<typeof SummarySchema>;

/** The published JSON schema of summary.json. */
export function summaryJsonSchema(): object {
  return {
    ...z.toJSONSchema(SummarySchema, { target: 'draft-2020-12' }),
    title: 'Pacecar summary',
    description:
      'summary.json of a Pacecar bundle. Latencies are integer nanoseconds; null stands for no data.',
  };
}
