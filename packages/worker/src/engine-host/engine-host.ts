import { type Arm, isBackground } from '@pacecar/protocol';
import type { Logger } from 'pino';
import type { StageEngine, StageListener, StageLoad } from '../engine/stage-engine.js';
import { StageHost } from './stage-host.js';
import type { EnginePool, PoolListener } from './thread-pool.js';

/**
 * Gives each stage that runs at the same time threads of its own: the ones of the foreground, which all foreground
 * stages have one after the other, and others for the background. So no thread serves two stages, neither delays the
 * other's event loop, and what a thread says of its health is of one stage.
 */
export class EngineHost implements StageEngine {
  readonly #createHost: () => StageHost;
  readonly #foreground: StageHost;
  readonly #background: StageHost[] = [];

  constructor(logger: Logger, createPool: (listener: PoolListener) => EnginePool) {
    this.#createHost = () => new StageHost(logger, createPool);
    this.#foreground = this.#createHost();
  }

  arm(arm: Arm, worker: number, listener: StageListener): StageLoad {
    const host = isBackground(arm.spec) ? this.#freeHost() : this.#foreground;
    return host.arm(arm, worker, listener);
  }

  async close(): Promise<void> {
    await Promise.all([this.#foreground, ...this.#background].map((host) => host.close()));
  }

  #freeHost(): StageHost {
    const free = this.#background.find(({ isFree }) => isFree);
    if (free !== undefined) return free;
    const host = this.#createHost();
    this.#background.push(host);
    return host;
  }
}
