import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  BUNDLE_FILES,
  BytesInvalid,
  decodeFrame,
  type Event,
  frameRecord,
  type HostFacts,
  type TargetFacts,
} from '@pacecar/protocol';
import { AppendedFile } from './appended-file.js';
import { type LiveFigures, LiveIntervals } from './live-intervals.js';
import { replaceFile } from './replaced-file.js';

/** A frame to append. `keep` is false for warm-ups: shown live, written nowhere. */
export interface FrameEntry {
  readonly kind: 'frame';
  readonly connection: number;
  readonly worker: number;
  readonly cell: number;
  readonly stage: number;
  readonly sequence: number;
  readonly keep: boolean;
  readonly bytes: Uint8Array;
}
/** A text to append to a file of its own. */
interface LogEntry {
  readonly kind: 'log';
  readonly path: string;
  readonly text: string;
}
export type RecordEntry = FrameEntry | LogEntry | { readonly kind: 'event'; readonly event: Event };

/** What became of the frames of a batch, once the batch is on disk. */
export interface BatchResult {
  readonly recorded: readonly FrameEntry[];
  /** Frames that decode but whose histograms do not: written nowhere. */
  readonly refused: readonly { readonly entry: FrameEntry; readonly reason: string }[];
}

export interface RecordOptions {
  /** Made by createBundleDirectory. */
  readonly directory: string;
  readonly intervalMs: number;
  /** Name of the configuration of each cell. */
  readonly cellConfigurations: readonly string[];
}

interface HostEntry {
  readonly worker: number;
  readonly name: string;
  readonly group: string;
  readonly facts: HostFacts;
}
interface TargetEntry {
  readonly configuration: string;
  readonly worker: number;
  readonly target: TargetFacts;
}

/** Appends to a bundle: events, frames and facts, in batches, each on disk before it is reported. */
export class BundleRecord {
  readonly #options: RecordOptions;
  readonly #live: LiveIntervals;
  readonly #files = new Map<string, AppendedFile>();
  readonly #hosts = new Map<number, HostEntry>();
  readonly #targets = new Map<string, TargetEntry>();
  #factsChanged = false;

  constructor(options: RecordOptions) {
    this.#options = options;
    this.#live = new LiveIntervals(options.intervalMs);
  }

  /** Throws whatever the file system throws; what was written then is unknown, and nothing more may be appended. */
  async append(batch: readonly RecordEntry[]): Promise<BatchResult> {
    const chunks = new Map<string, Uint8Array[]>();
    const add = (path: string, chunk: Uint8Array): void => {
      const list = chunks.get(path);
      if (list === undefined) chunks.set(path, [chunk]);
      else list.push(chunk);
    };
    const recorded: FrameEntry[] = [];
    const refused: { entry: FrameEntry; reason: string }[] = [];
    for (const entry of batch) {
      if (entry.kind === 'event') {
        this.#noteFacts(entry.event);
        this.#live.event(entry.event);
        add(BUNDLE_FILES.events, Buffer.from(`${JSON.stringify(entry.event)}\n`));
        continue;
      }
      if (entry.kind === 'log') {
        await mkdir(join(this.#options.directory, dirname(entry.path)), { recursive: true });
        add(entry.path, Buffer.from(entry.text));
        continue;
      }
      try {
        this.#live.frame(decodeFrame(entry.bytes));
      } catch (thrown) {
        if (!(thrown instanceof BytesInvalid)) throw thrown;
        refused.push({ entry, reason: thrown.message });
        continue;
      }
      if (entry.keep) add(BUNDLE_FILES.frames(entry.worker), frameRecord(entry.bytes));
      recorded.push(entry);
    }
    // All of them come to an end before the first failure is told: nothing is written behind the caller's back.
    const written = await Promise.allSettled([...chunks].map(([path, list]) => this.#write(path, list)));
    for (const result of written) if (result.status === 'rejected') throw result.reason;
    return { recorded, refused };
  }

  figures(): LiveFigures {
    return this.#live.figures();
  }

  /** Writes facts/ if they have changed. Called now and then, not for every worker that joins. */
  async writeFacts(): Promise<void> {
    if (!this.#factsChanged) return;
    this.#factsChanged = false;
    await this.#replace(BUNDLE_FILES.hosts, [...this.#hosts.values()]);
    await this.#replace(BUNDLE_FILES.targets, [...this.#targets.values()]);
  }

  async close(): Promise<void> {
    await this.writeFacts();
    for (const file of this.#files.values()) {
      await file.sync();
      await file.close();
    }
    this.#files.clear();
  }

  async #write(path: string, list: readonly Uint8Array[]): Promise<void> {
    let file = this.#files.get(path);
    if (file === undefined) {
      file = await AppendedFile.open(join(this.#options.directory, path));
      this.#files.set(path, file);
    }
    await file.append(list);
    await file.sync();
  }

  #noteFacts(event: Event): void {
    if (event.type === 'worker-joined') {
      const { worker, name, group, facts } = event;
      this.#hosts.set(worker, { worker, name, group, facts });
      this.#factsChanged = true;
    } else if (event.type === 'worker-armed' && event.target !== null) {
      const configuration = this.#options.cellConfigurations[event.cell];
      if (configuration === undefined) return;
      const { worker, target } = event;
      this.#targets.set(`${worker} ${configuration}`, { configuration, worker, target });
      this.#factsChanged = true;
    }
  }

  async #replace(path: string, value: unknown): Promise<void> {
    await replaceFile(join(this.#options.directory, path), `${JSON.stringify(value, null, 2)}\n`);
  }
}
