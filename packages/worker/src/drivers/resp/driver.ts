import type { Target, TargetFacts, Workload } from '@pacecar/protocol';
import type { Channel, Driver, DriverContext } from '../../engine/driver-port.js';
import type { Lane } from '../../engine/lane.js';
import { settingsOf } from '../driver-settings.js';
import { secureOf } from '../secure.js';
import type { WireOptions } from '../wire/wire-channel.js';
import { ClusterChannel, type ClusterWorkload } from './cluster/cluster-channel.js';
import { ClusterMap } from './cluster/cluster-map.js';
import { inspectCluster } from './cluster/inspect-cluster.js';
import { routeOf } from './cluster/route.js';
import { RespSettingsSchema } from './description.js';
import { checkStandalone, inspectTarget } from './inspect.js';
import { KeyChannel, KeyWorkload } from './key-channel.js';
import { Login, type RespAccess } from './login.js';
import { ScriptChannel, ScriptWorkload } from './script-channel.js';

/** The wire driver for RESP on one engine thread. Throws PacecarError REQUEST_INVALID for wrong settings. */
export function createRespDriver(context: DriverContext): Driver {
  const { clock, connectTimeoutMs } = context;
  const { target } = context.configuration;
  const settings = settingsOf('resp', RespSettingsSchema, context.configuration.settings);
  const { noDelay, protocol } = settings;
  const access: RespAccess = { target, secure: secureOf(target), protocol };
  const optionsFor = (to: Target, after: readonly (readonly string[])[] = []): WireOptions => ({
    ...{ clock, target: to, noDelay, connectTimeoutMs, protocol: 'RESP', secure: access.secure },
    greeting: () => new Login({ ...access, target: to }, after),
  });
  if (settings.mode === 'cluster') {
    const map = new ClusterMap(access, connectTimeoutMs);
    const readsFromReplicas = settings.readFrom === 'replica';
    return {
      inspect: () => inspectCluster(access, map, connectTimeoutMs),
      prepare(workload) {
        const shared: ClusterWorkload = {
          ...{ clock, map, readsFromReplicas, reconnect: workload.reconnect },
          scripts: new ScriptWorkload(workload),
          routes: workload.mix.map((action) => routeOf(action, workload)),
          wireOptions: (to) => optionsFor(to, readsFromReplicas ? [['READONLY']] : []),
        };
        return (lane) => new ClusterChannel(lane, shared);
      },
    };
  }
  return {
    inspect: async (): Promise<TargetFacts> =>
      checkStandalone(await inspectTarget(access, connectTimeoutMs), 'say `settings: { mode: cluster }`'),
    prepare(workload: Workload): (lane: Lane) => Channel {
      const options = optionsFor(target);
      const plain = KeyWorkload.of(workload);
      if (plain !== null) return (lane) => new KeyChannel(lane, plain, options);
      const any = new ScriptWorkload(workload);
      return (lane) => new ScriptChannel(lane, any, options);
    },
  };
}
