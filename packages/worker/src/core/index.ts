export type { ReconnectPolicy } from './reconnect.js';
export { SessionCore, type SessionCoreOptions } from './session-core.js';
export type { SessionEffect, SessionInput } from './step.js';
