import { createServer, type Socket } from 'node:net';

/** A TCP server that does what a test says. */
export interface ScriptedServer {
  readonly port: number;
  /** Connections that were ever made. */
  readonly accepted: number;
  readonly open: ReadonlySet<Socket>;
  close(): Promise<void>;
}

/** `onData` is called for everything that arrives; `number` counts connections from 0. */
export async function startScripted(
  onData: (socket: Socket, bytes: Buffer, number: number) => void,
  onConnection: (socket: Socket, number: number) => void = () => undefined,
): Promise<ScriptedServer> {
  const open = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    const number = accepted++;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.on('data', (bytes: Buffer) => onData(socket, bytes, number));
    onConnection(socket, number);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get accepted() {
      return accepted;
    },
    open,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

const INFO = 'redis_version:7.0.0\r\nredis_mode:standalone\r\n';

/** The answers to logging in and to questions about the server; null for anything else. */
export function politeAnswer(bytes: Buffer): string | null {
  const text = bytes.toString('latin1').toUpperCase();
  const answers: string[] = [];
  for (const [, name] of text.matchAll(/\*\d+\r\n\$\d+\r\n([A-Z]+)\r\n/g)) {
    if (name === 'PING') answers.push('+PONG\r\n');
    else if (name === 'CLIENT' || name === 'SELECT') answers.push('+OK\r\n');
    else if (name === 'HELLO' || name === 'CONFIG') answers.push(`-ERR unknown command '${name}'\r\n`);
    else if (name === 'INFO') answers.push(`$${INFO.length}\r\n${INFO}\r\n`);
    else return null;
  }
  return answers.length === 0 ? null : answers.join('');
}
