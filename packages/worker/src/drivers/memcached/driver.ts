import type { TargetFacts, Workload } from '@pacecar/protocol';
import type { Channel, Driver, DriverContext } from '../../engine/driver-port.js';
import type { Lane } from '../../engine/lane.js';
import { settingsOf } from '../driver-settings.js';
import { CompoundChannel, CompoundWorkload } from './compound-channel.js';
import { MemcachedSettingsSchema } from './description.js';
import { MemcachedGreeting, PROTOCOL_NAME } from './greeting.js';
import { inspectTarget } from './inspect.js';
import { KeyChannel, KeyWorkload } from './key-channel.js';
import { checked } from './limits.js';
import { phrasesOf } from './phrase.js';

/** The wire driver for memcached on one engine thread. Throws PacecarError REQUEST_INVALID for wrong settings. */
export function createMemcachedDriver(context: DriverContext): Driver {
  const { clock, connectTimeoutMs } = context;
  const { target } = context.configuration;
  const settings = settingsOf('memcached', MemcachedSettingsSchema, context.configuration.settings);
  return {
    inspect: (): Promise<TargetFacts> => inspectTarget(target, settings, connectTimeoutMs),
    prepare(workload: Workload): (lane: Lane) => Channel {
      const options = {
        ...{ clock, target, connectTimeoutMs, noDelay: settings.noDelay, protocol: PROTOCOL_NAME },
        greeting: () => new MemcachedGreeting(target, settings),
      };
      const phrases = phrasesOf(checked(workload), settings.protocol);
      const plain = KeyWorkload.of(workload, phrases);
      if (plain !== null) return (lane) => new KeyChannel(lane, plain, options);
      const any = new CompoundWorkload(workload, phrases);
      return (lane) => new CompoundChannel(lane, any, options);
    },
  };
}
