import { z } from 'zod';
import { LIMITS } from './limits.js';
import { RateProfileSchema } from './schedule/profile.js';
import { share } from './share.js';

/**
 * The plan: a scenario resolved (defaults, units, properties, sweeps). All that coordinator and workers ever see.
 * Times in ms, sizes in bytes, counts exact integers up to 2^53-1.
 */

const count = z.int().min(0).max(LIMITS.count);
const positive = z.int().min(1).max(LIMITS.count);
const milliseconds = z
  .number()
  .min(0)
  .max(31 * 24 * 3_600_000);

/** Names of groups, configurations, stages ... Data, not code: any printable text; escaped wherever it is shown. */
export const NameSchema = z
  .string()
  .min(1)
  .max(LIMITS.nameLength)
  .refine((name) => !hasControlCharacter(name), 'a name has no control characters')
  .describe('Any printable text: it is data, and whoever shows it escapes it.');

function hasControlCharacter(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    if (code < 32 || (code >= 127 && code < 160)) return true;
  }
  return false;
}

export const AmountSchema = z
  .object({
    count: positive,
    scope: z
      .enum(['worker', 'total'])
      .describe('worker: each worker has this many. total: all workers of the stage together.'),
  })
  .readonly()
  .describe('How many, and whether for each worker or in total.');
export type Amount = z.infer<typeof AmountSchema>;

/** How much of `amount` worker `index` of `of` has; over all workers a total sums to itself. */
export function amountFor(amount: Amount, of: number, index: number): number {
  return amount.scope === 'worker' ? amount.count : share(amount.count, of, index);
}

/** Operations that drivers know, each with what it does. A driver declares which of them it supports. */
export const OPERATION_MEANINGS = {
  get: 'read the value of a key',
  put: 'write the value of a key',
  add: 'write the value of a key that is absent; a present one is a miss',
  replace: 'write the value of a key that is present; an absent one is a miss',
  insert:
    'write a key that no other operation of the run has written: past the range, disjoint over all workers',
  delete: 'remove a key; an absent one is a miss',
  increment: 'add one to the counter under a key',
  getAll: 'read the values of `batch` keys at once',
  putAll: 'write the values of `batch` keys at once',
  expire: 'set the time to live of a key; an absent one is a miss',
  getRange: 'read a part of the value of a key',
  putRange: 'overwrite a part of the value of a key',
  scan: 'one step of a walk over all keys, `batch` keys wide',
  readModifyWrite: 'read a key, then write it; the time of both is one',
  readRecord: 'read a record: all fields or one',
  updateRecord: 'write all fields of a record or one',
  insertRecord: 'write a record that no other operation of the run has written',
  scanRecords: 'read up to `batch` records in the order of their keys, from one on',
  readModifyWriteRecord: 'read a record, then write it; the time of both is one',
  command: "any command of the target's own language",
  transaction: 'several commands that happen together',
} as const;
export type Operation = keyof typeof OPERATION_MEANINGS;
export const OPERATIONS = Object.keys(OPERATION_MEANINGS) as [Operation, ...Operation[]];
export const OperationSchema = z.enum(OPERATIONS);

/** Operations on one key that find it or miss it: ok = hits + misses. Others count hits and misses by item. */
export const CAN_MISS: ReadonlySet<string> = new Set<Operation>([
  'get',
  'add',
  'replace',
  'delete',
  'expire',
  'getRange',
  'readModifyWrite',
  'readRecord',
  'readModifyWriteRecord',
]);

