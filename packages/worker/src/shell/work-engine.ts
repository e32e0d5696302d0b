import { type Arm, sendsLoad } from '@pacecar/protocol';
import type { StageEngine, StageListener, StageLoad } from '../engine/stage-engine.js';
import type { ServiceDesk } from '../services/service-desk.js';

/** Everything that stages do on this worker: load by the engine, services and waiting by the desk. */
export class WorkEngine implements StageEngine {
  readonly #engine: StageEngine;
  readonly #desk: ServiceDesk;

  constructor(engine: StageEngine, desk: ServiceDesk) {
    this.#engine = engine;
    this.#desk = desk;
  }

  arm(arm: Arm, worker: number, listener: StageListener): StageLoad {
    return sendsLoad(arm.spec) ? this.#engine.arm(arm, worker, listener) : this.#desk.arm(arm, listener);
  }

  /** The run is over for this worker: ends every service that it has started. Load has been abandoned before. */
  release(): void {
    this.#desk.release();
  }

  async close(): Promise<void> {
    await Promise.all([this.#engine.close(), this.#desk.close()]);
  }
}
