import { connect } from 'node:net';
import type { PacecarError, Target } from '@pacecar/protocol';
import { connectionReason } from '../connection-reason.js';
import { noAnswer, notMongodb, unreachable } from './refusal.js';

/**
 * `{ hello: 1, $db: 'admin' }`, as a message. Its number is two ends of lines, so that a server of a protocol of lines
 * answers too instead of waiting for one.
 */
const HELLO = Buffer.from(
  '340000000d0a0d0a00000000dd07000000000000001f000000' +
    '1068656c6c6f00010000000224646200060000' +
    '0061646d696e0000',
  'hex',
);
const HEADER_BYTES = 16;
const MOST_BYTES = 48_000_000;
const SHOWN_BYTES = 40;

/**
 * Says hello on a connection of its own, and looks at the first bytes of the answer: the library waits until its timeout
 * for the rest of what is no message. Throws PacecarError TARGET_UNREACHABLE or TARGET_PROTOCOL.
 */
export async function greet(target: Target, timeoutMs: number): Promise<void> {
  const { host, port } = target;
  const socket = connect({ host, port });
  try {
    await new Promise<void>((resolve, reject: (refusal: PacecarError) => void) => {
      let received = Buffer.alloc(0);
      const late = setTimeout(() => reject(noAnswer(target, `no answer within ${timeoutMs} ms`)), timeoutMs);
      socket.once('close', () => {
        clearTimeout(late);
        reject(unreachable(target, 'it closed the connection'));
      });
      socket.once('error', (error) => reject(unreachable(target, connectionReason(error))));
      socket.on('data', (bytes: Buffer) => {
        received = Buffer.concat([received, bytes]);
        if (received.length < 4) return;
        const length = received.readInt32LE(0);
        if (length < HEADER_BYTES || length > MOST_BYTES) reject(notMongodb(target, saidBy(received)));
        else resolve();
      });
      socket.write(HELLO);
    });
  } finally {
    socket.destroy();
  }
}

function saidBy(bytes: Buffer): string {
  return `it answered ${JSON.stringify(bytes.toString('latin1', 0, SHOWN_BYTES))}`;
}
