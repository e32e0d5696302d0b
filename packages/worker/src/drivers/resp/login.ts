import { PacecarError, type Target } from '@pacecar/protocol';
import type { Secure } from '../secure.js';
import { addressOf } from '../target-refusal.js';
import { ReplyInvalid } from '../wire/reply-invalid.js';
import { commandBytes, type ReplyValue, ReplyValueReader } from './reply-value.js';

export type RespVersion = 2 | 3;

/** Whom to speak to, and how. */
export interface RespAccess {
  readonly target: Target;
  readonly secure: Secure | null;
  /** Asked for; a server that does not know it goes on with 2. */
  readonly protocol: RespVersion;
}

/**
 * What is said at the start of every connection: AUTH and SELECT if the target asks for them in the plan, HELLO for
 * RESP3, and a PING, which only a RESP server that has let us in answers with PONG. AUTH stands apart from HELLO, so
 * that a server without HELLO has let us in all the same.
 */
export class Login {
  readonly request: Buffer;
  readonly #target: Target;
  readonly #steps: readonly string[];
  readonly #reader = new ReplyValueReader();
  #answered = 0;

  /** What the target speaks from here on. */
  protocol: RespVersion = 2;

  /** `after`: commands that follow, of which each is answered by OK. */
  constructor({ target, protocol }: RespAccess, after: readonly (readonly string[])[] = []) {
    this.#target = target;
    const commands: string[][] = [];
    if (target.password !== null)
      commands.push(
        target.username === null ? ['AUTH', target.password] : ['AUTH', target.username, target.password],
      );
    if (target.database !== 0) commands.push(['SELECT', String(target.database)]);
    if (protocol === 3) commands.push(['HELLO', '3']);
    commands.push(...after.map((words) => [...words]), ['PING']);
    this.#steps = commands.map((command) => command[0] as string);
    this.request = Buffer.concat(commands.map((command) => commandBytes(command)));
  }

  /** True once the target has let us in. Throws PacecarError TARGET_DENIED or TARGET_PROTOCOL. */
  receive(bytes: Uint8Array): boolean {
    try {
      this.#reader.add(bytes);
      while (this.#answered < this.#steps.length) {
        const reply = this.#reader.next();
        if (reply === null) return false;
        this.#check(this.#steps[this.#answered] as string, reply);
        this.#answered++;
      }
      if (!this.#reader.isEmpty) throw new ReplyInvalid('more replies than commands');
      return true;
    } catch (thrown) {
      if (!(thrown instanceof ReplyInvalid)) throw thrown;
      throw notResp(this.#target, thrown.message);
    }
  }

  #check(step: string, reply: ReplyValue): void {
    const at = addressOf(this.#target);
    if (step === 'HELLO') {
      // A server that does not know it, or no such version, speaks RESP2; what else it refuses PING shows as well.
      if (reply.kind === 'array') this.protocol = 3;
      else if (reply.kind !== 'error') throw notResp(this.#target, `a ${reply.kind} to HELLO`);
      return;
    }
    if (reply.kind === 'error') {
      // A user without the right to PING is let in all the same.
      if (step === 'PING' && reply.text.startsWith('NOPERM')) return;
      if (reply.text.startsWith('LOADING'))
        throw new PacecarError('TARGET_UNREACHABLE', `the target ${at} is not ready: ${reply.text}`);
      if (step === 'SELECT')
        throw new PacecarError(
          'TARGET_DENIED',
          `the target ${at} refuses database ${this.#target.database}: ${reply.text}`,
        );
      throw new PacecarError(
        'TARGET_DENIED',
        `the target ${at} refuses ${step}: ${reply.text}${this.#advice(reply.text)}`,
      );
    }
    const expected = step === 'PING' ? 'PONG' : 'OK';
    if (reply.kind !== 'text' || reply.text !== expected)
      throw notResp(this.#target, reply.kind === 'text' ? reply.text : `a ${reply.kind}`);
  }

  #advice(text: string): string {
    if (text.startsWith('NOAUTH')) return '; give the password in the configuration of the target';
    if (text.startsWith('WRONGPASS'))
      return '; check the user and the password in the configuration of the target';
    return '';
  }
}

export function notResp(target: Target, seen: string): PacecarError {
  const isMemcached = /^(CLIENT_)?ERROR\b/.test(seen);
  return new PacecarError(
    'TARGET_PROTOCOL',
    `the target ${addressOf(target)} does not speak RESP: it answered ${JSON.stringify(seen)}; ` +
      (isMemcached ? 'a memcached answers so, which is for the driver memcached' : 'check host and port'),
  );
}
