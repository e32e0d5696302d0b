export { calibrate, type CalibrateOptions } from './calibration/calibrate.js';
export { DRIVERS } from './drivers/registry.js';
export { type DumpedOperation, type DumpRequest, dumpOperations } from './engine/operation-dump.js';
export type { StageEngine, StageListener, StageLoad } from './engine/stage-engine.js';
export { createStageEngine, type StageEngineOptions } from './engine-host/create-stage-engine.js';
export {
  calibrationMachine,
  calibrationPath,
  type KnownCeiling,
  readCalibration,
  writeCalibration,
} from './shell/calibration-file.js';
export { hostFacts } from './shell/host-facts.js';
export { runWorker, type WorkerEnd, type WorkerOptions } from './shell/run-worker.js';
export { type KeeperOptions, ServiceKeeper } from './services/keeper.js';
export type { DataFile, ServiceOrder } from './services/recipe.js';
export { RECIPE_DESCRIPTIONS } from './services/registry.js';
export type { NodeFacts, Service, StoppedNode } from './services/service.js';
export { type RunningTarget, startTarget, type TargetOptions } from './target/start-target.js';
