import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type FailureCode,
  LIMITS,
  listenReason,
  type MonotonicMs,
  PacecarError,
  SUBPROTOCOL,
} from '@pacecar/protocol';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { readServerIdentity } from './server-identity.js';

/** What comes in. Times are taken at receipt, before anything is parsed. Connections are numbered from 1. */
export interface ListenerEvents {
  connected(connection: number): void;
  text(connection: number, text: string, atMs: MonotonicMs): void;
  binary(connection: number, bytes: Uint8Array, atMs: MonotonicMs): void;
  /** The peer broke a rule of the transport; its connection is about to close. */
  refused(connection: number, code: FailureCode, reason: string): void;
  closed(connection: number, reason: string): void;
  /** Something failed that belongs to no connection; the listener goes on. */
  trouble(reason: string): void;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** Time for a new connection to become a WebSocket; the run core bounds the time from there to hello. */
  readonly upgradeTimeoutMs: number;
  readonly nowMs: () => MonotonicMs;
}

/** Room for strangers and for workers that come back before their old connection is known to be dead. */
const MOST_CONNECTIONS = LIMITS.workers + 64;
/** A peer that does not read: four of the largest control messages. */
const MOST_UNSENT_BYTES = 4 * LIMITS.controlMessageBytes;
/** How long a peer may take to answer the closing of its connection. */
const CLOSE_WITHIN_MS = 1_000;

interface Peer {
  readonly socket: WebSocket;
  reason: string | null;
}

/** The coordinator's door: HTTP for /healthz, WebSocket for workers. Bounds what a peer may send, hold and delay. */
export class Listener {
  readonly port: number;
  readonly #server: Server;
  readonly #webSockets: WebSocketServer;
  readonly #events: ListenerEvents;
  readonly #options: ListenerOptions;
  readonly #peers = new Map<number, Peer>();
  /** Of TCP, whatever became of them. */
  readonly #sockets = new Set<Socket>();
  #lastConnection = 0;
  #ending = false;

  private constructor(server: Server, events: ListenerEvents, options: ListenerOptions) {
    this.#server = server;
    this.#events = events;
    this.#options = options;
    this.port = (server.address() as AddressInfo).port;
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: LIMITS.socketMessageBytes,
      perMessageDeflate: false,
      handleProtocols: () => SUBPROTOCOL,
    });
    server.on('error', (error) => events.trouble(error.message));
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', answerRequest);
    server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** Throws PacecarError REQUEST_INVALID if the certificate or the address cannot be used. */
  static async start(options: ListenerOptions, events: ListenerEvents): Promise<Listener> {
    const server = await createServer(options);
    server.maxConnections = MOST_CONNECTIONS;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host: options.host, port: options.port }, resolve);
      });
    } catch (thrown) {
      const { host, port } = options;
      throw new PacecarError('REQUEST_INVALID', `--listen ${host}:${port}: ${listenReason(host, thrown)}`, {
        cause: thrown,
      });
    }
    return new Listener(server, events, options);
  }

  /** Sends to a connection that may be gone already. One that lets too much pile up is cut. */
  send(connection: number, text: string): void {
    const peer = this.#peers.get(connection);
    if (peer === undefined || peer.socket.readyState !== peer.socket.OPEN) return;
    if (peer.socket.bufferedAmount > MOST_UNSENT_BYTES) {
      peer.reason = `it does not read: ${peer.socket.bufferedAmount} bytes wait to be sent to it`;
      peer.socket.terminate();
      return;
    }
    peer.socket.send(text);
  }

  close(connection: number, reason: string): void {
    const peer = this.#peers.get(connection);
    if (peer !== undefined) closeSocket(peer.socket, reason);
  }

  /** Stops listening, closes every connection once what was sent has left, and resolves when none is left. */
  async end(reason: string): Promise<void> {
    this.#ending = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const { socket } of this.#peers.values()) closeSocket(socket, reason);
    // Whoever is in the middle of something else by then, or of nothing at all.
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, CLOSE_WITHIN_MS);
    await closed;
    clearTimeout(timer);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
    if (!offered.includes(SUBPROTOCOL))
      return refuseUpgrade(socket, 400, `subprotocol ${SUBPROTOCOL} is required`);
    if (this.#ending) return refuseUpgrade(socket, 503, 'the run is over');
    if (this.#peers.size >= MOST_CONNECTIONS) return refuseUpgrade(socket, 503, 'too many connections');
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => this.#welcome(webSocket));
  }

  #welcome(socket: WebSocket): void {
    const connection = ++this.#lastConnection;
    const { nowMs } = this.#options;
    const peer: Peer = { socket, reason: null };
    this.#peers.set(connection, peer);
    this.#events.connected(connection);
    socket.on('message', (data: RawData, isBinary: boolean) => {
      const atMs = nowMs();
      // With the default binaryType every message is one Buffer.
      const bytes = data as Buffer;
      if (isBinary) this.#events.binary(connection, bytes, atMs);
      else this.#events.text(connection, bytes.toString('utf8'), atMs);
    });
    socket.on('error', (error) => {
      peer.reason = error.message;
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
        this.#events.refused(
          connection,
          'LIMIT_EXCEEDED',
          `a message of more than ${LIMITS.socketMessageBytes} bytes`,
        );
      else if (code.startsWith('WS_ERR_'))
        this.#events.refused(connection, 'MESSAGE_INVALID', `not a WebSocket message: ${error.message}`);
    });
    socket.on('close', (code: number, reason: Buffer) => {
      this.#peers.delete(connection);
      const said = reason.toString('utf8');
      this.#events.closed(connection, peer.reason ?? `closed (${code}${said === '' ? '' : `, ${said}`})`);
    });
  }
}

async function createServer({ tls, upgradeTimeoutMs }: ListenerOptions): Promise<Server> {
  // The same patience before the first message of a worker, be it spent on TCP, on TLS or on HTTP.
  const timeouts = {
    headersTimeout: upgradeTimeoutMs,
    requestTimeout: upgradeTimeoutMs,
    handshakeTimeout: upgradeTimeoutMs,
    connectionsCheckingInterval: Math.min(upgradeTimeoutMs, 1_000),
  };
  if (tls === null) return createHttpServer(timeouts);
  const identity = await readServerIdentity(tls);
  return createHttpsServer({ ...timeouts, ...identity, minVersion: 'TLSv1.2' });
}

function answerRequest(request: IncomingMessage, response: ServerResponse): void {
  const healthy = request.method === 'GET' && request.url === '/healthz';
  response.writeHead(healthy ? 200 : 404, {
    'content-type': 'text/plain; charset=utf-8',
    connection: 'close',
  });
  response.end(healthy ? 'ok\n' : `a Pacecar coordinator: workers join by WebSocket (${SUBPROTOCOL})\n`);
}

function refuseUpgrade(socket: Duplex, status: 400 | 503, reason: string): void {
  const name = status === 400 ? 'Bad Request' : 'Service Unavailable';
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${name}\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${reason.length + 1}\r\n\r\n${reason}\n`,
  );
}

/** Closes in order, behind what is still to be sent; a peer that does not answer is cut. */
function closeSocket(socket: WebSocket, reason: string): void {
  // A close frame carries at most 123 bytes of reason.
  socket.close(
    1000,
    Buffer.from(reason)
      .subarray(0, 120)
      .toString('utf8')
      .replace(/\uFFFD$/, ''),
  );
  const timer = setTimeout(() => socket.terminate(), CLOSE_WITHIN_MS);
  socket.once('close', () => clearTimeout(timer));
}
