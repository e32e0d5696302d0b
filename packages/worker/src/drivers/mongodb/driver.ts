import { MongoClient } from 'mongodb';
import { PacecarError } from '@pacecar/protocol';
import type { Driver, DriverContext } from '../../engine/driver-port.js';
import { settingsOf } from '../driver-settings.js';
import { promiseDriver } from '../promise-driver.js';
import { MONGODB_ACTIONS } from './actions.js';
import { MongodbClient } from './client.js';
import { MONGODB_DESCRIPTION, MongodbSettingsSchema } from './description.js';
import { inspectTarget } from './inspect.js';
import { noAnswer } from './refusal.js';

/** The client driver over mongodb on one engine thread. Throws PacecarError REQUEST_INVALID for wrong settings. */
export function createMongodbDriver(context: DriverContext): Driver {
  const { connectTimeoutMs } = context;
  const { target } = context.configuration;
  const settings = settingsOf('mongodb', MongodbSettingsSchema, context.configuration.settings);
  const common = { target, settings, connectTimeoutMs };
  const inspect = () => inspectTarget(MongoClient, common);
  return {
    inspect,
    prepare(workload) {
      const objection = MONGODB_DESCRIPTION.objection?.(workload, context.configuration) ?? null;
      if (objection !== null)
        throw new PacecarError('REQUEST_INVALID', `the workload ${workload.name}: ${objection}`);
      const sockets = settings.poolSize === 0 ? workload.depth : settings.poolSize;
      return promiseDriver({
        ...{ context, actions: MONGODB_ACTIONS, inspect },
        createClient: (lost) => new MongodbClient(MongoClient, { ...common, sockets }, lost),
        timedOut: () => noAnswer(target, `no answer within ${connectTimeoutMs} ms`),
      }).prepare(workload);
    },
  };
}
