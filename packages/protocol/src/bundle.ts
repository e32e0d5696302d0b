import { z } from 'zod';
import { ByteReader, ByteWriter } from './bytes.js';
import { CalibrationSchema } from './calibration.js';
import { FAILURE_CODES, type FailureCode } from './failure.js';
import { LIMITS } from './limits.js';
import { HostFactsSchema, DriverFactsSchema, TargetFactsSchema, TotalsSchema } from './message.js';
import { ProbeJudgementSchema, ProbeStepSchema, SearchOutcomeSchema } from './objective/probe-judgement.js';
import { NameSchema, ObjectiveSchema } from './plan.js';
import { ServiceNodeReportSchema } from './service.js';

/**
 * The bundle is the interface between the coordinator, which appends it while a run goes, and the report, which
 * reads it. One directory:
 *
 *   manifest.json         written at the end: SHA-256 of each other file, versions, how the run ended
 *   scenario.yaml         as read, secrets replaced
 *   plan.json             secrets replaced
 *   events.ndjson         one Event a line, appended as it happens
 *   frames/worker-N.pcf   frame log of worker N: records of length, CRC-32, frame
 *   hlog/                 HdrHistogram V2 logs for other tools, written at the end: worker-N-OPERATION.hlog of service
 *                         times, response-worker-N-OPERATION.hlog of response times where there is a schedule
 *   facts/                hosts.json, targets.json, command.json
 *   logs/                 of services: the last of what their servers have said; of a local run: what its workers say
 *   summary.json, timeline.csv, report.html   made from the above
 */
export const BUNDLE_VERSION = 1;
export const BUNDLE_FILES = {
  manifest: 'manifest.json',
  scenario: 'scenario.yaml',
  plan: 'plan.json',
  events: 'events.ndjson',
  hosts: 'facts/hosts.json',
  targets: 'facts/targets.json',
  /** The command line, for the manifest of a run that could not write one. */
  command: 'facts/command.json',
  frames: (worker: number): string => `frames/worker-${worker}.pcf`,
  /** Of service times, or of response times, which only operations of a schedule have. */
  hlog: (worker: number, operation: string, time: 'service' | 'response' = 'service'): string =>
    `hlog/${time === 'service' ? '' : 'response-'}worker-${worker}-${operation}.hlog`,
  /** The last of what a process of a service has said, as often as it was asked. */
  serviceLog: (cell: number, service: string, node: string): string =>
    `logs/cell-${cell}-${service.replaceAll(/[^\w.-]/g, '_')}-${node}.log`,
  summary: 'summary.json',
  timeline: 'timeline.csv',
  report: 'report.html',
} as const;

const index = z.int().min(0).max(LIMITS.count);
const code = z.enum(Object.keys(FAILURE_CODES) as [FailureCode, ...FailureCode[]]);
const at = {
  /** Coordinator's monotonic clock, ms since the run began. */
  atMs: z.number(),
  /** ISO 8601 with zone; only to read. */
  wallTime: z.string().max(40),
};
const stage = { cell: index, stage: index };

