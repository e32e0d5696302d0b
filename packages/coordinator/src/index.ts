export { stageSeed } from './core/stage-seed.js';
export { sealBundle } from './record/seal.js';
export type { Progress } from './shell/progress.js';
export {
  type CoordinatorOptions,
  type RunEnd,
  type RunningCoordinator,
  startCoordinator,
} from './shell/start-coordinator.js';
