import { Worker } from 'node:worker_threads';
import { NEVER_NS, WakerMemory } from './waker-memory.js';

/** It sleeps and posts: a small heap is plenty. */
const RESOURCES = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 } as const;

/**
 * Wakes the thread that made it at a time, to about 100 us, while its event loop waits for sockets. It may also wake
 * it when that is not asked for any more.
 */
export class Waker {
  readonly #memory = new WakerMemory();
  #lives = true;

  constructor(wake: () => void) {
    this.#memory.dueNs[0] = NEVER_NS;
    const thread = new Worker(new URL('./waker-thread.js', import.meta.url), {
      name: 'pacecar-waker',
      workerData: this.#memory.buffer,
      resourceLimits: RESOURCES,
    });
    thread.on('message', wake);
    thread.on('error', () => {
      this.#lives = false;
    });
    thread.unref();
  }

  /** False: it cannot be had; wait in another way. */
  wakeIn(lengthNs: number): boolean {
    if (!this.#lives) return false;
    const { turn, dueNs } = this.#memory;
    Atomics.store(dueNs, 0, process.hrtime.bigint() + BigInt(Math.round(lengthNs)));
    Atomics.add(turn, 0, 1);
    Atomics.notify(turn, 0);
    return true;
  }
}
