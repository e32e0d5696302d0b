import { connect, createServer, type Server, type Socket } from 'node:net';

/** Passes connections on to a port of this machine, and cuts them when told to. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  accepted = 0;

  private constructor(targetPort: number) {
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
      client.pipe(target);
      target.pipe(client);
    });
  }

  static async start(targetPort: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(targetPort);
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
