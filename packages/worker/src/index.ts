export {};
export { runWorker, type WorkerEnd, type WorkerOptions } from './shell/run-worker.js';
