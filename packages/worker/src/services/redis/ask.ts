import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { PacecarError, type ServiceNode } from '@pacecar/protocol';
import { connectionReason } from '../../drivers/connection-reason.js';
import { commandBytes, type ReplyValue, ReplyValueReader } from '../../drivers/resp/reply-value.js';

/** A server of this machine or the next answers in less, unless it is suspended or busy with its disk. */
const ANSWER_MS = 2_000;

export interface Login {
  readonly username: string | null;
  readonly password: string | null;
}

/**
 * Sends commands on a connection of their own and gives their replies, error replies included. Throws
 * TARGET_UNREACHABLE, or TARGET_DENIED for the login.
 */
export async function askRedis(
  node: Pick<ServiceNode, 'host' | 'port' | 'certificateAuthority'>,
  { username, password }: Login,
  commands: readonly (readonly string[])[],
): Promise<readonly ReplyValue[]> {
  const login =
    password === null ? [] : [username === null ? ['AUTH', password] : ['AUTH', username, password]];
  const [...replies] = await exchange(node, [...login, ...commands]);
  if (login.length > 0) {
    const answer = replies.shift();
    if (answer?.kind === 'error')
      throw new PacecarError('TARGET_DENIED', `the login is refused: ${answer.text}`);
  }
  return replies;
}

/** The reply to one command; an error reply throws TARGET_DENIED. */
export async function askOne(
  node: ServiceNode,
  login: Login,
  command: readonly string[],
): Promise<ReplyValue> {
  const [reply] = await askRedis(node, login, [command]);
  if (reply?.kind === 'error')
    throw new PacecarError('TARGET_DENIED', `${command.slice(0, 2).join(' ')} is refused: ${reply.text}`);
  return reply as ReplyValue;
}

export function textOf(reply: ReplyValue | undefined): string {
  return reply?.kind === 'text' ? reply.text : '';
}

async function exchange(
  { host, port, certificateAuthority }: Pick<ServiceNode, 'host' | 'port' | 'certificateAuthority'>,
  commands: readonly (readonly string[])[],
): Promise<ReplyValue[]> {
  if (commands.length === 0) return [];
  const socket =
    certificateAuthority === null
      ? connect({ host, port })
      : connectTls({ host, port, ca: certificateAuthority, checkServerIdentity: () => undefined });
  const reader = new ReplyValueReader();
  const replies: ReplyValue[] = [];
  try {
    return await new Promise<ReplyValue[]>((resolve, reject) => {
      const fail = (reason: string): void => reject(new PacecarError('TARGET_UNREACHABLE', reason));
      socket.setTimeout(ANSWER_MS, () => fail(`no answer within ${ANSWER_MS / 1_000} s`));
      socket.on('error', (error) => fail(connectionReason(error)));
      socket.on('close', () => fail('it closed the connection'));
      socket.on('data', (chunk: Buffer) => {
        try {
          reader.add(chunk);
          for (let reply = reader.next(); reply !== null; reply = reader.next()) replies.push(reply);
        } catch (thrown) {
          fail(`it does not speak RESP: ${(thrown as Error).message}`);
        }
        if (replies.length >= commands.length) resolve(replies);
      });
      socket.write(Buffer.concat(commands.map((command) => commandBytes(command))));
    });
  } finally {
    socket.destroy();
  }
}
