import { z } from 'zod';
import { CalibrationSchema } from './calibration.js';
import { DriverFactsSchema, HostFactsSchema, TargetFactsSchema } from './facts.js';
import { FAILURE_CODES, type FailureCode } from './failure.js';
import { WorkerInsertsSchema } from './inserts.js';
import { LIMITS } from './limits.js';
import { ConfigurationSchema, NameSchema, ServiceSchema, StageSchema } from './plan.js';
import { ServiceNodeReportSchema, ServiceNodeSchema } from './service.js';

/** WebSocket subprotocol and its number in `hello`. */
export const SUBPROTOCOL = 'pacecar.v1';
export const PROTOCOL_VERSION = 1;

const index = z.int().min(0).max(LIMITS.count);
const count = z.int().min(0).max(LIMITS.count);
const clockMs = z
  .number()
  .describe("Milliseconds of the worker's own monotonic clock, whose origin is its own affair.");
const epoch = z.int().min(1).max(LIMITS.count).describe('The run. A message of another epoch is refused.');
const reason = z
  .string()
  .max(2_000)
  .describe('For people: names the thing, the value, what is allowed and what to do.');
const code = z
  .enum(Object.keys(FAILURE_CODES) as [FailureCode, ...FailureCode[]])
  .describe('What kind of failure: see the failure codes.');

/** Which stage of which cell of which run a message speaks of. */
const stageReference = {
  epoch,
  cell: index.describe('Which cell of the plan, from 0.'),
  stage: index.describe('Which stage of the cell, from 0.'),
};

export {
  type DriverFacts,
  DriverFactsSchema,
  type HostFacts,
  HostFactsSchema,
  NOT_ACKNOWLEDGED,
  type TargetFacts,
  TargetFactsSchema,
} from './facts.js';

export const TotalsSchema = z
  .object({
    workload: NameSchema,
    operation: NameSchema.describe("The action's name."),
    sent: count,
    ok: count,
    hits: count,
    misses: count,
    errors: count,
    timeouts: count,
    aborted: count,
    late: count,
    dropped: count,
  })
  .readonly()
  .describe(
    'Exact totals of one action of one workload over a stage on one worker: the sum of its frames. ' +
      'sent = ok + errors + timeouts + aborted; ok = hits + misses for operations that can miss.',
  );
export type Totals = z.infer<typeof TotalsSchema>;

// --- worker to coordinator ---

export const HelloSchema = z
  .object({
    type: z.literal('hello'),
    version: z.int().min(0).describe(`Protocol version: ${PROTOCOL_VERSION}.`),
    token: z
      .string()
      .max(1_000)
      .nullable()
      .describe('What the coordinator was started with; null where it has none.'),
    workerId: z.string().min(1).max(100).describe('Stable over reconnects of one process.'),
    generation: z
      .int()
      .min(0)
      .max(LIMITS.count)
      .describe('Rises by one with each start of a worker that keeps its id.'),
    name: NameSchema.nullable().describe('Asked for; null lets the coordinator choose.'),
    group: NameSchema.nullable().describe('Asked for; null where the plan has one group with a free place.'),
    index: index
      .nullable()
      .describe('Asked for: which worker of the run it is; null lets the coordinator choose.'),
    resumeEpoch: epoch
      .nullable()
      .describe('The run this worker is in, when it comes back after a cut; null for a first hello.'),
    facts: HostFactsSchema,
    drivers: z.array(DriverFactsSchema).max(100).readonly().describe('What this worker can drive.'),
    calibration: CalibrationSchema.nullable().describe(
      "This machine's ceiling, if it was measured with this program; the verdict uses it.",
    ),
  })
  .readonly()
  .describe('First message of a worker.');

export const PongSchema = z
  .object({ type: z.literal('pong'), id: index, workerMs: clockMs })
  .readonly()
  .describe("Answer to a ping with the worker's own monotonic clock, sent at once.");

