export type { ReconnectPolicy } from './reconnect.js';
export { SessionCore, type SessionCoreOptions } from './session-core.js';
export type { EngineReport, SessionEffect, SessionInput, StagePlace } from './step.js';
