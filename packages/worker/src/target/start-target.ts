import { createServer, type Socket } from 'node:net';
import { listenReason, PacecarError } from '@pacecar/protocol';
import { CommandInvalid, CommandReader } from './command-reader.js';
import { Commands } from './commands.js';
import { ReplyBuffer } from './reply-buffer.js';

export interface TargetOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Asked of every connection by AUTH when given. */
  readonly password?: string;
  /** Called with one line of text for each thing a person may want to know. */
  readonly log?: (text: string) => void;
}

export interface RunningTarget {
  readonly host: string;
  readonly port: number;
  /** Calls per command in lower case (`get`, `set`, `del` ...) since the start or the last CONFIG RESETSTAT. */
  counters(): Record<string, number>;
  /** Cuts every connection. */
  close(): Promise<void>;
}

/** Replies that a client has not read yet: beyond this its commands are not read any more. */
const UNREAD_BYTES = 1024 * 1024;

/** Pacecar's own target: RESP from memory in one process. Throws PacecarError REQUEST_INVALID if it cannot listen. */
export async function startTarget(options: TargetOptions): Promise<RunningTarget> {
  const sockets = new Set<Socket>();
  const out = new ReplyBuffer();
  const aside = new ReplyBuffer();
  let connectionCount = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    serve(socket, ++connectionCount);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const reason = `--host ${options.host} --port ${options.port}: ${listenReason(options.host, cause)}`;
      reject(new PacecarError('REQUEST_INVALID', reason, { cause }));
    });
    server.listen({ host: options.host, port: options.port, backlog: 4096 }, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  const commands = new Commands({
    password: options.password ?? null,
    port,
    connections: () => sockets.size,
  });
  server.on('error', (error) => options.log?.(`target: ${error.message}`));
  options.log?.(`pacecar target listens on ${options.host}:${port}`);

  function serve(socket: Socket, id: number): void {
    const session = commands.session(id, (reply) => {
      // Not among the replies to whoever is being served, who may have written them in part.
      aside.resp3 = session.resp3;
      reply(aside);
      send(socket, aside);
      process.nextTick(read, () => reader.resume());
    });
    const reader = new CommandReader((bytes, bounds, argumentCount) => {
      if (!session.leaving) commands.run(session, bytes, bounds, argumentCount, out);
      if (session.waiting !== null) reader.pause();
    });
    function read(take: () => void): void {
      if (socket.destroyed) return;
      out.resp3 = session.resp3;
      let broken = false;
      try {
        take();
      } catch (thrown) {
        if (!(thrown instanceof CommandInvalid)) throw thrown;
        out.error(thrown.message);
        broken = true;
      }
      if (out.length > 0) send(socket, out);
      if (broken || session.leaving) socket.destroySoon();
      else if (socket.writableLength > UNREAD_BYTES) socket.pause();
    }
    socket.on('data', (chunk: Buffer) => read(() => reader.feed(chunk)));
    socket.on('drain', () => socket.resume());
    // A client that goes away is no news; its socket closes after this.
    socket.on('error', () => undefined);
    // Nothing is given to a client that has hung up while it waited.
    socket.on('end', () => commands.waitingRoom.leave(session));
    socket.on('close', () => {
      sockets.delete(socket);
      commands.waitingRoom.leave(session);
    });
  }

  return {
    host: options.host,
    port,
    counters: () => Object.fromEntries(commands.statistics.counts().map(({ name, calls }) => [name, calls])),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function send(socket: Socket, replies: ReplyBuffer): void {
  socket.write(replies.take());
  // Not gone at once: the socket keeps the memory until it is.
  if (socket.writableLength > 0) replies.give();
}
