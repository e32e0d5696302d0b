import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { adopt } from './living-children.js';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** From asking a process to end until it is killed. */
const INSIST_MS = 300;

export interface ChildEnd {
  /** null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Another process of this very command, started by this one: a worker or a target of a local run. The channel to it
 * carries nothing; its end tells the child that this process is gone (see parent.ts).
 */
export class PacecarChild {
  /** `worker 2`, for people. */
  readonly title: string;
  readonly process: ChildProcess;
  /** Resolves when the process has ended; also when it could not be started. */
  readonly ended: Promise<ChildEnd>;
  #end: ChildEnd | null = null;
  #stopped = false;

  /** `log` receives its standard error: a file descriptor, or `pipe` to read it here. */
  constructor(options: {
    title: string;
    arguments: readonly string[];
    environment: Readonly<Record<string, string>>;
    stdout: 'ignore' | 'pipe';
    log: number | 'pipe';
  }) {
    this.title = options.title;
    this.process = spawn(process.execPath, [MAIN, ...options.arguments], {
      stdio: ['ignore', options.stdout, options.log, 'ipc'],
      env: { ...process.env, ...options.environment },
    });
    adopt(this.process);
    this.ended = new Promise((resolve) => {
      const settle = (end: ChildEnd): void => {
        this.#end = end;
        resolve(end);
      };
      this.process.once('exit', (code, signal) => settle({ code, signal }));
      this.process.once('error', () => settle({ code: null, signal: null }));
    });
  }

  /** How it ended; null while it lives. */
  get end(): ChildEnd | null {
    return this.#end;
  }

  /** Its end for people: `worker 2 (pid 4711) was ended by SIGKILL`. */
  story(end: ChildEnd): string {
    const how =
      end.signal !== null
        ? `was ended by ${end.signal}`
        : end.code === null
          ? 'could not be started'
          : `ended with code ${end.code}`;
    return `${this.title} (pid ${this.process.pid ?? '-'}) ${how}`;
  }

  /** Whether `stop` had to end it. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Waits up to `patienceMs` for it to end by itself, then asks, then insists. Resolves when it is gone. */
  async stop(patienceMs: number): Promise<ChildEnd> {
    for (const [signal, waitMs] of [
      ['SIGTERM', patienceMs],
      ['SIGKILL', INSIST_MS],
    ] as const) {
      const end = await this.#endWithin(waitMs);
      if (end !== null) return end;
      this.#endWith(signal);
    }
    return this.ended;
  }

  /** Ends it at once, also when it is suspended. */
  kill(): void {
    this.#endWith('SIGKILL');
  }

  #endWith(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#end !== null) return;
    this.#stopped = true;
    this.process.kill(signal);
  }

  async #endWithin(patienceMs: number): Promise<ChildEnd | null> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), patienceMs);
    });
    try {
      return await Promise.race([this.ended, patience]);
    } finally {
      clearTimeout(timer);
    }
  }
}
