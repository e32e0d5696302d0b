import memjs from 'memjs';
import type { Driver, DriverContext } from '../../engine/driver-port.js';
import { settingsOf } from '../driver-settings.js';
import { checked } from '../memcached/limits.js';
import { inspectTarget } from '../memcached/inspect.js';
import { PROTOCOL_NAME } from '../memcached/greeting.js';
import { promiseDriver } from '../promise-driver.js';
import { notOpened } from '../target-refusal.js';
import { MEMJS_ACTIONS } from './actions.js';
import { MemjsClient } from './client.js';
import { MemjsSettingsSchema } from './description.js';

/** The client driver over memjs on one engine thread. Throws PacecarError REQUEST_INVALID for wrong settings. */
export function createMemjsDriver(context: DriverContext): Driver {
  const { connectTimeoutMs } = context;
  const { target } = context.configuration;
  settingsOf('memjs', MemjsSettingsSchema, context.configuration.settings);
  const driver = promiseDriver({
    context,
    actions: MEMJS_ACTIONS,
    // The text protocol says more of what a target is than the binary one does.
    inspect: () => inspectTarget(target, { protocol: 'text' }, connectTimeoutMs),
    createClient: (lost) => new MemjsClient(memjs, { target, connectTimeoutMs }, lost),
    timedOut: () =>
      notOpened(
        target,
        { connected: true, timeoutMs: connectTimeoutMs, reason: 'timeout' },
        `the binary part of ${PROTOCOL_NAME}`,
      ),
  });
  return { inspect: async () => driver.inspect(), prepare: (workload) => driver.prepare(checked(workload)) };
}
