import type { Logger } from 'pino';
import type { StageEngine } from '../engine/stage-engine.js';
import { EngineHost } from './engine-host.js';
import { ThreadPool } from './thread-pool.js';

export interface StageEngineOptions {
  /** `process.hrtime.bigint()` taken once at the start of the process: zero of its monotonic clock. */
  readonly originNs: bigint;
  readonly logger: Logger;
}

/** The load engine of this process. Its threads start with the first stage and live until `close`. */
export function createStageEngine({ originNs, logger }: StageEngineOptions): StageEngine {
  return new EngineHost(logger, (listener) => new ThreadPool(originNs, listener));
}
