import { asPacecarError, PacecarError, type TargetFacts, type Workload } from '@pacecar/protocol';
import type { Channel, Driver, DriverContext } from '../../engine/driver-port.js';
import type { Lane } from '../../engine/lane.js';
import { inspectionOf } from '../redis-facts.js';
import { RespChannel, RespWorkload } from './channel.js';
import { Conversation } from './conversation.js';
import { RespSettingsSchema } from './description.js';
import { addressOf } from './login.js';

/** The wire driver for RESP on one engine thread. Throws PacecarError REQUEST_INVALID for wrong settings. */
export function createRespDriver(context: DriverContext): Driver {
  const { target, settings } = context.configuration;
  const parsed = RespSettingsSchema.safeParse(settings);
  if (!parsed.success)
    throw new PacecarError(
      'REQUEST_INVALID',
      `settings of the driver resp: ${parsed.error.issues[0]?.message}`,
    );
  const { noDelay } = parsed.data;
  const { clock, connectTimeoutMs } = context;
  return {
    async inspect(): Promise<TargetFacts> {
      const conversation = new Conversation(target, connectTimeoutMs);
      try {
        await conversation.open();
        return await inspectionOf(addressOf(target), (command) => conversation.ask(command));
      } catch (thrown) {
        throw asPacecarError(thrown);
      } finally {
        conversation.close();
      }
    },
    prepare(workload: Workload): (lane: Lane) => Channel {
      const shared = new RespWorkload(workload);
      return (lane) => new RespChannel(lane, shared, { clock, target, noDelay, connectTimeoutMs });
    },
  };
}
