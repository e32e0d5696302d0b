import { ByteReader, BytesInvalid, ByteWriter } from './bytes.js';
import { readInserts, writeInserts } from './frame-inserts.js';
import type { WorkloadInserts } from './inserts.js';
import { readNotes, writeNotes } from './frame-notes.js';
import { LIMITS } from './limits.js';
import { addNotes, type Notes } from './note.js';

/** 'PCF1': a frame of statistics, version 1. */
const MAGIC = 0x50434631;

/** As `Recorder.encode` gives it. */
const EMPTY_HISTOGRAM = Uint8Array.of(0);

/** Error kinds are the first word of an error reply (WRONGTYPE) or a kind of our own (VALUE_MISMATCH). */
export const ERROR_KIND: RegExp = new RegExp(`^[A-Z][A-Z0-9_]{0,${LIMITS.errorKindLength - 1}}$`);

/** Whose frame it is. Together with `sequence` this names a frame once and for all. */
export interface FrameIdentity {
  /** The run; frames of another run are refused. */
  readonly epoch: number;
  readonly worker: number;
  readonly cell: number;
  readonly stage: number;
  /** 0, 1, 2 ... within (epoch, worker, cell, stage). */
  readonly sequence: number;
}

/** What happened to operations of one action. Integers. */
export interface Counters {
  /** Handed to the target in this interval. */
  readonly sent: number;
  /** Answered without error. = hits + misses for operations that can miss; others count these by item. */
  readonly ok: number;
  readonly hits: number;
  readonly misses: number;
  readonly timeouts: number;
  /** In flight when a connection was cut or the stage had to end; their fate is unknown. */
  readonly aborted: number;
  /** Error replies and client errors by kind, for example WRONGTYPE. */
  readonly errors: Readonly<Record<string, number>>;
  /** Open model: begun later than the schedule said, by more than its tolerance. */
  readonly late: number;
  /** Open model: due, but never begun. Not part of `sent`. */
  readonly dropped: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** What happened on the way to answers; left out where nothing of the kind did. */
  readonly notes?: Notes;
}

export interface FrameRow extends Counters {
  readonly workload: string;
  /** The action's name. */
  readonly operation: string;
  /** In flight at the end of the interval: sent so far = ended so far + inFlight. */
  readonly inFlight: number;
  /** Encoded histograms (`Recorder.encode`). Sent to answered, of `ok` operations. */
  readonly service: Uint8Array;
  /** Intended start to answered, of `ok` operations; empty without a schedule. */
  readonly response: Uint8Array;
  /** Sent to error reply or timeout. */
  readonly failed: Uint8Array;
  /**
   * The generator's own error: from when an operation was due and a connection had room for it until it was sent. Of
   * every operation sent by a schedule; left out without one.
   */
  readonly pacing?: Uint8Array;
}

/** What an engine thread says of itself over the interval. */
export interface ThreadHealth {
  /** Event-loop utilisation, 0..1. */
  readonly utilisation: number;
  /** Longest delay of the event loop seen, ns. */
  readonly delayNs: number;
}

export interface Frame extends FrameIdentity {
  /** floor(time since the stage's start / interval length): equal on all workers. */
  readonly interval: number;
  /** True extent of the interval, ns since the stage's start; the first and last may be shorter. */
  readonly startNs: number;
  readonly endNs: number;
  /** How late the first operation of the stage began, ns after the stage's start or its own due time; else null. */
  readonly firstOperationNs: number | null;
  readonly rows: readonly FrameRow[];
  readonly threads: readonly ThreadHealth[];
  /** CPU time of the whole worker process in this interval. */
  readonly cpuUserUs: number;
  readonly cpuSystemUs: number;
  readonly residentBytes: number;
  /** What this worker has inserted so far, for workloads whose inserts others read; left out without one. */
  readonly inserted?: readonly WorkloadInserts[];
}

export const NO_COUNTERS: Counters = {
  sent: 0,
  ok: 0,
  hits: 0,
  misses: 0,
  timeouts: 0,
  aborted: 0,
  errors: {},
  late: 0,
  dropped: 0,
  bytesSent: 0,
  bytesReceived: 0,
};

/** The names of the plain counters, in the order of the encoding. */
const COUNTER_NAMES = [
  'sent',
  'ok',
  'hits',
  'misses',
  'timeouts',
  'aborted',
  'late',
  'dropped',
  'bytesSent',
  'bytesReceived',
] as const satisfies readonly Exclude<keyof Counters, 'errors' | 'notes'>[];

export function addCounters(a: Counters, b: Counters): Counters {
  const errors: Record<string, number> = { ...a.errors };
  for (const [kind, count] of Object.entries(b.errors)) errors[kind] = (errors[kind] ?? 0) + count;
  const sum: { -readonly [K in keyof Counters]: Counters[K] } = {
    ...NO_COUNTERS,
    errors,
    ...addNotes(a.notes, b.notes),
  };
  for (const name of COUNTER_NAMES) sum[name] = a[name] + b[name];
  return sum;
}

export function errorCount(counters: Pick<Counters, 'errors'>): number {
  let total = 0;
  for (const count of Object.values(counters.errors)) total += count;
  return total;
}

/** Operations that came to an end: ok + errors + timeouts + aborted. */
export function endedCount(counters: Counters): number {
  return counters.ok + errorCount(counters) + counters.timeouts + counters.aborted;
}

