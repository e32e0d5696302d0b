import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy before a target on loopback that holds back some connections for a while. */
export interface SlowGate {
  readonly port: number;
  close(): void;
}

/** `holdMs(n)` is how long connection n (from 0, in the order of their coming) is kept waiting for its first byte. */
export async function startSlowGate(targetPort: number, holdMs: (nth: number) => number): Promise<SlowGate> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  let connections = 0;
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    keep(client);
    setTimeout(() => {
      if (client.destroyed) return;
      const target = connect({ host: '127.0.0.1', port: targetPort });
      keep(target);
      client.pipe(target);
      target.pipe(client);
      client.once('close', () => target.destroy());
      target.once('close', () => client.destroy());
    }, holdMs(connections++));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
