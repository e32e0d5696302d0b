import { asPacecarError, type Target, type TargetFacts } from '@pacecar/protocol';
import { factsOf } from '../redis-facts.js';
import { Conversation } from './conversation.js';
import { addressOf } from '../target-refusal.js';

/**
 * Asks a target about itself, on a connection of its own. Throws PacecarError TARGET_UNREACHABLE, TARGET_DENIED or
 * TARGET_PROTOCOL. Each step may take `timeoutMs`.
 */
export async function inspectTarget(target: Target, timeoutMs: number): Promise<TargetFacts> {
  const conversation = new Conversation(target, timeoutMs);
  try {
    await conversation.open();
    return await factsOf(addressOf(target), (command) => conversation.ask(command));
  } catch (thrown) {
    throw asPacecarError(thrown);
  } finally {
    conversation.close();
  }
}