/** One line of events.ndjson. */
export const EventSchema = z.discriminatedUnion('type', [
  z.object({
    ...at,
    type: z.literal('run-started'),
    epoch: index,
    pacecarVersion: z.string(),
    bundleVersion: z.literal(BUNDLE_VERSION),
  }),
  z.object({
    ...at,
    type: z.literal('worker-joined'),
    worker: index,
    name: NameSchema,
    group: NameSchema,
    facts: HostFactsSchema,
    drivers: z.array(DriverFactsSchema),
    calibration: CalibrationSchema.nullable().default(null),
  }),
  z.object({ ...at, type: z.literal('worker-cut'), worker: index, reason: z.string() }),
  z.object({ ...at, type: z.literal('worker-back'), worker: index }),
  z
    .object({ ...at, type: z.literal('worker-left'), worker: index, name: NameSchema, reason: z.string() })
    .describe('Before the run began: its seat is free again. No loss.'),
  z.object({ ...at, type: z.literal('worker-lost'), worker: index, name: NameSchema, reason: z.string() }),
  z.object({
    ...at,
    type: z.literal('worker-refused'),
    code,
    reason: z.string(),
    name: z.string().nullable(),
  }),
  z.object({ ...at, type: z.literal('message-refused'), worker: index, code, reason: z.string() }),
  z.object({
    ...at,
    type: z.literal('clock'),
    worker: index,
    /** The worker's monotonic clock minus the coordinator's, and how far that may be off (half the round trip). */
    offsetMs: z.number(),
    errorMs: z.number(),
    exchanges: index,
  }),
  z.object({ ...at, type: z.literal('stage-arming'), ...stage, workers: z.array(index) }),
  z.object({
    ...at,
    type: z.literal('worker-armed'),
    ...stage,
    worker: index,
    connections: index,
    target: TargetFactsSchema.nullable(),
  }),
  z.object({
    ...at,
    type: z.literal('stage-go'),
    ...stage,
    /** On the coordinator's clock, ms since the run began. */
    startAtMs: z.number(),
    /** Each worker's clock error bound at that time; a worker's start is this well known. */
    workers: z.array(z.object({ worker: index, clockErrorMs: z.number(), startAtWorkerMs: z.number() })),
  }),
  z
    .object({ ...at, type: z.literal('stage-stop'), ...stage, reason: z.string() })
    .describe('Everyone was told to end the stage now: a background has run long enough, or it is given up.'),
  z.object({
    ...at,
    type: z.literal('worker-drained'),
    ...stage,
    worker: index,
    lastSequence: z.int(),
    elapsedNs: index,
    totals: z.array(TotalsSchema),
  }),
  z.object({ ...at, type: z.literal('worker-failed'), ...stage, worker: index, code, reason: z.string() }),
  z
    .object({
      ...at,
      type: z.literal('conservation-broken'),
      ...stage,
      worker: index,
      reason: z.string(),
    })
    .describe(
      'What a worker counted does not add up; the run is INVALID. At most one for a worker and stage.',
    ),
  z.object({
    ...at,
    type: z.literal('stage-closed'),
    ...stage,
    /** complete: every worker drained. partial: some were lost. failed, interrupted: given up. */
    outcome: z.enum(['complete', 'partial', 'failed', 'interrupted']),
    /** Workers whose last frame stands in the bundle. */
    workers: z.array(index),
  }),
  z
    .object({
      ...at,
      type: z.literal('stage-stopping'),
      ...stage,
      objective: ObjectiveSchema,
      /** In the unit of the threshold. */
      actual: z.number(),
      /** The intervals in which it held, as they were joined to be judged: the first and the last. */
      firstInterval: index,
      lastInterval: index,
    })
    .describe('An objective that ends the stage early has come true; its workers are told to stop.'),
  z
    .object({
      ...at,
      type: z.literal('search-probe'),
      ...stage,
      step: ProbeStepSchema,
      ratePerSec: z.number(),
    })
    .describe('The next probe of a search, before it is armed. `stage` is its own number.'),
  z
    .object({ ...at, type: z.literal('search-judged'), ...stage, judgement: ProbeJudgementSchema.nullable() })
    .describe('After the probe was closed. null: it counts for nothing, since a worker was lost in it.'),
  z
    .object({
      ...at,
      type: z.literal('search-ended'),
      ...stage,
      outcome: SearchOutcomeSchema,
      ratePerSec: z.number().nullable(),
      ceilingPerSec: z.number().nullable(),
      result: index.nullable(),
    })
    .describe(
      '`stage` is the number of the first probe; `ratePerSec` the rate found, `ceilingPerSec` the lowest that did not hold, `result` the number of the probe that stands for the search.',
    ),
  z
    .object({
      ...at,
      type: z.literal('service-report'),
      ...stage,
      worker: index,
      service: NameSchema,
      nodes: z.array(ServiceNodeReportSchema.unwrap().omit({ log: true })),
    })
    .describe('What a worker says of its processes when a stage has done something to their service.'),
  z.object({
    ...at,
    type: z.literal('service-died'),
    worker: index,
    service: NameSchema,
    reason: z.string(),
  }),
  z.object({ ...at, type: z.literal('interrupted'), signal: z.string() }),
  z.object({
    ...at,
    type: z.literal('run-ended'),
    outcome: z.enum(['complete', 'failed', 'interrupted']),
    code: code.nullable(),
    reason: z.string(),
  }),
]);
export type Event = z.infer<typeof EventSchema>;
/** An event as the core makes it; the shell adds both times. */
export type EventBody = Event extends infer E
  ? E extends Event
    ? Omit<E, 'atMs' | 'wallTime'>
    : never
  : never;