export const KeysSchema = z
  .object({
    minimum: count.describe('Smallest number, inclusive.'),
    maximum: count.describe('Largest number, inclusive.'),
    prefix: z.string().max(1_000).describe('A key is this prefix, its number and the suffix.'),
    suffix: z
      .string()
      .max(1_000)
      .describe('Stands behind the number; with braces round the number it pins a slot.'),
    order: z
      .enum(['numeric', 'hashed'])
      .describe("numeric: the number itself. hashed: FNV-1 hash of the number, YCSB's order of keys."),
    width: z.int().min(0).max(20).describe("Digits of a key's number, padded with zeros; 0 pads nothing."),
    distribution: z.discriminatedUnion('kind', [
      z
        .object({ kind: z.literal('uniform') })
        .readonly()
        .describe('Each key equally likely.'),
      z
        .object({ kind: z.literal('sequential') })
        .readonly()
        .describe('From minimum to maximum and round again, with a cursor for reads and one for writes.'),
      z
        .object({ kind: z.literal('partitioned') })
        .readonly()
        .describe(
          'Each connection of all workers walks a slice of its own; the slices cover the range once.',
        ),
      z
        .object({ kind: z.literal('gaussian'), median: z.number().min(0), deviation: z.number().positive() })
        .readonly()
        .describe(
          'Normal around the median, drawn again when outside the range. Both in keys from the minimum.',
        ),
      z
        .object({
          kind: z.literal('zipfian'),
          exponent: z.number().positive().max(100),
          scrambled: z.boolean(),
        })
        .readonly()
        .describe(
          'Key i with a weight of 1 / i^exponent; scrambled: the popular ones lie anywhere in the range.',
        ),
      z
        .object({ kind: z.literal('latest'), exponent: z.number().positive().max(100) })
        .readonly()
        .describe('Zipfian by age: the keys inserted last are the most popular.'),
      z
        .object({
          kind: z.literal('hotspot'),
          keysRatio: z.number().gt(0).lt(1),
          operationsRatio: z.number().min(0).max(1),
        })
        .readonly()
        .describe(
          'A share of the keys, the first ones, gets a share of the operations; uniform in both parts.',
        ),
      z
        .object({
          kind: z.literal('exponential'),
          percentile: z.number().gt(0).lt(1),
          keysRatio: z.number().gt(0).max(1),
        })
        .readonly()
        .describe('Exponential, with this share of operations within this share of the keys.'),
    ]),
  })
  .readonly()
  .refine((keys) => keys.maximum >= keys.minimum, 'the maximum is below the minimum');
export type Keys = z.infer<typeof KeysSchema>;

const bytes = z.int().min(0).max(LIMITS.valueBytes);
export const SizeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fixed'), bytes }).readonly(),
  z
    .object({ kind: z.literal('uniform'), minimumBytes: bytes, maximumBytes: bytes })
    .readonly()
    .describe('Each size from minimum to maximum, both inclusive, equally likely.'),
  z
    .object({
      kind: z.literal('weighted'),
      sizes: z
        .array(z.object({ bytes, weight: z.number().positive().max(1e9) }).readonly())
        .min(1)
        .max(1_000)
        .readonly(),
    })
    .readonly()
    .describe('Each size as often as its weight says.'),
  z
    .object({
      kind: z.literal('gaussian'),
      minimumBytes: bytes,
      maximumBytes: bytes,
      medianBytes: z.number().min(0),
      deviationBytes: z.number().positive(),
    })
    .readonly()
    .describe('Normal around the median, drawn again when outside minimum..maximum.'),
]);
export type Size = z.infer<typeof SizeSchema>;

export const ValuesSchema = z
  .object({
    size: SizeSchema,
    content: z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('printable') }).readonly(),
        z.object({ kind: z.literal('random') }).readonly(),
        z
          .object({ kind: z.literal('compressible'), ratio: z.number().min(1).max(20) })
          .readonly()
          .describe('Shrinks to about 1 / ratio of its size.'),
      ])
      .describe('Any reader can check a value of any kind: it begins with a mark of its key and length.'),
  })
  .readonly();
export type Values = z.infer<typeof ValuesSchema>;

/** One entry of a workload's mix: an operation with its parameters; null where it has none of that kind. */
export const ActionSchema = z
  .object({
    name: NameSchema.describe('Names the row in the report; unique in the workload.'),
    operation: OperationSchema,
    weight: z
      .number()
      .positive()
      .max(1e9)
      .describe('Share of the operations; in mode ratio a whole number of turns.'),
    batch: z.int().min(1).max(10_000).nullable().describe('Items of getAll, putAll, scan and scanRecords.'),
    timeToLiveMs: milliseconds.min(1).nullable().describe('Of put, add, insert and expire; null: for ever.'),
    range: z
      .object({ offsetBytes: bytes, lengthBytes: bytes })
      .readonly()
      .nullable()
      .describe('Of getRange and putRange.'),
    commands: z
      .array(
        z
          .string()
          .min(1)
          .max(1024 * 1024),
      )
      .max(100)
      .readonly()
      .describe('Of command (one) and transaction (several): text with __placeholders__.'),
  })
  .readonly();
export type Action = z.infer<typeof ActionSchema>;

/** An operation without parameters, named after itself. */
export function plainAction(operation: Operation, weight: number): Action {
  return { name: operation, operation, weight, batch: null, timeToLiveMs: null, range: null, commands: [] };
}

