import { connect } from 'node:net';
import { PacecarError, type ServiceNode } from '@pacecar/protocol';
import { connectionReason } from '../../drivers/connection-reason.js';
import { decodeDocument, encodeDocument, plainText, type Value } from './document.js';

const ANSWER_MS = 2_000;
const OP_MSG = 2013;
/** Header, flags, and the kind of the one section. */
const PREFIX_BYTES = 16 + 4 + 1;
/** As large as the protocol allows a message to be. */
const MOST_BYTES = 48_000_000;

/**
 * Sends one command of the MongoDB protocol on a connection of its own. Throws TARGET_UNREACHABLE, or TARGET_DENIED
 * for an answer that is an error.
 */
export async function askMongodb(
  { host, port }: ServiceNode,
  command: Readonly<Record<string, string | number | boolean>>,
): Promise<{ readonly [name: string]: Value }> {
  const answer = decode(await exchange(host, port, message(command)));
  if (answer['ok'] !== 1)
    throw new PacecarError(
      'TARGET_DENIED',
      `it refuses ${Object.keys(command)[0]}: ${plainText(answer['errmsg'])}`,
    );
  return answer;
}

function message(command: Readonly<Record<string, string | number | boolean>>): Buffer {
  const document = encodeDocument(command);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeInt32LE(PREFIX_BYTES + document.length, 0);
  prefix.writeInt32LE(1, 4);
  prefix.writeInt32LE(OP_MSG, 12);
  return Buffer.concat([prefix, document]);
}

function decode(reply: Buffer): { readonly [name: string]: Value } {
  try {
    if (reply.readInt32LE(12) !== OP_MSG || reply.readUInt8(20) !== 0) throw new RangeError('no message');
    return decodeDocument(reply.subarray(PREFIX_BYTES));
  } catch (thrown) {
    throw new PacecarError(
      'TARGET_UNREACHABLE',
      `it does not speak the MongoDB protocol: ${(thrown as Error).message}`,
    );
  }
}

async function exchange(host: string, port: number, request: Buffer): Promise<Buffer> {
  const socket = connect({ host, port });
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const fail = (reason: string): void => reject(new PacecarError('TARGET_UNREACHABLE', reason));
      let received = Buffer.alloc(0);
      socket.setTimeout(ANSWER_MS, () => fail(`no answer within ${ANSWER_MS / 1_000} s`));
      socket.on('error', (error) => fail(connectionReason(error)));
      socket.on('close', () => fail('it closed the connection'));
      socket.on('data', (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        const length = received.length < 4 ? MOST_BYTES : received.readInt32LE(0);
        if (length < PREFIX_BYTES || length > MOST_BYTES) fail('it does not speak the MongoDB protocol');
        else if (received.length >= length) resolve(received.subarray(0, length));
      });
      socket.write(request);
    });
  } finally {
    socket.destroy();
  }
}
