import { Redis } from 'ioredis';
import type { Driver, DriverContext } from '../../engine/driver-port.js';
import { settingsOf } from '../driver-settings.js';
import { promiseDriver } from '../promise-driver.js';
import { secureOf } from '../secure.js';
import { checkStandalone, inspectTarget } from '../resp/inspect.js';
import type { RespAccess } from '../resp/login.js';
import { notOpened } from '../target-refusal.js';
import { IOREDIS_ACTIONS } from './actions.js';
import { IoredisClient } from './client.js';
import { IoredisSettingsSchema } from './description.js';

/** The client driver over ioredis on one engine thread. Throws PacecarError REQUEST_INVALID for wrong settings. */
export function createIoredisDriver(context: DriverContext): Driver {
  const { connectTimeoutMs } = context;
  const { target } = context.configuration;
  const settings = settingsOf('ioredis', IoredisSettingsSchema, context.configuration.settings);
  const access: RespAccess = { target, secure: secureOf(target), protocol: settings.protocol };
  return promiseDriver({
    context,
    actions: IOREDIS_ACTIONS,
    inspect: async () =>
      checkStandalone(
        await inspectTarget(access, connectTimeoutMs),
        'take the driver resp with `settings: { mode: cluster }`, or name a server that is none',
      ),
    createClient: (lost) => new IoredisClient(Redis, { access, settings, connectTimeoutMs }, lost),
    timedOut: () =>
      notOpened(target, { connected: true, timeoutMs: connectTimeoutMs, reason: 'timeout' }, 'RESP'),
  });
}
