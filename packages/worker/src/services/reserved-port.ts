import { createServer, type Server } from 'node:net';
import { PacecarError, systemReason } from '@pacecar/protocol';

/**
 * Free ports are taken below the range from which systems give ports to outgoing connections, so that a server that
 * was killed finds its port free again while its clients reconnect in thousands.
 */
const FIRST = 12_000;
const LAST = 21_999;
const MOST_ATTEMPTS = 200;

/** A port that is held until its server takes it. */
export interface ReservedPort {
  readonly port: number;
  /** Lets go of it, and of those beside it. */
  release(): Promise<void>;
}

/**
 * Holds `port` on `host`, or a free one for 0, and those that lie at the distances `besides` from it. Throws
 * SERVICE_FAILED when a given one is in use.
 */
export async function reservePort(
  host: string,
  port: number,
  besides: readonly number[],
): Promise<ReservedPort> {
  if (port !== 0) {
    const held = await hold(host, [port, ...besides.map((distance) => port + distance)]);
    if (!(held instanceof Refusal)) return { port, release: held };
    throw new PacecarError(
      'SERVICE_FAILED',
      `port ${held.port} of ${host} ${held.why}; give another port, or 0 for a free one`,
    );
  }
  for (let attempt = 1; ; attempt++) {
    const candidate = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    const held = await hold(host, [candidate, ...besides.map((distance) => candidate + distance)]);
    if (!(held instanceof Refusal)) return { port: candidate, release: held };
    if (held.isFinal || attempt === MOST_ATTEMPTS)
      throw new PacecarError('SERVICE_FAILED', `no port of ${host} can be listened on: ${held.why}`);
  }
}

class Refusal {
  readonly port: number;
  readonly why: string;
  /** Whether every other port would be refused as well. */
  readonly isFinal: boolean;
  constructor(port: number, thrown: unknown) {
    const { code } = thrown as NodeJS.ErrnoException;
    this.port = port;
    this.isFinal = code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN';
    this.why =
      code === 'EADDRINUSE'
        ? 'is in use by another process'
        : code === 'EACCES'
          ? 'is not for this user, who may listen from 1024 on'
          : `cannot be listened on: ${systemReason(thrown)}`;
  }
}

/** Listens on all of them, or on none. */
async function hold(host: string, ports: readonly number[]): Promise<(() => Promise<void>) | Refusal> {
  const servers: Server[] = [];
  const release = async (): Promise<void> => {
    await Promise.all(servers.splice(0).map(closed));
  };
  for (const port of ports) {
    const server = createServer((socket) => socket.destroy());
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port, exclusive: true }, resolve);
      });
      servers.push(server);
    } catch (thrown) {
      await release();
      return new Refusal(port, thrown);
    }
  }
  return release;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
