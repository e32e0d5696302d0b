import { connect } from 'node:net';
import { PacecarError, type ServiceNode } from '@pacecar/protocol';
import { connectionReason } from '../../drivers/connection-reason.js';

const ANSWER_MS = 2_000;
const MOST_CHARACTERS = 256 * 1024;
/** The line that ends an answer; those of a list begin with STAT. */
const LAST_LINE = /^(VERSION .*|OK|END|ERROR|(CLIENT|SERVER)_ERROR .*)$/;

/**
 * Sends one line of the text protocol on a connection of its own and gives the lines of the answer, without END.
 * Throws TARGET_UNREACHABLE, also for an answer that is an error.
 */
export async function askMemcached({ host, port }: ServiceNode, line: string): Promise<readonly string[]> {
  const socket = connect({ host, port });
  try {
    return await new Promise<string[]>((resolve, reject) => {
      const fail = (reason: string): void => reject(new PacecarError('TARGET_UNREACHABLE', reason));
      let text = '';
      socket.setTimeout(ANSWER_MS, () => fail(`no answer within ${ANSWER_MS / 1_000} s`));
      socket.on('error', (error) => fail(connectionReason(error)));
      socket.on('close', () => fail('it closed the connection'));
      socket.setEncoding('latin1');
      socket.on('data', (chunk: string) => {
        text += chunk;
        const lines = text.split('\r\n');
        const last = lines.slice(0, -1).findIndex((one) => LAST_LINE.test(one));
        if (last < 0) {
          if (text.length > MOST_CHARACTERS) fail('it does not speak the protocol of memcached');
          return;
        }
        const end = lines[last] as string;
        if (end.includes('ERROR')) fail(`it refuses ${line}: ${end}`);
        else resolve(lines.slice(0, end === 'END' ? last : last + 1));
      });
      socket.write(`${line}\r\n`);
    });
  } finally {
    socket.destroy();
  }
}
