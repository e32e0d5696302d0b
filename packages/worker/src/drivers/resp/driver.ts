import type { TargetFacts, Workload } from '@pacecar/protocol';
import type { Channel, Driver, DriverContext } from '../../engine/driver-port.js';
import type { Lane } from '../../engine/lane.js';
import { settingsOf } from '../driver-settings.js';
import { secureOf } from '../secure.js';
import { RespSettingsSchema } from './description.js';
import { checkStandalone, inspectTarget } from './inspect.js';
import { KeyChannel, KeyWorkload } from './key-channel.js';
import { Login, type RespAccess } from './login.js';
import { ScriptChannel, ScriptWorkload } from './script-channel.js';

/** The wire driver for RESP on one engine thread. Throws PacecarError REQUEST_INVALID for wrong settings. */
export function createRespDriver(context: DriverContext): Driver {
  const { clock, connectTimeoutMs } = context;
  const { target, settings } = context.configuration;
  const { noDelay, protocol } = settingsOf('resp', RespSettingsSchema, settings);
  const access: RespAccess = { target, secure: secureOf(target), protocol };
  return {
    inspect: async (): Promise<TargetFacts> =>
      checkStandalone(await inspectTarget(access, connectTimeoutMs), 'name a server that is none'),
    prepare(workload: Workload): (lane: Lane) => Channel {
      const options = {
        ...{ clock, target, noDelay, connectTimeoutMs, protocol: 'RESP', secure: access.secure },
        greeting: () => new Login(access),
      };
      const plain = KeyWorkload.of(workload);
      if (plain !== null) return (lane) => new KeyChannel(lane, plain, options);
      const any = new ScriptWorkload(workload);
      return (lane) => new ScriptChannel(lane, any, options);
    },
  };
}
