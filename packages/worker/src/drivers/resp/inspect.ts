import { asPacecarError, PacecarError, type TargetFacts } from '@pacecar/protocol';
import { factsOf } from '../redis-facts.js';
import { addressOf } from '../target-refusal.js';
import { Conversation } from './conversation.js';
import type { RespAccess } from './login.js';

/**
 * Asks a target about itself, on a connection of its own. Throws PacecarError TARGET_UNREACHABLE, TARGET_DENIED or
 * TARGET_PROTOCOL. Each step may take `timeoutMs`.
 */
export async function inspectTarget(access: RespAccess, timeoutMs: number): Promise<TargetFacts> {
  const { target, secure } = access;
  const conversation = new Conversation(access, timeoutMs);
  try {
    await conversation.open();
    const facts = await factsOf(addressOf(target), (command) => conversation.ask(command));
    const how =
      secure === null ? 'no' : secure.rejectUnauthorized === false ? 'yes, not verified' : 'yes, verified';
    const settings = { ...facts.settings, resp: String(conversation.protocol), tls: how };
    return { ...facts, settings };
  } catch (thrown) {
    throw asPacecarError(thrown);
  } finally {
    conversation.close();
  }
}

/** Throws PacecarError TARGET_PROTOCOL for a node of a cluster, which serves only its own keys. */
export function checkStandalone(facts: TargetFacts, remedy: string): TargetFacts {
  if (facts.settings['cluster_enabled'] !== '1' && facts.settings['cluster-enabled'] !== 'yes') return facts;
  throw new PacecarError(
    'TARGET_PROTOCOL',
    `the target ${facts.address} is a node of a cluster and serves only some of the keys; ${remedy}`,
  );
}