export const ManifestSchema = z.object({
  bundleVersion: z.literal(BUNDLE_VERSION),
  pacecarVersion: z.string(),
  nodeVersion: z.string(),
  name: NameSchema,
  epoch: index,
  startedAt: z.string(),
  endedAt: z.string(),
  outcome: z.enum(['complete', 'failed', 'interrupted']),
  /** As typed, secrets replaced. */
  commandLine: z.array(z.string()),
  /** Path within the bundle to SHA-256 in hex and size. */
  files: z.record(z.string(), z.object({ sha256: z.string(), bytes: index })),
});
export type Manifest = z.infer<typeof ManifestSchema>;

/** Host facts by worker, as in facts/hosts.json. */
export const HostsFileSchema = z.array(
  z.object({ worker: index, name: NameSchema, group: NameSchema, facts: HostFactsSchema }),
);
/** Target facts by cell and worker, as in facts/targets.json. */
export const TargetsFileSchema = z.array(
  z.object({ configuration: NameSchema, worker: index, target: TargetFactsSchema }),
);

/** The command line as typed, secrets replaced, as in facts/command.json. */
export const CommandFileSchema = z.array(z.string());

/** One record of a frame log: u32 length, u32 CRC-32 of the frame, the frame. */
export function frameRecord(frame: Uint8Array): Uint8Array {
  const head = new ByteWriter(8);
  head.u32(frame.length);
  head.u32(crc32(frame));
  const record = new Uint8Array(8 + frame.length);
  record.set(head.finish());
  record.set(frame, 8);
  return record;
}

export interface FrameLogEnd {
  /** Bytes read as records, those with a wrong checksum included. */
  readonly bytes: number;
  /** null when every record is whole; else which are not, or where a crash cut the log. */
  readonly damage: string | null;
}

/**
 * Visits every whole frame of a log, in order, and says what is wrong with the log. A record whose checksum is wrong
 * is left out and reading goes on after it; one that is longer than a frame may be, or than the rest, ends the log.
 * Frames are views.
 */
export function readFrameLog(log: Uint8Array, visit: (frame: Uint8Array) => void): FrameLogEnd {
  const damage = new FrameLogDamage();
  let position = 0;
  while (position < log.length) {
    if (log.length - position < 8)
      return { bytes: position, damage: damage.text(`cut inside a record head at byte ${position}`) };
    const head = new ByteReader(log, position, position + 8);
    const length = head.u32();
    const sum = head.u32();
    if (length > LIMITS.frameBytes)
      return { bytes: position, damage: damage.text(`a record of ${length} bytes at byte ${position}`) };
    if (log.length - position - 8 < length)
      return { bytes: position, damage: damage.text(`cut inside a frame at byte ${position}`) };
    const frame = log.subarray(position + 8, position + 8 + length);
    if (crc32(frame) === sum) visit(frame);
    else damage.wrongChecksum(position);
    position += 8 + length;
  }
  return { bytes: position, damage: damage.text(null) };
}

/** What is wrong with a frame log, in one sentence however much it is. */
export class FrameLogDamage {
  #wrong = 0;
  #firstAtByte = 0;

  wrongChecksum(atByte: number): void {
    if (this.#wrong++ === 0) this.#firstAtByte = atByte;
  }

  /** `end`: why reading ended before the log did; null: it did not. null when nothing is wrong. */
  text(end: string | null): string | null {
    if (this.#wrong === 0) return end;
    const sums =
      this.#wrong === 1
        ? `checksum of the frame at byte ${this.#firstAtByte} is wrong`
        : `checksums of ${this.#wrong} frames are wrong, the first at byte ${this.#firstAtByte}`;
    return end === null ? sums : `${sums}; ${end}`;
  }
}

const CRC_TABLE = new Uint32Array(256).map((_, value) => {
  let sum = value;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum >>> 0;
});

/** CRC-32 as in zip and gzip. (node:zlib has one from 22.2 on; this package is pure.) */
export function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff;
  for (let i = 0; i < bytes.length; i++)
    sum = (CRC_TABLE[(sum ^ (bytes[i] as number)) & 0xff] as number) ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}
