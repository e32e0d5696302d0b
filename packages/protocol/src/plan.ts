import { z } from 'zod';
import { LIMITS } from './limits.js';
import { type Action, CAN_MISS } from './plan/action.js';
import { AmountSchema } from './plan/amount.js';
import { NameSchema } from './plan/name.js';
import { ObjectiveSchema, type RowName } from './plan/objective.js';
import { count, milliseconds } from './plan/quantities.js';
import { SearchSchema, StopRuleSchema } from './plan/search.js';
import { ServiceActionSchema, ServiceSchema } from './plan/service.js';
import { isPem, type Target, TargetSchema } from './plan/target.js';
import { WorkloadSchema } from './plan/workload.js';

export * from './plan/action.js';
export * from './plan/amount.js';
export * from './plan/keys.js';
export * from './plan/model.js';
export * from './plan/name.js';
export * from './plan/objective.js';
export * from './plan/search.js';
export * from './plan/service.js';
export * from './plan/target.js';
export * from './plan/values.js';
export * from './plan/workload.js';

/**
 * The plan: a scenario resolved (defaults, units, properties, sweeps). All that coordinator and workers ever see.
 * Times in ms, sizes in bytes, counts exact integers up to 2^53-1.
 */

/** Kinds of stages that send load. */
export const STAGE_KINDS = ['load', 'warm-up', 'measure', 'verify'] as const;
export type LoadKind = (typeof STAGE_KINDS)[number];
export const StageKindSchema = z.enum([...STAGE_KINDS, 'service', 'wait']);
export type StageKind = z.infer<typeof StageKindSchema>;

export const StageSchema = z
  .object({
    name: NameSchema,
    kind: StageKindSchema.describe(
      'What the stage is for: a warm-up never enters a result; objectives judge measure stages, budgets all but warm-ups; service and wait send nothing.',
    ),
    group: NameSchema.describe('The workers that take part.'),
    workloads: z
      .array(WorkloadSchema)
      .max(LIMITS.workloadsPerStage)
      .readonly()
      .describe('None in a stage that sends no load.'),
    end: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('duration'), durationMs: milliseconds.min(1) }).readonly(),
      z.object({ kind: z.literal('operations'), operations: AmountSchema }).readonly(),
      z
        .object({ kind: z.literal('keys') })
        .readonly()
        .describe('Every key of the range once, over all workers.'),
      z
        .object({ kind: z.literal('stage'), stage: NameSchema })
        .readonly()
        .describe(
          'A background stage: the stages after it run beside it, until the later one of this name has closed; then it is told to stop.',
        ),
      z
        .object({ kind: z.literal('done') })
        .readonly()
        .describe('When what a service stage does is done.'),
    ]),
    action: ServiceActionSchema.optional().describe('What a service stage does.'),
    operationTimeoutMs: milliseconds
      .min(1)
      .describe(
        'How long an operation may take before it counts as a timeout and its connection is opened anew.',
      ),
    connectTimeoutMs: milliseconds.min(1),
    armTimeoutMs: milliseconds
      .min(1)
      .describe('Every worker has its connections open and is armed within this time.'),
    drainMs: milliseconds.describe(
      'After its end a stage waits this long for what is in flight; then it is aborted.',
    ),
    limitMs: milliseconds.min(1).describe('A stage that ends by count or keys is given up after this time.'),
    stopWhen: StopRuleSchema.nullable().default(null).describe('Ends the stage before its end.'),
    search: SearchSchema.nullable().default(null).describe('Only of a measure stage that ends by time.'),
  })
  .readonly()
  .refine((stage) => stage.workloads.length > 0 === sendsLoad(stage), 'load is of stages that send load')
  .refine(
    (stage) => (stage.action !== undefined) === (stage.kind === 'service'),
    'an action is of a service stage',
  );
export type Stage = z.infer<typeof StageSchema>;

/** Whether a stage sends load, and so has results; the others do something to a service, or only wait. */
export function sendsLoad({ kind }: { readonly kind: StageKind }): boolean {
  return kind !== 'service' && kind !== 'wait';
}

/** Whether a stage runs beside the stages after it, until it is told to stop. */
export function isBackground({ end }: Pick<Stage, 'end'>): boolean {
  return end.kind === 'stage';
}

/** The stages of a cell, by position, that a background stage runs beside: later ones of the foreground. */
export function besideOf(stages: readonly Stage[], background: number): number[] {
  const end = stages[background]?.end;
  if (end?.kind !== 'stage') return [];
  const named = stages.findIndex(({ name }, position) => position > background && name === end.stage);
  const last = named === -1 ? stages.length - 1 : named;
  return stages.flatMap((stage, position) =>
    position > background && position <= last && !isBackground(stage) ? [position] : [],
  );
}

