import { PacecarError } from '@pacecar/protocol';
import type { Driver, DriverContext } from '../engine/driver-port.js';
import { DRIVERS } from './registry.js';

/** Makes the drivers by name. A library is loaded by the thread that needs it, and by no other. */
const FACTORIES: Readonly<Record<string, (context: DriverContext) => Promise<Driver>>> = {
  resp: async (context) => (await import('./resp/driver.js')).createRespDriver(context),
  memcached: async (context) => (await import('./memcached/driver.js')).createMemcachedDriver(context),
  memjs: async (context) => (await import('./memjs/driver.js')).createMemjsDriver(context),
  mongodb: async (context) => (await import('./mongodb/driver.js')).createMongodbDriver(context),
  ioredis: async (context) => (await import('./ioredis/driver.js')).createIoredisDriver(context),
  hazelcast: async (context) => (await import('./hazelcast/driver.js')).createHazelcastDriver(context),
};

/** Throws PacecarError UNSUPPORTED for a name that is no driver, REQUEST_INVALID for wrong settings. */
export async function loadDriver(context: DriverContext): Promise<Driver> {
  const name = context.configuration.driver;
  const create = Object.hasOwn(FACTORIES, name) ? FACTORIES[name] : undefined;
  if (create === undefined)
    throw new PacecarError(
      'UNSUPPORTED',
      `this worker has no driver ${JSON.stringify(name)}; it has ${DRIVERS.map((driver) => driver.name).join(', ')}`,
    );
  return create(context);
}
