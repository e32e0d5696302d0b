import { PacecarError, type TargetFacts, type Workload } from '@pacecar/protocol';
import { Redis } from 'ioredis';
import type { Channel, Driver, DriverContext } from '../../engine/driver-port.js';
import type { Lane } from '../../engine/lane.js';
import { PromiseChannel } from '../promise-channel.js';
import { inspectTarget } from '../resp/inspect.js';
import { notOpened } from '../resp/login.js';
import { IoredisClient } from './client.js';
import { IoredisSettingsSchema } from './description.js';

/** The client driver over ioredis on one engine thread. Throws PacecarError REQUEST_INVALID for wrong settings. */
export function createIoredisDriver(context: DriverContext): Driver {
  const { clock, connectTimeoutMs } = context;
  const { target } = context.configuration;
  const parsed = IoredisSettingsSchema.safeParse(context.configuration.settings);
  if (!parsed.success)
    throw new PacecarError(
      'REQUEST_INVALID',
      `settings of the driver ioredis: ${parsed.error.issues[0]?.message}`,
    );
  const settings = parsed.data;
  const timedOut = () =>
    notOpened(target, { connected: true, timeoutMs: connectTimeoutMs, reason: 'timeout' });
  return {
    inspect: (): Promise<TargetFacts> => inspectTarget(target, connectTimeoutMs),
    prepare(workload: Workload): (lane: Lane) => Channel {
      const options = { target, settings, connectTimeoutMs, workload };
      return (lane) =>
        new PromiseChannel(lane, {
          clock,
          createClient: (lost) => new IoredisClient(Redis, options, lost),
          connectTimeoutMs,
          timedOut,
        });
    },
  };
}
