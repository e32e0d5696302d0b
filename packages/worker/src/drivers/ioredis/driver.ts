import { Redis } from 'ioredis';
import type { Driver, DriverContext } from '../../engine/driver-port.js';
import { settingsOf } from '../driver-settings.js';
import { promiseDriver } from '../promise-driver.js';
import { inspectTarget } from '../resp/inspect.js';
import { notOpened } from '../target-refusal.js';
import { IOREDIS_ACTIONS } from './actions.js';
import { IoredisClient } from './client.js';
import { IoredisSettingsSchema } from './description.js';

/** The client driver over ioredis on one engine thread. Throws PacecarError REQUEST_INVALID for wrong settings. */
export function createIoredisDriver(context: DriverContext): Driver {
  const { connectTimeoutMs } = context;
  const { target } = context.configuration;
  const settings = settingsOf('ioredis', IoredisSettingsSchema, context.configuration.settings);
  return promiseDriver({
    context,
    actions: IOREDIS_ACTIONS,
    inspect: () => inspectTarget(target, connectTimeoutMs),
    createClient: (lost) => new IoredisClient(Redis, { target, settings, connectTimeoutMs }, lost),
    timedOut: () =>
      notOpened(target, { connected: true, timeoutMs: connectTimeoutMs, reason: 'timeout' }, 'RESP'),
  });
}
