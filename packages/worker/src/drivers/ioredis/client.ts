import { PacecarError, type Target } from '@pacecar/protocol';
import type { Redis, RedisOptions } from 'ioredis';
import type { ClientTask, Value } from '../client-task.js';
import { connectionReason } from '../connection-reason.js';
import { errorKindOf } from '../error-kind.js';
import type { PromiseClient } from '../promise-channel.js';
import { addressOf, notOpened } from '../target-refusal.js';
import { secureReason } from '../secure.js';
import type { RespAccess } from '../resp/login.js';
import { notResp } from '../resp/login.js';
import type { IoredisSettings } from './description.js';
import { commandBytes, ReplyTree, statusBytes } from './reply-tree.js';

export type RedisConstructor = new (options: RedisOptions) => Redis;

/** The library as it comes, but that it may neither connect anew nor send twice: both would hide what happened. */
export function clientOptions(
  { target, secure }: RespAccess,
  settings: IoredisSettings,
  connectTimeoutMs: number,
): RedisOptions {
  return {
    ...(target.socket === undefined ? { host: target.host, port: target.port } : { path: target.socket }),
    ...(secure === null ? {} : { tls: secure }),
    ...(target.username === null ? {} : { username: target.username }),
    ...(target.password === null ? {} : { password: target.password }),
    db: target.database,
    lazyConnect: true,
    connectTimeout: connectTimeoutMs,
    protocol: settings.protocol,
    noDelay: settings.noDelay,
    enableAutoPipelining: settings.autoPipelining,
    retryStrategy: null,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
  };
}

type Say = (...words: readonly Value[]) => Promise<unknown>;

/** One ioredis client. */
export class IoredisClient implements PromiseClient {
  readonly redis: Redis;
  /** Reads one reply after the other. */
  readonly replies: ReplyTree;
  readonly #target: Target;
  readonly #isSecure: boolean;
  #lastError: Error | null = null;

  constructor(
    Constructor: RedisConstructor,
    options: { access: RespAccess; settings: IoredisSettings; connectTimeoutMs: number },
    lost: () => void,
  ) {
    this.#target = options.access.target;
    this.#isSecure = options.access.secure !== null;
    this.replies = new ReplyTree(options.settings.protocol);
    this.redis = new Constructor(clientOptions(options.access, options.settings, options.connectTimeoutMs));
    this.redis.on('error', (error: Error) => {
      this.#lastError = error;
    });
    this.redis.on('end', lost);
  }

  async connect(): Promise<void> {
    try {
      await this.redis.connect();
    } catch (thrown) {
      // The promise only says that the connection is closed; the event said why.
      const error = this.#lastError ?? (thrown instanceof Error ? thrown : new Error(String(thrown)));
      throw this.#refusal(error);
    }
    // Logging in and choosing a database fail by an event alone.
    if (this.#lastError !== null) throw this.#refusal(this.#lastError);
  }

  /** Says a command by the library's method for it, as an application does. */
  say(task: ClientTask, method: string, name: string, words: readonly Value[]): Promise<unknown> {
    task.sentBytes += commandBytes(name, words);
    const methods = this.redis as unknown as Readonly<Record<string, Say>>;
    return (methods[method] as Say).apply(this.redis, words as Value[]);
  }

  /** Says any command, by the library's `call` or `callBuffer`. */
  call(
    task: ClientTask,
    method: 'call' | 'callBuffer',
    name: string,
    words: readonly Value[],
  ): Promise<unknown> {
    task.sentBytes += commandBytes(name, words);
    return this.redis[method](name, ...words);
  }

  errorKind(error: unknown, task: ClientTask): string | null {
    // Replies of the target are of this class; everything else befell the connection.
    if (!(error instanceof Error) || error.name !== 'ReplyError') return null;
    // EXEC only says that there were errors before it.
    const [first = error] = (error as { previousErrors?: readonly Error[] }).previousErrors ?? [];
    task.receivedBytes += statusBytes(error.message);
    return errorKindOf(first.message);
  }

  disconnect(): void {
    this.redis.disconnect();
  }

  #refusal(error: Error): PacecarError {
    const { code } = error as NodeJS.ErrnoException;
    if (error.name === 'ReplyError')
      return new PacecarError(
        error.message.startsWith('LOADING') ? 'TARGET_UNREACHABLE' : 'TARGET_DENIED',
        `the target ${addressOf(this.#target)} refuses the connection: ${error.message}`,
        { cause: error },
      );
    if (error.name === 'ParserError') return notResp(this.#target, error.message);
    const isConnected = code === undefined && error.message !== 'connect ETIMEDOUT';
    const why = {
      connected: isConnected,
      timeoutMs: null,
      reason: this.#isSecure ? secureReason(error) : connectionReason(error),
    };
    return notOpened(this.#target, why, 'RESP');
  }
}