/** Whether a stage ends by what it has done; otherwise it lasts until a moment, whatever its connections do. */
export function endsByCount({ end }: Pick<Stage, 'end'>): boolean {
  return end.kind === 'operations' || end.kind === 'keys';
}

/** The action that a row counts; null if the stage has none of that name. */
export function actionOf(stage: Pick<Stage, 'workloads'>, row: RowName): Action | null {
  const workload = stage.workloads.find(({ name }) => name === row.workload);
  return workload?.mix.find(({ name }) => name === row.operation) ?? null;
}

/** Whether each ok operation of a row is a hit or a miss: ok = hits + misses. */
export function canMiss(stage: Pick<Stage, 'workloads'>, row: RowName): boolean {
  return CAN_MISS.has(actionOf(stage, row)?.operation ?? '');
}

/** Marks a text that must never be shown: plans in a bundle carry `SECRET_SHOWN` in its place. */
export const SECRET_SHOWN = '***';

export const ConfigurationSchema = z
  .object({
    name: NameSchema,
    driver: NameSchema,
    target: TargetSchema,
    settings: z
      .record(z.string().max(100), z.union([z.string().max(10_000), z.number(), z.boolean()]))
      .readonly()
      .describe("The driver's own settings, checked by the driver's schema."),
  })
  .readonly();
export type Configuration = z.infer<typeof ConfigurationSchema>;

export const CellSchema = z
  .object({
    index: z.int().min(0),
    configuration: NameSchema,
    /** From 0. */
    repetition: z.int().min(0),
    /** The sweep point: property name to value, as written. */
    coordinates: z.record(z.string().max(100), z.union([z.string().max(1_000), z.number()])).readonly(),
    stages: z.array(StageSchema).min(1).max(LIMITS.stagesPerCell).readonly(),
  })
  .readonly();
export type Cell = z.infer<typeof CellSchema>;

export const GroupSchema = z
  .object({ name: NameSchema, size: z.int().min(1).max(LIMITS.workers) })
  .readonly();
export type Group = z.infer<typeof GroupSchema>;

export const LivenessSchema = z
  .object({
    heartbeatMs: milliseconds.min(10),
    /** A worker that has been silent or gone for this long is lost. */
    lostAfterMs: milliseconds.min(20),
    /** A worker that has not heard the coordinator for this long stops its load by itself. */
    leaseMs: milliseconds.min(20),
    /** All workers have joined within this time of the start. */
    joinTimeoutMs: milliseconds.min(1),
    /** How far ahead the common start lies once all are armed. */
    startLeadMs: milliseconds,
  })
  .readonly();
export type Liveness = z.infer<typeof LivenessSchema>;

export const PlanSchema = z
  .object({
    pacecar: z.literal(1),
    name: NameSchema,
    /** Seeds every random stream of the run. */
    seed: count,
    /** In the order in which indexes are given out: the first group has workers 0, 1 ... */
    groups: z.array(GroupSchema).min(1).max(100).readonly(),
    configurations: z.array(ConfigurationSchema).min(1).max(1_000).readonly(),
    services: z.array(ServiceSchema).max(LIMITS.services).readonly().optional(),
    /** In the order of the run. */
    cells: z.array(CellSchema).min(1).max(LIMITS.cells).readonly(),
    order: z.enum(['interleaved', 'sequential']),
    onWorkerLoss: z.enum(['fail', 'continue']),
    /** Largest share of operations that may fail (errors + timeouts + aborted), 0..1; above: exit 1. */
    errorBudget: z.number().min(0).max(1),
    /** Largest share of reads that may miss, 0..1; above: DEGRADED. */
    missBudget: z.number().min(0).max(1),
    /** Largest spread of the workers' first operations; above: DEGRADED. */
    startSkewLimitMs: milliseconds,
    objectives: z.array(ObjectiveSchema).max(100).readonly(),
    intervalMs: milliseconds.min(100),
    liveness: LivenessSchema,
  })
  .readonly();
export type Plan = z.infer<typeof PlanSchema>;

const hidden = (secret: string | null): string | null => (secret === null ? null : SECRET_SHOWN);

/** The plan without its secrets: what may be written, shown and logged. */
export function withoutSecrets(plan: Plan): Plan {
  const { services } = plan;
  return {
    ...plan,
    configurations: plan.configurations.map((configuration) => ({
      ...configuration,
      target: publicTarget(configuration.target),
    })),
    ...(services === undefined
      ? {}
      : { services: services.map((service) => ({ ...service, password: hidden(service.password) })) }),
  };
}

function publicTarget(target: Target): Target {
  const { tls } = target;
  const open = { ...target, password: hidden(target.password) };
  if (tls === undefined || tls.key === null || !isPem(tls.key)) return open;
  return { ...open, tls: { ...tls, key: SECRET_SHOWN } };
}

/** How many workers a plan runs on. */
export function workerCount(plan: Plan): number {
  return plan.groups.reduce((sum, group) => sum + group.size, 0);
}