export const RecordsSchema = z
  .object({
    fields: z.int().min(1).max(10_000),
    fieldSize: SizeSchema,
    readAllFields: z.boolean(),
    writeAllFields: z.boolean(),
  })
  .readonly()
  .describe("YCSB's record: fields named field0, field1 ... of a size.");
export type Records = z.infer<typeof RecordsSchema>;

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

export const WorkloadSchema = z
  .object({
    name: NameSchema,
    threads: AmountSchema.describe('Engine threads.'),
    connections: AmountSchema.describe('Connections; in flight = connections x depth.'),
    depth: z.int().min(1).max(LIMITS.depth).describe('Operations in flight on each connection.'),
    mix: z.array(ActionSchema).min(1).max(LIMITS.actionsPerMix).readonly(),
    mixMode: z
      .enum(['random', 'ratio'])
      .describe(
        'random: chosen by weight, seeded. ratio: each connection does the first action weight times, then the second, and round again.',
      ),
    keys: KeysSchema,
    values: ValuesSchema,
    records: RecordsSchema.nullable(),
    checkValues: z
      .boolean()
      .describe(
        'Whether a read checks that the value belongs to its key; a wrong one is the error VALUE_MISMATCH.',
      ),
    model: z.discriminatedUnion('kind', [ClosedModelSchema, OpenModelSchema]),
    reconnect: ReconnectSchema,
  })
  .readonly();
export type Workload = z.infer<typeof WorkloadSchema>;

export const STAGE_KINDS = ['load', 'warm-up', 'measure', 'verify'] as const;
export const StageKindSchema = z.enum(STAGE_KINDS);
export type StageKind = z.infer<typeof StageKindSchema>;

export const StageSchema = z
  .object({
    name: NameSchema,
    kind: StageKindSchema.describe(
      'What the stage is for: a warm-up never enters a result; objectives judge measure stages, budgets all but warm-ups.',
    ),
    group: NameSchema.describe('The workers that take part.'),
    workloads: z.array(WorkloadSchema).min(1).max(LIMITS.workloadsPerStage).readonly(),
    end: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('duration'), durationMs: milliseconds.min(1) }).readonly(),
      z.object({ kind: z.literal('operations'), operations: AmountSchema }).readonly(),
      z
        .object({ kind: z.literal('keys') })
        .readonly()
        .describe('Every key of the range once, over all workers.'),
    ]),
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
  })
  .readonly();
export type Stage = z.infer<typeof StageSchema>;

/** Marks a text that must never be shown: plans in a bundle carry `SECRET_SHOWN` in its place. */
export const SECRET_SHOWN = '***';

export const TargetSchema = z
  .object({
    kind: z.enum(['address', 'builtin']).describe("builtin: Pacecar's own target, started with the run."),
    host: z.string().min(1).max(253),
    port: z.int().min(0).max(65_535),
    username: z.string().max(1_000).nullable(),
    password: z.string().max(10_000).nullable(),
    database: z.int().min(0).max(1_000_000),
  })
  .readonly();
export type Target = z.infer<typeof TargetSchema>;

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

export const OBJECTIVE_METRICS = [
  'mean',
  'p50',
  'p90',
  'p99',
  'p99.9',
  'p99.99',
  'max',
  'throughput',
  'errors',
  'misses',
] as const;

export const ObjectiveSchema = z
  .object({
    /** As written, for example `get.p99 < 5ms`. */
    text: z.string().max(200),
    /** An operation, or `total`. */
    operation: z.string().max(LIMITS.nameLength),
    metric: z.enum(OBJECTIVE_METRICS),
    comparison: z.enum(['<', '<=', '>', '>=']),
    /** ns for latencies, operations per second for throughput, 0..1 for errors and misses. */
    threshold: z.number(),
  })
  .readonly();
export type Objective = z.infer<typeof ObjectiveSchema>;

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

/** The plan without its secrets: what may be written, shown and logged. */
export function withoutSecrets(plan: Plan): Plan {
  return {
    ...plan,
    configurations: plan.configurations.map((configuration) => ({
      ...configuration,
      target: {
        ...configuration.target,
        password: configuration.target.password === null ? null : SECRET_SHOWN,
      },
    })),
  };
}

/** How many workers a plan runs on. */
export function workerCount(plan: Plan): number {
  return plan.groups.reduce((sum, group) => sum + group.size, 0);
}
