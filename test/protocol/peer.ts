import {
  type CoordinatorMessage,
  CoordinatorMessageSchema,
  type Hello,
  PROTOCOL_VERSION,
  SUBPROTOCOL,
} from '@pacecar/protocol';
import { WebSocket } from 'ws';
import { until } from '../e2e/deadline.js';
import { TOKEN } from './test-run.js';

/** A bare WebSocket that says whatever a test wants, to a coordinator. It answers nothing by itself. */
export class Peer {
  readonly received: CoordinatorMessage[] = [];
  readonly #socket: WebSocket;
  #closed: { code: number } | null = null;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) =>
      this.received.push(CoordinatorMessageSchema.parse(JSON.parse((data as Buffer).toString('utf8')))),
    );
    socket.on('close', (code) => {
      this.#closed = { code };
    });
    // A cut connection is what most of these tests expect.
    socket.on('error', () => undefined);
  }

  static async connect(url: string): Promise<Peer> {
    const socket = new WebSocket(url, SUBPROTOCOL);
    const peer = new Peer(socket);
    await until('a peer is connected', () => (socket.readyState === WebSocket.OPEN ? true : null), 10_000);
    return peer;
  }

  send(data: unknown): void {
    this.#socket.send(data instanceof Uint8Array || typeof data === 'string' ? data : JSON.stringify(data));
  }

  hello(more: Partial<Hello> = {}): void {
    this.send(helloOf(more));
  }

  /** Waits for a message of this type. */
  message<K extends CoordinatorMessage['type']>(type: K): Promise<CoordinatorMessage & { type: K }> {
    const wanted = (message: CoordinatorMessage): message is CoordinatorMessage & { type: K } =>
      message.type === type;
    return until(
      `a peer is told ${type}`,
      () => this.received.find(wanted) ?? null,
      15_000,
      () => JSON.stringify(this.received),
    );
  }

  /** Waits until the coordinator has closed the connection; gives the close code. */
  async closed(limitMs = 15_000): Promise<number> {
    return (await until('a peer is hung up on', () => this.#closed, limitMs)).code;
  }

  cut(): void {
    this.#socket.terminate();
  }
}

function helloOf(more: Partial<Hello>): Hello {
  return {
    type: 'hello',
    version: PROTOCOL_VERSION,
    token: TOKEN,
    workerId: `peer-${Math.random()}`,
    generation: 0,
    name: null,
    group: null,
    index: null,
    resumeEpoch: null,
    facts: {
      hostname: 'test',
      platform: 'test',
      architecture: 'test',
      cpuModel: 'test',
      cpuCount: 1,
      memoryBytes: 1,
      nodeVersion: 'v0',
      pacecarVersion: '0',
      pid: 1,
      wallTime: '2026-01-01T00:00:00Z',
    },
    drivers: [],
    calibration: null,
    ...more,
  };
}