export function encodeFrame(frame: Frame): Uint8Array {
  const writer = new ByteWriter(4096);
  writer.u32(MAGIC);
  for (const value of [frame.epoch, frame.worker, frame.cell, frame.stage, frame.sequence, frame.interval])
    writer.varint(value);
  writer.varint(frame.startNs);
  writer.varint(frame.endNs);
  writer.varint(frame.firstOperationNs === null ? 0 : frame.firstOperationNs + 1);
  writer.varint(frame.cpuUserUs);
  writer.varint(frame.cpuSystemUs);
  writer.varint(frame.residentBytes);
  writer.varint(frame.threads.length);
  for (const thread of frame.threads) {
    writer.float(thread.utilisation);
    writer.varint(thread.delayNs);
  }
  writer.varint(frame.rows.length);
  for (const row of frame.rows) {
    writer.text(row.workload);
    writer.text(row.operation);
    for (const name of COUNTER_NAMES) writer.varint(row[name]);
    writer.varint(row.inFlight);
    const kinds = Object.entries(row.errors);
    writer.varint(kinds.length);
    for (const [kind, count] of kinds) {
      writer.text(kind);
      writer.varint(count);
    }
    writer.block(row.service);
    writer.block(row.response);
    writer.block(row.failed);
    writer.block(row.pacing ?? EMPTY_HISTOGRAM);
  }
  const { inserted = [] } = frame;
  const hasNotes = frame.rows.some(({ notes }) => notes !== undefined && Object.keys(notes).length > 0);
  if (inserted.length > 0 || hasNotes) writeInserts(writer, inserted);
  if (hasNotes) writeNotes(writer, frame.rows);
  return writer.finish();
}

/** Only whose frame it is: enough to refuse, acknowledge or store it. Throws BytesInvalid. */
export function decodeFrameIdentity(bytes: Uint8Array): FrameIdentity {
  return readIdentity(new ByteReader(bytes));
}

/** Throws BytesInvalid for anything that is not a whole, sane frame. Histograms stay encoded views into `bytes`. */
export function decodeFrame(bytes: Uint8Array): Frame {
  const reader = new ByteReader(bytes);
  const identity = readIdentity(reader);
  const interval = reader.varint();
  const startNs = reader.varint();
  const endNs = reader.varint();
  if (endNs < startNs) throw new BytesInvalid('an interval that ends before it starts');
  const first = reader.varint();
  const cpuUserUs = reader.varint();
  const cpuSystemUs = reader.varint();
  const residentBytes = reader.varint();
  const threads: ThreadHealth[] = [];
  for (let left = reader.count(LIMITS.threadsPerWorker, 'threads'); left > 0; left--)
    threads.push(readThread(reader));
  const rows: FrameRow[] = [];
  for (let left = reader.count(LIMITS.rowsPerFrame, 'rows'); left > 0; left--) rows.push(readRow(reader));
  // What was recorded before there were such parts ends here.
  const inserts = reader.remaining > 0 ? readInserts(reader) : [];
  const inserted = inserts.length > 0 ? { inserted: inserts } : {};
  const notes = reader.remaining > 0 ? readNotes(reader, rows.length) : [];
  if (reader.remaining > 0) throw new BytesInvalid(`${reader.remaining} bytes after the end of a frame`);
  return {
    ...identity,
    interval,
    startNs,
    endNs,
    firstOperationNs: first === 0 ? null : first - 1,
    rows: rows.map((row, index) => ({ ...row, ...addNotes(notes[index], undefined) })),
    threads,
    cpuUserUs,
    cpuSystemUs,
    residentBytes,
    ...inserted,
  };
}

function readIdentity(reader: ByteReader): FrameIdentity {
  if (reader.remaining < 4 || reader.u32() !== MAGIC)
    throw new BytesInvalid('not a Pacecar frame (version 1)');
  return {
    epoch: reader.varint(),
    worker: reader.varint(),
    cell: reader.varint(),
    stage: reader.varint(),
    sequence: reader.varint(),
  };
}

function readThread(reader: ByteReader): ThreadHealth {
  const utilisation = reader.float();
  if (!(utilisation >= 0 && utilisation <= 1))
    throw new BytesInvalid(`a utilisation of ${utilisation}, not in 0..1`);
  return { utilisation, delayNs: reader.varint() };
}

function readRow(reader: ByteReader): FrameRow {
  const workload = reader.text(LIMITS.nameLength * 4);
  const operation = reader.text(LIMITS.nameLength * 4);
  const counters: Record<string, number> = {};
  for (const name of COUNTER_NAMES) counters[name] = reader.varint();
  const inFlight = reader.varint();
  const errors: Record<string, number> = {};
  for (let left = reader.count(LIMITS.errorKindsPerRow, 'error kinds'); left > 0; left--) {
    const kind = reader.text(LIMITS.errorKindLength);
    if (!ERROR_KIND.test(kind)) throw new BytesInvalid(`${JSON.stringify(kind)} is not an error kind`);
    if (Object.hasOwn(errors, kind)) throw new BytesInvalid(`the error kind ${kind} twice in a row`);
    errors[kind] = reader.varint();
  }
  return {
    ...(counters as unknown as Omit<Counters, 'errors' | 'notes'>),
    errors,
    workload,
    operation,
    inFlight,
    service: reader.block(),
    response: reader.block(),
    failed: reader.block(),
    ...readPacing(reader),
  };
}

/** Empty where there is no schedule. */
function readPacing(reader: ByteReader): Pick<FrameRow, 'pacing'> {
  const pacing = reader.block();
  return pacing.length === 1 && pacing[0] === 0 ? {} : { pacing };
}
