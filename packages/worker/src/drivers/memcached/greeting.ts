import { PacecarError, type Target } from '@pacecar/protocol';
import { addressOf } from '../target-refusal.js';
import type { Greeting } from '../wire/wire-channel.js';
import type { MemcachedSettings } from './description.js';

/** Longer than what any server answers to these two. */
const MOST_BYTES = 1_000;
/** As people write it, for messages. */
export const PROTOCOL_NAME = 'the protocol of memcached';

/**
 * What is said at the start of every connection: the version, which nothing but a memcached answers, and in the meta
 * protocol its no-operation, which old ones do not know.
 */
export class MemcachedGreeting implements Greeting {
  readonly request: Uint8Array;
  /** What the server said of itself. */
  version = '';
  readonly #target: Target;
  readonly #isMeta: boolean;
  #text = '';

  constructor(target: Target, { protocol }: Pick<MemcachedSettings, 'protocol'>) {
    this.#target = target;
    this.#isMeta = protocol === 'meta';
    this.request = Buffer.from(this.#isMeta ? 'version\r\nmn\r\n' : 'version\r\n');
  }

  receive(bytes: Uint8Array): boolean {
    this.#text += Buffer.from(bytes).toString('latin1');
    const lines = this.#text.split('\r\n');
    // What follows the last line end is not whole.
    const rest = lines.pop() as string;
    const [version, noOperation, ...more] = lines;
    if (version === undefined) {
      if (rest.length > MOST_BYTES || /^[^A-Z+-]/.test(rest)) throw notMemcached(this.#target, rest);
      return false;
    }
    this.version = this.#versionOf(version);
    if (this.#isMeta && noOperation === undefined) return false;
    if (this.#isMeta && noOperation !== 'MN') this.#refuseMeta(noOperation as string);
    if ((this.#isMeta ? more : lines.slice(1)).length > 0 || rest !== '')
      throw notMemcached(this.#target, lines.join(' '));
    return true;
  }

  #versionOf(line: string): string {
    const version = /^VERSION (.+)$/.exec(line)?.[1];
    if (version !== undefined) return version;
    const at = addressOf(this.#target);
    if (/^(CLIENT_)?ERROR (un)?auth/i.test(line))
      throw new PacecarError(
        'TARGET_DENIED',
        `the target ${at} wants a user and a password, which this driver cannot give: ${line}; start it without -S and -Y`,
      );
    if (line.startsWith('ERROR Too many open connections'))
      throw new PacecarError(
        'TARGET_DENIED',
        `the target ${at} has no connection left: ${line}; raise its limit (memcached -c) or use fewer connections`,
      );
    throw notMemcached(this.#target, line);
  }

  #refuseMeta(line: string): void {
    throw new PacecarError(
      'TARGET_PROTOCOL',
      `the target ${addressOf(this.#target)}, version ${this.version}, does not know the meta commands: it answered ` +
        `${JSON.stringify(line)}; set \`settings: { protocol: text }\``,
    );
  }
}

export function notMemcached(target: Target, seen: string): PacecarError {
  const isRedis = /^[-+](ERR|NOAUTH|DENIED)\b/.test(seen);
  return new PacecarError(
    'TARGET_PROTOCOL',
    `the target ${addressOf(target)} does not speak ${PROTOCOL_NAME}: it answered ` +
      `${JSON.stringify(seen.slice(0, 100))}; ` +
      (isRedis ? 'a Redis answers so, which is for the driver resp' : 'check host and port'),
  );
}
