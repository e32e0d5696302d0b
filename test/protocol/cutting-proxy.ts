import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between workers and coordinator, and cuts every connection when told to; refuses new ones until restored. */
export class CuttingProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cut = false;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(toPort: number): Promise<CuttingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new CuttingProxy(server);
    server.on('connection', (inner) => proxy.#join(inner, toPort));
    return proxy;
  }

  /** What was on its way is lost: both ends are reset without another byte. */
  cut(): void {
    this.#cut = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  restore(): void {
    this.#cut = false;
  }

  end(): void {
    this.cut();
    this.#server.close();
  }

  #join(inner: Socket, toPort: number): void {
    if (this.#cut) {
      inner.resetAndDestroy();
      return;
    }
    const outer = connect(toPort, '127.0.0.1');
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
