import { PacecarError, type Target } from '@pacecar/protocol';
import { addressOf } from '../target-refusal.js';
import type { HazelcastSettings } from './description.js';

/** What the library says of an address that it tried. */
const FAILED = /^Error during initial connection to (\S+) (.*)$/s;

/** What it says when a member does not let it in, whatever for. */
const DENIED = /cluster name on the client does not match|not allowed in the cluster/i;

/** Remembers why addresses could not be connected to: the library logs it, and its error says nothing of it. */
export class ConnectionLog {
  #reason: string | null = null;

  readonly log = (_level: number, _name: string, message: string): void => {
    const [, , reason] = FAILED.exec(message) ?? [];
    if (reason !== undefined) this.#reason = reason;
  };

  get reason(): string | null {
    return this.#reason;
  }
}

/** Why a client could not connect. */
export function refusalOf(target: Target, { clusterName }: HazelcastSettings, reason: string): PacecarError {
  const at = addressOf(target);
  if (DENIED.test(reason))
    return new PacecarError(
      'TARGET_DENIED',
      `the Hazelcast at ${at} refuses the client: its cluster has another name than ` +
        `${JSON.stringify(clusterName)}, or wants a password; give the setting clusterName`,
    );
  const text = reason.replace(/^\w*Error: /, '').split('\n')[0] as string;
  if (/closed by the other side|ECONNRESET/.test(reason)) return notHazelcast(target, text);
  return new PacecarError(
    'TARGET_UNREACHABLE',
    `the Hazelcast at ${at} cannot be reached: ${text}; is a member running there? check host and port`,
  );
}

/** Somebody took the connection. */
export function notHazelcast(target: Target, what: string): PacecarError {
  return new PacecarError(
    'TARGET_PROTOCOL',
    `the target ${addressOf(target)} took the connection, but does not answer as a Hazelcast member does: ${what}; ` +
      'check host and port',
  );
}
