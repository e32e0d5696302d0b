import type { Event } from '@pacecar/protocol';
import type { Logger } from 'pino';

/** What needs a person's eye while a run goes; everything else is only told. */
const WARNINGS: ReadonlySet<Event['type']> = new Set([
  'worker-cut',
  'worker-lost',
  'worker-refused',
  'message-refused',
  'worker-failed',
  'conservation-broken',
  'service-died',
  'interrupted',
]);
/** Many in a run, and all of them in the bundle. */
const DETAILS: ReadonlySet<Event['type']> = new Set(['clock', 'worker-armed', 'worker-drained']);

/** Logs an event of the run without the bulk that only the bundle needs. */
export function logEvent(logger: Logger, event: Event): void {
  const { type, atMs: _, wallTime: __, ...rest } = event;
  const brief = Object.fromEntries(Object.entries(rest).filter(([, value]) => !isBulk(value)));
  if (WARNINGS.has(type)) logger.warn(brief, type);
  else if (DETAILS.has(type)) logger.debug(brief, type);
  else logger.info(brief, type);
}

function isBulk(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !isShortList(value);
}

function isShortList(value: object): boolean {
  return Array.isArray(value) && value.length <= 16 && value.every((item) => typeof item !== 'object');
}
