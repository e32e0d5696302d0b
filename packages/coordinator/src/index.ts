export { stageSeed } from './core/stage-seed.js';
export { makeDirectoryPath } from './record/directory-path.js';
export { replaceFile } from './record/replaced-file.js';
export { sealBundle } from './record/seal.js';
export type { Progress } from './shell/progress.js';
export {
  type CoordinatorOptions,
  type RunEnd,
  type RunningCoordinator,
  startCoordinator,
} from './shell/start-coordinator.js';
