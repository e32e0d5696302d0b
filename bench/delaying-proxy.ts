/** Makes a server slow: a process of its own before it, which hands answers on `delayMs` after they came. */
import { fork } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

const ME = fileURLToPath(import.meta.url);

export interface DelayingProxy {
  readonly port: number;
  close(): void;
}

export async function startDelayingProxy(serverPort: number, delayMs: number): Promise<DelayingProxy> {
  const child = fork(ME, [String(serverPort), String(delayMs)]);
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (value) => resolve(Number(value)));
    child.once('exit', () => reject(new Error('the delaying proxy did not start')));
  });
  return { port, close: () => child.disconnect() };
}

if (process.argv[1] === ME) serve(Number(process.argv[2]), Number(process.argv[3]));

function serve(serverPort: number, delayMs: number): void {
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: '127.0.0.1', port: serverPort, noDelay: true });
    const end = (socket: Socket) => () => socket.destroy();
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => setTimeout(() => client.write(chunk), delayMs));
    client.on('close', end(upstream)).on('error', end(upstream));
    upstream.on('close', end(client)).on('error', end(client));
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.(typeof address === 'object' && address !== null ? address.port : 0);
  });
  process.once('disconnect', () => process.exit(0));
}