export const WorkerHeartbeatSchema = z
  .object({ type: z.literal('heartbeat') })
  .readonly()
  .describe('Every heartbeatMs, from a thread that load cannot block.');

export const ArmedSchema = z
  .object({
    type: z.literal('armed'),
    ...stageReference,
    connections: count.describe('How many this worker opened.'),
    target: TargetFactsSchema.nullable().describe('null where the driver cannot ask.'),
    nodes: z
      .array(ServiceNodeSchema)
      .max(LIMITS.serviceNodes)
      .readonly()
      .optional()
      .describe(
        'Of a stage that starts a service: the processes that this worker will run; their ports are held.',
      ),
  })
  .readonly()
  .describe('All connections are open and everything is prepared.');

export const FailedSchema = z
  .object({ type: z.literal('failed'), ...stageReference, code, reason })
  .readonly()
  .describe('The stage could not be armed or run on this worker.');

export const DrainedSchema = z
  .object({
    type: z.literal('drained'),
    ...stageReference,
    lastSequence: z
      .int()
      .min(-1)
      .max(LIMITS.count)
      .describe('Sequence number of the last frame; -1 when there is none.'),
    elapsedNs: count.describe('True extent of the stage on this worker, ns since its start.'),
    totals: z.array(TotalsSchema).max(LIMITS.rowsPerFrame).readonly(),
    report: z
      .array(ServiceNodeReportSchema)
      .max(LIMITS.serviceNodes)
      .readonly()
      .optional()
      .describe('Of a stage that does something to a service: what there is to say of its processes here.'),
  })
  .readonly()
  .describe('Nothing is in flight any more and every frame has been sent once.');

export const LeavingSchema = z
  .object({ type: z.literal('leaving'), code, reason })
  .readonly()
  .describe('The worker ends by its own decision (signal, defect).');

export const ServiceDiedSchema = z
  .object({ type: z.literal('service-died'), epoch, service: NameSchema, reason })
  .readonly()
  .describe(
    'A process of a service has ended without being told to; said again after a reconnect. Ends the run.',
  );

export const WorkerMessageSchema = z.discriminatedUnion('type', [
  HelloSchema,
  PongSchema,
  WorkerHeartbeatSchema,
  ArmedSchema,
  FailedSchema,
  DrainedSchema,
  LeavingSchema,
  ServiceDiedSchema,
]);
export type WorkerMessage = z.infer<typeof WorkerMessageSchema>;
export type Hello = z.infer<typeof HelloSchema>;
export type Armed = z.infer<typeof ArmedSchema>;
export type Drained = z.infer<typeof DrainedSchema>;
export type ServiceDied = z.infer<typeof ServiceDiedSchema>;
export type Failed = z.infer<typeof FailedSchema>;

// --- coordinator to worker ---

export const WelcomeSchema = z
  .object({
    type: z.literal('welcome'),
    index: index.describe('Which worker of the run it is, over all groups; stands in its frames.'),
    name: NameSchema,
    group: NameSchema,
    epoch,
    heartbeatMs: z.number().describe('How often both sides send a heartbeat.'),
    leaseMs: z
      .number()
      .describe('After this long without a word of the coordinator the worker stops its load.'),
  })
  .readonly()
  .describe('The worker is taken.');

export const RefuseSchema = z
  .object({ type: z.literal('refuse'), code, reason })
  .readonly()
  .describe('The worker is not taken, or what it sent is not; the connection is closed after it.');

export const PingSchema = z
  .object({ type: z.literal('ping'), id: index })
  .readonly()
  .describe("Asks for the worker's clock; answered by a pong with the same id, at once.");

export const CoordinatorHeartbeatSchema = z
  .object({ type: z.literal('heartbeat'), epoch })
  .readonly()
  .describe("Renews the worker's lease.");

