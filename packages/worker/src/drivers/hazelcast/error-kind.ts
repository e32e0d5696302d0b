import { ERROR_KIND } from '@pacecar/protocol';

/** TargetDisconnectedError -> TARGET_DISCONNECTED: by its class, since all of the library's errors have the name Error. */
export function kindOfError(error: unknown): string {
  if (!(error instanceof Error)) return 'ERR';
  const words = error.constructor.name
    .replace(/(Error|Exception)$/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  const kind = words.toUpperCase();
  return ERROR_KIND.test(kind) ? kind : 'ERR';
}
