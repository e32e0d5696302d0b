import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';
import {
  BUNDLE_FILES,
  Distribution,
  type Frame,
  type FrameRow,
  hdrLogHead,
  hdrLogLine,
  PACECAR_VERSION,
  type Plan,
  stageOfNumber,
  stagePlace,
} from '@pacecar/protocol';
import { type FrameLocation, indexFrameLog } from './frame-log.js';
import { framesInOrder } from './frame-order.js';

/** What the logs say beside the histograms. */
export interface HistogramLogContext {
  readonly plan: Plan;
  /** Wall time of the start of the run; only to read. */
  readonly startedAtMs: number;
  /** Common start of a stage, ms since the start of the run; undefined for a stage that never began. */
  startAtMs(cell: number, stage: number): number | undefined;
}

/** An operation has a service time, and by a schedule a response time as well. */
const TIMES = ['service', 'response'] as const;
type Time = (typeof TIMES)[number];

/** Lines that are gathered before they are written. */
const CHUNK_CHARACTERS = 256 * 1024;

/**
 * Writes hlog/: HdrHistogram V2 logs for each worker and operation, one of service times and, where there is a schedule,
 * one of response times, with a line an interval, in the order of the run, from the frames. Only measure stages; the tag
 * names cell, stage, probe and workload.
 */
export async function writeHistogramLogs(directory: string, context: HistogramLogContext): Promise<void> {
  const folder = dirname(BUNDLE_FILES.frames(0));
  for (const name of await readdir(join(directory, folder))) {
    const worker = /^worker-(\d+)\.pcf$/.exec(name)?.[1];
    if (worker === undefined) continue;
    const frames = await open(join(directory, folder, name), 'r');
    try {
      await writeWorkerLogs(directory, Number(worker), frames, context);
    } finally {
      await frames.close();
    }
  }
}

async function writeWorkerLogs(
  directory: string,
  worker: number,
  frames: FileHandle,
  context: HistogramLogContext,
): Promise<void> {
  const measured = ({ cell: index, stage }: FrameLocation): boolean => {
    const cell = context.plan.cells[index];
    return cell !== undefined && stageOfNumber(cell, stage)?.kind === 'measure';
  };
  const index = (await indexFrameLog(frames)).filter(measured);
  const logs = new Map<string, LogFile>();
  try {
    const startAtMs = ({ cell, stage }: FrameLocation) => context.startAtMs(cell, stage) ?? 0;
    for await (const frame of framesInOrder(frames, index, startAtMs)) {
      for (const row of frame.rows)
        for (const time of TIMES) {
          const line = logLine(frame, row, time, context);
          if (line === null) continue;
          const key = `${time} ${row.operation}`;
          let log = logs.get(key);
          if (log === undefined) {
            const path = BUNDLE_FILES.hlog(worker, fileNameOf(row.operation, logs.size), time);
            const comment = `Pacecar ${PACECAR_VERSION}, run ${context.plan.name}, worker ${worker}, ${row.operation}, ${time} time in ns`;
            log = await LogFile.create(join(directory, path), hdrLogHead(context.startedAtMs, comment));
            logs.set(key, log);
          }
          await log.add(line);
        }
    }
    for (const log of logs.values()) await log.finish();
  } catch (thrown) {
    for (const log of logs.values()) await log.discard();
    throw thrown;
  }
}

/** File systems take 255 bytes. */
const LONGEST_NAME = 200;

/** Names come from scenarios and workers: as a part of a file name they must neither lead elsewhere nor be too long. */
function fileNameOf(operation: string, index: number): string {
  const encoded = encodeURIComponent(operation);
  return encoded.length <= LONGEST_NAME ? encoded : `${encoded.slice(0, LONGEST_NAME)}~${index}`;
}

function logLine(frame: Frame, row: FrameRow, time: Time, context: HistogramLogContext): string | null {
  const distribution = new Distribution();
  distribution.addEncoded(row[time]);
  const startAtMs = context.startAtMs(frame.cell, frame.stage);
  if (distribution.count === 0 || startAtMs === undefined) return null;
  return hdrLogLine({
    tag: `cell-${frame.cell}/${stageTag(frame, context.plan)}/${row.workload}`,
    startSeconds: startAtMs / 1e3 + frame.startNs / 1e9,
    lengthSeconds: (frame.endNs - frame.startNs) / 1e9,
    distribution,
    deflate: deflateSync,
  });
}

/** The name of a stage; a probe of a search has its number behind it. */
function stageTag({ cell: index, stage: number }: Frame, plan: Plan): string {
  const cell = plan.cells[index];
  const place = cell === undefined ? null : stagePlace(cell, number);
  const name = place === null ? undefined : cell?.stages[place.stage]?.name;
  if (place === null || name === undefined) return String(number);
  return place.probe === null ? name : `${name}/probe-${place.probe + 1}`;
}

/** Under a temporary name until it is whole. */
class LogFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  #pending: string;

  private constructor(path: string, handle: FileHandle, head: string) {
    this.#path = path;
    this.#handle = handle;
    this.#pending = head;
  }

  static async create(path: string, head: string): Promise<LogFile> {
    await mkdir(dirname(path), { recursive: true });
    return new LogFile(path, await open(`${path}.tmp`, 'w'), head);
  }

  async add(line: string): Promise<void> {
    this.#pending += line;
    if (this.#pending.length >= CHUNK_CHARACTERS) await this.#flush();
  }

  async finish(): Promise<void> {
    await this.#flush();
    await this.#handle.close();
    await rename(`${this.#path}.tmp`, this.#path);
  }

  /** Also after `finish`, or when that failed half way. */
  async discard(): Promise<void> {
    await this.#handle.close();
    await rm(`${this.#path}.tmp`, { force: true });
  }

  async #flush(): Promise<void> {
    await this.#handle.appendFile(this.#pending);
    this.#pending = '';
  }
}
