import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PacecarError } from '@pacecar/protocol';
import type { FromGuard, SpawnOrder, ToGuard } from './messages.js';

const MAIN = fileURLToPath(new URL('./guard-main.js', import.meta.url));

/** What a guarded process may know of this one. Tokens, and whatever else stands in a person's environment, stay out. */
const PASSED_ON = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'JAVA_HOME'] as const;

export interface ProcessEnd {
  /** null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that the guard of this worker started. */
export interface GuardedProcess {
  readonly pid: number;
  /** Null while it lives. */
  readonly end: ProcessEnd | null;
  readonly ended: Promise<ProcessEnd>;
  /** Without effect once it has ended. */
  signal(signal: NodeJS.Signals): void;
}

interface Ward {
  readonly spawned: (pid: number) => void;
  readonly refused: (reason: string) => void;
  readonly exited: (end: ProcessEnd) => void;
  pid: number | null;
}

/** This worker's side of its guard (guard-main.ts): one for all its servers, started with the first. */
export class Guard {
  /** Removed when the guard goes; null keeps what is there. */
  readonly #removes: string | null;
  readonly #wards = new Map<number, Ward>();
  #process: ChildProcess | null = null;
  #gone: Promise<void> = Promise.resolve();
  #nextId = 0;

  constructor(removes: string | null) {
    this.#removes = removes;
  }

  /** Resolves once the process runs. Throws SERVICE_FAILED if it cannot be started. */
  async spawn(order: Omit<SpawnOrder, 'id' | 'environment'>): Promise<GuardedProcess> {
    const id = this.#nextId++;
    let resolveEnd: (end: ProcessEnd) => void = () => undefined;
    const ended = new Promise<ProcessEnd>((resolve) => {
      resolveEnd = resolve;
    });
    let end: ProcessEnd | null = null;
    const pid = await new Promise<number>((resolve, reject) => {
      this.#wards.set(id, {
        pid: null,
        spawned: resolve,
        refused: (reason) =>
          reject(new PacecarError('SERVICE_FAILED', `${order.program} cannot be started: ${reason}`)),
        exited: (how) => {
          end = how;
          resolveEnd(how);
        },
      });
      this.#say({ kind: 'spawn', id, ...order, environment: environment(order.directory) });
    });
    return {
      pid,
      ended,
      get end() {
        return end;
      },
      signal: (signal) => {
        if (this.#wards.has(id)) this.#say({ kind: 'signal', id, signal });
      },
    };
  }

  /** Ends every process that is left, then the guard. Resolves when it is gone, and the directory with it. */
  async close(): Promise<void> {
    if (this.#process?.connected === true) this.#process.send({ kind: 'end' } satisfies ToGuard);
    await this.#gone;
  }

  #say(message: ToGuard): void {
    this.#process ??= this.#start();
    this.#process.send(message, (error) => {
      if (error !== null && message.kind === 'spawn') this.#refuse(message.id, 'its guard is gone');
    });
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, [MAIN], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      detached: true,
      env: environment(null),
    });
    this.#gone = new Promise((resolve) => {
      const lost = (): void => {
        this.#process = null;
        this.#orphaned();
        resolve();
      };
      child.once('exit', lost);
      child.once('error', lost);
    });
    child.on('message', (message: FromGuard) => this.#hear(message));
    child.send({ kind: 'begin', directory: this.#removes } satisfies ToGuard);
    return child;
  }

  #hear(message: FromGuard): void {
    const ward = this.#wards.get(message.id);
    if (ward === undefined) return;
    switch (message.kind) {
      case 'spawned':
        ward.pid = message.pid;
        ward.spawned(message.pid);
        break;
      case 'not-spawned':
        this.#refuse(message.id, message.reason);
        break;
      case 'exited':
        this.#wards.delete(message.id);
        ward.exited({ code: message.code, signal: message.signal });
        break;
    }
  }

  #refuse(id: number, reason: string): void {
    const ward = this.#wards.get(id);
    this.#wards.delete(id);
    ward?.refused(reason);
  }

  /** Somebody killed the guard: what it looked after is ended here. */
  #orphaned(): void {
    for (const [id, ward] of this.#wards) {
      if (ward.pid === null) {
        this.#refuse(id, 'its guard is gone');
        continue;
      }
      try {
        process.kill(ward.pid, 'SIGKILL');
      } catch {
        // It ended with its guard.
      }
      this.#wards.delete(id);
      ward.exited({ code: null, signal: 'SIGKILL' });
    }
  }
}

function environment(directory: string | null): Record<string, string> {
  const passed: Record<string, string> = directory === null ? {} : { TMPDIR: directory };
  for (const name of PASSED_ON) {
    const value = process.env[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}
