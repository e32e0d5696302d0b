import { connect, createServer, type Server, type Socket } from 'node:net';

/** Of a proxy that reads slowly, after each read. */
const PAUSE_MS = 2;

/** Passes connections on to a port of this machine, counts their bytes, and cuts them when told to. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  accepted = 0;
  bytesSent = 0;
  bytesReceived = 0;

  private constructor(targetPort: number, isSlow: boolean) {
    this.#server = createServer((client) => {
      this.accepted++;
      const target = connect({ host: '127.0.0.1', port: targetPort });
      for (const socket of [client, target]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#sockets.delete(socket);
          client.destroy();
          target.destroy();
        });
      }
      client.on('data', ({ length }: Buffer) => (this.bytesSent += length));
      target.on('data', ({ length }: Buffer) => (this.bytesReceived += length));
      if (isSlow) {
        client.on('data', (bytes) => {
          target.write(bytes);
          client.pause();
          setTimeout(() => client.resume(), PAUSE_MS);
        });
      } else {
        client.pipe(target);
      }
      target.pipe(client);
    });
  }

  /** `isSlow`: what a client sends is read with pauses, so that it cannot all leave at once. */
  static async start(targetPort: number, { isSlow = false } = {}): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(targetPort, isSlow);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  cutAll(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }
}
