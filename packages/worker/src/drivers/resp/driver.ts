import type { TargetFacts, Workload } from '@pacecar/protocol';
import type { Channel, Driver, DriverContext } from '../../engine/driver-port.js';
import type { Lane } from '../../engine/lane.js';
import { settingsOf } from '../driver-settings.js';
import { RespSettingsSchema } from './description.js';
import { inspectTarget } from './inspect.js';
import { Login } from './login.js';
import { ScriptChannel, ScriptWorkload } from './script-channel.js';
import { KeyChannel, KeyWorkload } from './key-channel.js';

/** The wire driver for RESP on one engine thread. Throws PacecarError REQUEST_INVALID for wrong settings. */
export function createRespDriver(context: DriverContext): Driver {
  const { clock, connectTimeoutMs } = context;
  const { target, settings } = context.configuration;
  const { noDelay } = settingsOf('resp', RespSettingsSchema, settings);
  return {
    inspect: (): Promise<TargetFacts> => inspectTarget(target, connectTimeoutMs),
    prepare(workload: Workload): (lane: Lane) => Channel {
      const options = {
        ...{ clock, target, noDelay, connectTimeoutMs, protocol: 'RESP' },
        greeting: () => new Login(target),
      };
      const plain = KeyWorkload.of(workload);
      if (plain !== null) return (lane) => new KeyChannel(lane, plain, options);
      const any = new ScriptWorkload(workload);
      return (lane) => new ScriptChannel(lane, any, options);
    },
  };
}
