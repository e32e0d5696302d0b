import type { Logger } from 'pino';
import type { StageEngine } from '../engine/stage-engine.js';

export interface StageEngineOptions {
  /** `process.hrtime.bigint()` taken once at the start of the process: zero of its monotonic clock. */
  readonly originNs: bigint;
  readonly logger: Logger;
}

/** The load engine of this process. Its threads start with the first stage and live until `close`. */
export function createStageEngine(_options: StageEngineOptions): StageEngine {
  throw new Error('being written');
}
