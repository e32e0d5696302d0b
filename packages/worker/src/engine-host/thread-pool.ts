import { Worker } from 'node:worker_threads';
import type { FromThread, ThreadData, ToThread } from './thread-messages.js';

export interface PoolListener {
  message(thread: number, message: FromThread): void;
  /** A thread has ended without being asked to. */
  died(thread: number, reason: string): void;
}

/** Numbered engine threads, from 0. */
export interface EnginePool {
  /** Sees to it that there are so many. */
  require(count: number): void;
  send(thread: number, message: ToThread): void;
  /** Ends them all; resolves when none is left. */
  close(): Promise<void>;
}

/** The engine threads of a process. They live from stage to stage, so that a warm-up warms them. */
export class ThreadPool implements EnginePool {
  readonly #originNs: bigint;
  readonly #listener: PoolListener;
  readonly #threads: (Worker | null)[] = [];

  constructor(originNs: bigint, listener: PoolListener) {
    this.#originNs = originNs;
    this.#listener = listener;
  }

  require(count: number): void {
    for (let index = 0; index < count; index++) {
      if ((this.#threads[index] ?? null) === null) this.#threads[index] = this.#start(index);
    }
  }

  send(thread: number, message: ToThread): void {
    this.#threads[thread]?.postMessage(message);
  }

  async close(): Promise<void> {
    const threads = this.#threads.splice(0);
    await Promise.all(threads.map(async (thread) => thread?.terminate()));
  }

  #start(index: number): Worker {
    const data: ThreadData = { originNs: this.#originNs };
    const thread = new Worker(new URL('./thread.js', import.meta.url), {
      name: `pacecar-engine-${index}`,
      workerData: data,
    });
    const lose = (reason: string) => {
      // Ended by `close`, or told already.
      if (this.#threads[index] !== thread) return;
      this.#threads[index] = null;
      this.#listener.died(index, reason);
    };
    thread.on('message', (message: FromThread) => {
      if (this.#threads[index] === thread) this.#listener.message(index, message);
    });
    thread.on('error', (error) =>
      lose(error instanceof Error ? (error.stack ?? error.message) : String(error)),
    );
    thread.on('exit', (code) => lose(`it ended with code ${code}`));
    return thread;
  }
}
