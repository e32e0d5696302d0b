import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WorkerEnd, WorkerOptions } from '@pacecar/worker';
import { until } from '../e2e/deadline.js';

export type WorkerChildOptions = Omit<WorkerOptions, 'logger' | 'signal'>;

/** A worker in a process of its own. */
export interface WorkerChild {
  readonly pid: number;
  /** Its end as `runWorker` gave it; rejects if the process died without. */
  readonly ended: Promise<WorkerEnd>;
  /** Everything it logged. */
  log(): string;
}

export interface TargetChild {
  readonly host: string;
  readonly port: number;
  counters(): Promise<Record<string, number>>;
}

/** The processes of one test. They end with it, also when it fails, and with this process, also when it is killed. */
export class ChildFleet {
  readonly #children: ChildProcess[] = [];

  worker(options: WorkerChildOptions): WorkerChild {
    const child = this.#fork(new URL('./worker-process.js', import.meta.url));
    child.send(options);
    let log = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (log += String(text)));
    const ended = new Promise<WorkerEnd>((resolve, reject) => {
      let end: WorkerEnd | null = null;
      child.on('message', (message) => {
        end = message as WorkerEnd;
      });
      child.once('close', (code, signal) => {
        if (end !== null && end.exitCode === code) resolve(end);
        else
          reject(
            new Error(
              `a worker process ended with ${code ?? signal}, having reported ${JSON.stringify(end)}\n${log}`,
            ),
          );
      });
    });
    // Whoever awaits it sees the rejection; a test that kills a worker need not.
    ended.catch(() => undefined);
    return { pid: child.pid as number, ended, log: () => log };
  }

  async target(): Promise<TargetChild> {
    const child = this.#fork(new URL('./target-process.js', import.meta.url));
    let log = '';
    child.stderr?.on('data', (text) => (log += String(text)));
    const next = <T>(what: string): Promise<T> => {
      let answer: { value: T } | null = null;
      child.once('message', (value) => {
        answer = { value: value as T };
      });
      return until(
        what,
        () => answer,
        20_000,
        () => log,
      ).then(({ value }) => value);
    };
    const address = await next<{ host: string; port: number }>('the target listens');
    return {
      ...address,
      counters: () => {
        const counters = next<Record<string, number>>('the target tells its counters');
        child.send('counters');
        return counters;
      },
    };
  }

  async end(): Promise<void> {
    const living = this.#children.filter((child) => child.exitCode === null && child.signalCode === null);
    const gone = living.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of living) child.kill('SIGKILL');
    await Promise.all(gone);
  }

  #fork(entry: URL): ChildProcess {
    const child = fork(fileURLToPath(entry), [], { silent: true });
    this.#children.push(child);
    return child;
  }
}