export const ArmSchema = z
  .object({
    type: z.literal('arm'),
    ...stageReference,
    configuration: ConfigurationSchema,
    spec: StageSchema,
    share: z
      .object({ index, of: z.int().min(1).max(LIMITS.workers) })
      .readonly()
      .describe('This worker among those of the stage: it does share(total, of, index) of every total.'),
    seed: count.describe('Seeds every random stream of the stage.'),
    intervalMs: z.number().describe('One frame for each interval of this length since the start.'),
    service: ServiceSchema.optional().describe('The service that the stage does something to.'),
  })
  .readonly()
  .describe('Open the connections and prepare the stage, then answer armed or failed.');

export const GoSchema = z
  .object({
    type: z.literal('go'),
    ...stageReference,
    startAtMs: clockMs,
    peers: z
      .array(ServiceNodeSchema)
      .max(LIMITS.serviceNodes)
      .readonly()
      .optional()
      .describe('Of a stage that does something to a service: its processes on all workers, by index.'),
    away: z
      .array(index)
      .max(LIMITS.serviceNodes)
      .readonly()
      .optional()
      .describe('Those of them that a fault has killed.'),
  })
  .readonly()
  .describe("Start at this moment of the worker's own monotonic clock.");

export const StopSchema = z
  .object({ type: z.literal('stop'), ...stageReference, reason })
  .readonly()
  .describe('End the stage now: drain, send the last frames, answer drained.');

export const AcknowledgeSchema = z
  .object({ type: z.literal('acknowledge'), ...stageReference, sequence: z.int().min(-1).max(LIMITS.count) })
  .readonly()
  .describe('Every frame up to this one stands in the bundle; the worker may forget them.');

export const InsertedSchema = z
  .object({
    type: z.literal('inserted'),
    ...stageReference,
    inserts: z
      .array(WorkerInsertsSchema)
      .min(1)
      .max(LIMITS.insertedNumbers / 2)
      .readonly(),
  })
  .readonly()
  .describe('What workers of the stage have inserted, so that this one may read it.');

export const EndSchema = z
  .object({ type: z.literal('end'), epoch, code: code.nullable(), reason })
  .readonly()
  .describe('The run is over; the worker leaves or waits for another, as it was started.');

export const CoordinatorMessageSchema = z.discriminatedUnion('type', [
  WelcomeSchema,
  RefuseSchema,
  PingSchema,
  CoordinatorHeartbeatSchema,
  ArmSchema,
  GoSchema,
  StopSchema,
  AcknowledgeSchema,
  InsertedSchema,
  EndSchema,
]);
export type CoordinatorMessage = z.infer<typeof CoordinatorMessageSchema>;
export type Welcome = z.infer<typeof WelcomeSchema>;
export type Arm = z.infer<typeof ArmSchema>;
export type Go = z.infer<typeof GoSchema>;
export type Stop = z.infer<typeof StopSchema>;
export type Inserted = z.infer<typeof InsertedSchema>;
export type Acknowledge = z.infer<typeof AcknowledgeSchema>;

/** Parses one control message. Never throws: garbage is a value, so that nobody else is disturbed by it. */
export function parseMessage<T>(
  schema: z.ZodType<T>,
  text: string,
): { ok: true; message: T } | { ok: false; code: FailureCode; reason: string } {
  if (text.length > LIMITS.controlMessageBytes)
    return {
      ok: false,
      code: 'LIMIT_EXCEEDED',
      reason: `a control message of ${text.length} bytes, at most ${LIMITS.controlMessageBytes}`,
    };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, code: 'MESSAGE_INVALID', reason: 'a control message is not JSON' };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, message: parsed.data };
  const issue = parsed.error.issues[0];
  const path = issue?.path.join('.') ?? '';
  return {
    ok: false,
    code: 'MESSAGE_INVALID',
    reason: `a control message is not valid: ${path === '' ? '' : `${path}: `}${issue?.message ?? 'unknown'}`,
  };
}
