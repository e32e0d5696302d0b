import type { Driver, DriverContext } from '../../engine/driver-port.js';
import { settingsOf } from '../driver-settings.js';
import { promiseDriver } from '../promise-driver.js';
import { HAZELCAST_ACTIONS } from './actions.js';
import { HazelcastClient } from './client.js';
import { ClientShare } from './client-share.js';
import { HazelcastSettingsSchema } from './description.js';
import { inspectCluster } from './inspect.js';
import { catchStrayRejections } from './stray-rejections.js';
import { notHazelcast } from './refusal.js';

/** The client driver over hazelcast-client on one engine thread. Throws PacecarError REQUEST_INVALID for wrong settings. */
export function createHazelcastDriver(context: DriverContext): Driver {
  const { connectTimeoutMs } = context;
  const { target } = context.configuration;
  const settings = settingsOf('hazelcast', HazelcastSettingsSchema, context.configuration.settings);
  const options = { target, settings, connectTimeoutMs };
  catchStrayRejections();
  const shared = ClientShare.of(options);
  return promiseDriver({
    context,
    actions: HAZELCAST_ACTIONS,
    inspect: () => inspectCluster(options),
    createClient: (lost) =>
      new HazelcastClient(settings.shareClient ? shared : new ClientShare(options), settings, lost),
    timedOut: () => notHazelcast(target, `no answer within ${connectTimeoutMs} ms`),
  });
}
