import { connect } from 'node:net';

/** Calls of GET and of SET since the last reset, as the server itself counts them. */
export interface ServerCounts {
  readonly get: number;
  readonly set: number;
}

export async function resetCounts(port: number): Promise<void> {
  await ask(port, 'CONFIG RESETSTAT');
}

export async function readCounts(port: number): Promise<ServerCounts> {
  const text = await ask(port, 'INFO commandstats');
  const calls = (name: string) =>
    Number(new RegExp(`^cmdstat_${name}:calls=(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return { get: calls('get'), set: calls('set') };
}

/** One inline command, and its reply as it stands on the wire; the server closes after QUIT. */
function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      text += part;
    });
    socket.once('error', reject);
    socket.once('end', () => resolve(text));
    socket.write(`${command}\r\nQUIT\r\n`);
  });
}
