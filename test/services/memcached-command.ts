import { connect } from 'node:net';

/** What ends an answer, but that of a meta command with a value. */
const LAST_LINE =
  /(^|\n)(END|ERROR|HD.*|EN|NF|NS|(CLIENT|SERVER)_ERROR .*|STORED|NOT_STORED|NOT_FOUND|DELETED|OK|VERSION .*|\d+)\r\n$/;

/** Nothing that a suite asks for takes longer. */
const LIMIT_MS = 5_000;

/** Sends one command of the text protocol to a memcached on loopback and gives its whole answer. For tests only. */
export async function memcachedCommand(port: number, line: string, value?: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error(`no answer to ${line} after ${LIMIT_MS} ms`)));
  try {
    socket.write(value === undefined ? `${line}\r\n` : `${line}\r\n${value}\r\n`);
    let received = '';
    for await (const chunk of socket) {
      received += (chunk as Buffer).toString('utf8');
      if (LAST_LINE.test(received)) return received;
    }
    throw new Error(`the server closed the connection before it answered ${line}`);
  } finally {
    socket.destroy();
  }
}

/** The figures of `stats`, or of one of its parts: {cmd_get: '10', ...}. */
export async function memcachedStats(port: number, part = ''): Promise<Record<string, string>> {
  const text = await memcachedCommand(port, `stats ${part}`.trim());
  return Object.fromEntries(
    [...text.matchAll(/^STAT (\S+) (.*)\r$/gm)].map(([, name, value]) => [name as string, value as string]),
  );
}
