import { LIMITS, type MonotonicMs, PacecarError, SUBPROTOCOL } from '@pacecar/protocol';
import { type RawData, WebSocket } from 'ws';
import { connectReason, distrustReason } from './connect-reason.js';
import { readAuthority } from './authority.js';

/** What the link to the coordinator reports. Times are taken at receipt, before anything is parsed. */
export interface LinkEvents {
  connected(): void;
  text(text: string, atMs: MonotonicMs): void;
  /** A coordinator sends no binary messages. */
  binary(bytes: number): void;
  /** Also when a connection could not be opened. Not after `disconnect`. */
  disconnected(reason: string): void;
  /** In its place when the coordinator's certificate is not one to trust: trying again would not help. */
  distrusted(reason: string): void;
}

export interface LinkAddress {
  readonly url: string;
  /** The file it came from. */
  readonly authorityFile: string | null;
  /** Trusted for wss instead of the system's authorities; PEM. */
  readonly certificateAuthority: Buffer | null;
}

const CONNECT_WITHIN_MS = 10_000;
const CLOSE_WITHIN_MS = 1_000;
/** More than every unacknowledged frame of an ordinary run; a coordinator that is so far behind does not read. */
const MOST_UNSENT_BYTES = 64 * 1024 * 1024;

/** Throws PacecarError REQUEST_INVALID unless the address is one that a worker can join. */
export async function linkAddress(join: string, caFile: string | null): Promise<LinkAddress> {
  const url = URL.canParse(join) ? new URL(join) : null;
  if (url === null || (url.protocol !== 'ws:' && url.protocol !== 'wss:'))
    throw new PacecarError(
      'REQUEST_INVALID',
      `${JSON.stringify(join)} is no address of a coordinator: ws://host:port or wss://host:port is wanted`,
    );
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new PacecarError(
      'REQUEST_INVALID',
      `the address of the coordinator ${url.host} holds more than ws://host:port: a token is given by a file`,
    );
  const authorityFile = caFile;
  if (authorityFile === null) return { url: url.href, authorityFile, certificateAuthority: null };
  if (url.protocol === 'ws:')
    throw new PacecarError(
      'REQUEST_INVALID',
      `--ca ${authorityFile} is of use only with wss://; join ${url.host} with wss://, or leave --ca out`,
    );
  return { url: url.href, authorityFile, certificateAuthority: await readAuthority(authorityFile) };
}

/** At most one connection to the coordinator at a time. */
export class Link {
  readonly #address: LinkAddress;
  readonly #events: LinkEvents;
  readonly #nowMs: () => MonotonicMs;
  #socket: WebSocket | null = null;
  #lastProblem: string | null = null;
  #localAddress: string | null = null;
  /** Connections in a row that did not open. */
  #failures = 0;

  constructor(address: LinkAddress, events: LinkEvents, nowMs: () => MonotonicMs) {
    this.#address = address;
    this.#events = events;
    this.#nowMs = nowMs;
  }

  /** The address of this machine on the way to the coordinator, as others can reach it; null before a connection. */
  get localAddress(): string | null {
    return this.#localAddress;
  }

  /** Why the last connection was not opened, or closed by itself; null since one was opened. */
  get lastProblem(): string | null {
    return this.#lastProblem;
  }

  connect(): void {
    void this.disconnect();
    const { url, certificateAuthority } = this.#address;
    const socket = new WebSocket(url, SUBPROTOCOL, {
      maxPayload: LIMITS.socketMessageBytes,
      perMessageDeflate: false,
      handshakeTimeout: CONNECT_WITHIN_MS,
      followRedirects: false,
      rejectUnauthorized: true,
      ...(certificateAuthority === null ? {} : { ca: certificateAuthority }),
    });
    this.#socket = socket;
    let failure: Error | null = null;
    const current = (): boolean => this.#socket === socket;
    socket.on('open', () => {
      if (!current()) return;
      this.#lastProblem = null;
      this.#failures = 0;
      this.#events.connected();
    });
    socket.on('upgrade', (response) => {
      // An IPv4 address may be told in the form of IPv6.
      this.#localAddress = response.socket.localAddress?.replace(/^::ffff:/, '') ?? null;
    });
    socket.on('message', (data: RawData, isBinary: boolean) => {
      const atMs = this.#nowMs();
      if (!current()) return;
      // With the default binaryType every message is one Buffer.
      const bytes = data as Buffer;
      if (isBinary) this.#events.binary(bytes.length);
      else this.#events.text(bytes.toString('utf8'), atMs);
    });
    socket.on('error', (error) => {
      failure = error;
    });
    socket.on('close', (code: number, reason: Buffer) => {
      if (!current()) return;
      this.#socket = null;
      this.#failures++;
      const distrust = failure === null ? null : distrustReason(failure, this.#address);
      const said = reason.toString('utf8');
      this.#lastProblem =
        distrust ??
        (failure === null
          ? `closed by the coordinator (${code}${said === '' ? '' : `, ${said}`})`
          : connectReason(failure, url, this.#failures));
      if (distrust === null) this.#events.disconnected(this.#lastProblem);
      else this.#events.distrusted(distrust);
    });
  }

  /** Sends if there is a connection; the session core sends again what matters after a cut. */
  send(data: string | Uint8Array): void {
    const socket = this.#socket;
    if (socket === null || socket.readyState !== WebSocket.OPEN) return;
    if (socket.bufferedAmount > MOST_UNSENT_BYTES) socket.terminate();
    else socket.send(data);
  }

  /** Closes behind what was sent, without a report. Resolves when the connection is gone. */
  disconnect(): Promise<void> {
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => socket.terminate(), CLOSE_WITHIN_MS);
      socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      socket.close(1000);
    });
  }
}
