/** The part of the library that the driver uses; it has no types of its own. */
declare module 'memjs' {
  import type { Socket } from 'node:net';

  interface Options {
    /** Of a request and of connecting, in seconds. */
    timeout?: number;
    conntimeout?: number;
    /** How often an operation is tried. */
    retries?: number;
    logger?: { log(...words: unknown[]): void };
  }

  /** One server, which connects when it is first needed. */
  class Server {
    constructor(host: string, port: number, username?: string, password?: string, options?: Options);
    /** Gives the connected socket, making it if there is none. */
    sock(sasl: boolean, go: (socket: Socket) => void): void;
    write(request: Buffer): void;
    onResponse(sequence: number, respond: (response: { header: { status: number } }) => void): void;
    onError(sequence: number, fail: (error: Error) => void): void;
    /** Drops the socket and fails everything that waits for an answer. */
    error(error: Error): void;
  }

  interface Found {
    readonly value: Buffer | null;
    readonly flags: Buffer | null;
  }

  /** Methods without a callback give promises. */
  class Client {
    constructor(servers: Server[], options?: Options);
    get(key: string): Promise<Found>;
    set(key: string, value: string | Buffer, options: { expires?: number }): Promise<boolean>;
    add(key: string, value: string | Buffer, options: { expires?: number }): Promise<boolean>;
    replace(key: string, value: string | Buffer, options: { expires?: number }): Promise<boolean>;
    delete(key: string): Promise<boolean>;
    increment(
      key: string,
      amount: number,
      options: { initial?: number },
    ): Promise<{ success: boolean; value: number | null }>;
    touch(key: string, expires: number): Promise<boolean>;
  }

  const memjs: {
    readonly Client: typeof Client;
    readonly Server: typeof Server;
    readonly Utils: {
      makeRequestBuffer(opcode: number, key: string, extras: string, value: string, opaque: number): Buffer;
    };
  };
  export type { Client, Found, Options, Server };
  export default memjs;
}
