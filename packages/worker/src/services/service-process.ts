import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { ServiceNode } from '@pacecar/protocol';
import { lastLines } from './guard/bounded-log.js';
import type { Guard, GuardedProcess, ProcessEnd } from './guard/guard.js';
import type { DataFile, Launch } from './recipe.js';

const LOG_BYTES = 2 * 1024 * 1024;
const TAIL_LINES = 8;
/** From SIGKILL to the end, which the system itself may delay. */
const KILLED_WITHIN_MS = 5_000;
/** More files than any recipe's server makes; a directory full of something else is not listed. */
const MOST_FILES = 1_000;

/**
 * idle      not started yet
 * running   started
 * paused    suspended by SIGSTOP
 * ended     by itself, or stopped
 */
export type ProcessState = 'idle' | 'running' | 'paused' | 'ended';

/** One server process on its port and in its directory; both stay its own when it is started again. */
export class ServiceProcess {
  readonly node: ServiceNode;
  /** Where it runs and keeps its data. */
  readonly directory: string;
  readonly logFile: string;
  readonly #guard: Guard;
  /** Called when it ends without being told to. */
  readonly #died: (process: ServiceProcess, end: ProcessEnd) => void;
  #launch: Launch | null = null;
  #process: GuardedProcess | null = null;
  #state: ProcessState = 'idle';
  #isToEnd = false;

  constructor(
    node: ServiceNode,
    place: { readonly directory: string; readonly logFile: string },
    guard: Guard,
    died: (process: ServiceProcess, end: ProcessEnd) => void,
  ) {
    this.node = node;
    this.directory = place.directory;
    this.logFile = place.logFile;
    this.#guard = guard;
    this.#died = died;
  }

  get state(): ProcessState {
    return this.#state;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** Whether it ended because it was told to. */
  get isAway(): boolean {
    return this.#state === 'ended' && this.#isToEnd;
  }

  /** Null while it lives, and before its first start. */
  get end(): ProcessEnd | null {
    return this.#process?.end ?? null;
  }

  /** Starts it, for the first time with a launch. Throws SERVICE_FAILED. */
  async start(given: Launch | null = null): Promise<void> {
    if (this.#state === 'running' || this.#state === 'paused') return;
    const launch = this.#launch ?? (await this.#furnish(given));
    this.#isToEnd = false;
    const process = await this.#guard.spawn({
      program: launch.program,
      arguments: launch.arguments,
      directory: this.directory,
      logFile: this.logFile,
      logBytes: LOG_BYTES,
    });
    this.#process = process;
    this.#state = 'running';
    void process.ended.then((end) => {
      if (this.#process !== process) return;
      this.#state = 'ended';
      if (!this.#isToEnd) this.#died(this, end);
    });
  }

  /** Asks it to end, and insists after `leaveMs`. True if it ended when it was asked. */
  async stop(leaveMs: number): Promise<boolean> {
    const process = this.#leave();
    if (process === null) return true;
    process.signal('SIGTERM');
    process.signal('SIGCONT');
    if (await endedWithin(process, leaveMs)) return true;
    await this.kill();
    return false;
  }

  /** Ends it at once. */
  async kill(): Promise<void> {
    const process = this.#leave();
    if (process === null) return;
    process.signal('SIGKILL');
    await endedWithin(process, KILLED_WITHIN_MS);
  }

  pause(): void {
    if (this.#state !== 'running') return;
    this.#process?.signal('SIGSTOP');
    this.#state = 'paused';
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#process?.signal('SIGCONT');
    this.#state = 'running';
  }

  /** For people: `master 3 at 10.0.0.5:7003`. */
  get title(): string {
    const { role, index, host, port } = this.node;
    return `${role} ${index} at ${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /** The last lines that it said, for a message; empty if it said nothing. */
  get lastWords(): string {
    return lastLines(this.logFile, TAIL_LINES);
  }

  /** Files below its directory that are its data, largest first. */
  async dataFiles(isData: (name: string) => boolean): Promise<DataFile[]> {
    const entries = await readdir(this.directory, { recursive: true, withFileTypes: true }).catch(() => []);
    const names = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(this.directory, join(entry.parentPath, entry.name)))
      .filter((name) => isData(name))
      .slice(0, MOST_FILES);
    const files = await Promise.all(
      names.map(async (name) => {
        // One that a server is just replacing may be gone.
        const facts = await stat(join(this.directory, name)).catch(() => null);
        return facts === null ? [] : [{ name, bytes: facts.size }];
      }),
    );
    return files.flat().sort((a, b) => b.bytes - a.bytes || a.name.localeCompare(b.name));
  }

  /** Once: a server may have written something of its own into its files since. */
  async #furnish(launch: Launch | null): Promise<Launch> {
    if (launch === null) throw new Error(`${this.title} has no launch`);
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    for (const { name, text } of launch.files) {
      const path = join(this.directory, name);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, text, { mode: 0o600 });
    }
    this.#launch = launch;
    return launch;
  }

  #leave(): GuardedProcess | null {
    const process = this.#process;
    if (process === null || process.end !== null) return null;
    this.#isToEnd = true;
    return process;
  }
}

/** For people. */
export function endText({ code, signal }: ProcessEnd): string {
  return signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
}

async function endedWithin(process: GuardedProcess, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([process.ended.then(() => true), patience]);
  } finally {
    clearTimeout(timer);
  }
}
