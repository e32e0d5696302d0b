export { RunCore, type RunCoreOptions } from './run-core.js';
export type { RunView } from './run-view.js';
export type { RunEffect, RunInput } from './step.js';
