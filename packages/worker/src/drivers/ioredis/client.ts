import { type Operation, PacecarError, type Target, type Workload } from '@pacecar/protocol';
import type { Redis, RedisOptions } from 'ioredis';
import { keyText } from '../../engine/key-text.js';
import { sharedText, valueOf } from '../../engine/value-source.js';
import { valueText } from '../../engine/value-text.js';
import { connectionReason } from '../connection-reason.js';
import { errorKindOf } from '../error-kind.js';
import type { Outcome, PromiseClient, Started } from '../promise-channel.js';
import { addressOf, notOpened, notResp } from '../resp/login.js';
import type { IoredisSettings } from './description.js';

export type RedisConstructor = new (options: RedisOptions) => Redis;

/** The library as it comes, but that it may neither connect anew nor send twice: both would hide what happened. */
export function clientOptions(
  target: Target,
  settings: IoredisSettings,
  connectTimeoutMs: number,
): RedisOptions {
  return {
    host: target.host,
    port: target.port,
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

/** One ioredis client. */
export class IoredisClient implements PromiseClient {
  readonly #redis: Redis;
  readonly #target: Target;
  readonly #workload: Workload;
  readonly #operations: readonly Operation[];
  /** Values are strings; otherwise any bytes. */
  readonly #isText: boolean;
  readonly #text: Uint8Array;
  /** Bytes that the text round a key's number takes beyond one a character. */
  readonly #wideBytes: number;
  #lastError: Error | null = null;

  constructor(
    Constructor: RedisConstructor,
    options: { target: Target; settings: IoredisSettings; connectTimeoutMs: number; workload: Workload },
    lost: (reason: string) => void,
  ) {
    this.#target = options.target;
    this.#workload = options.workload;
    this.#operations = options.workload.mix.map(({ operation }) => operation);
    const { prefix, suffix } = options.workload.keys;
    this.#wideBytes = Buffer.byteLength(prefix + suffix) - prefix.length - suffix.length;
    const { content } = options.workload.values;
    this.#isText = content.kind === 'printable';
    this.#text = sharedText(content);
    this.#redis = new Constructor(clientOptions(options.target, options.settings, options.connectTimeoutMs));
    this.#redis.on('error', (error: Error) => {
      this.#lastError = error;
    });
    this.#redis.on('end', () => lost(this.#lastError?.message ?? 'the connection ended'));
  }

  async connect(): Promise<void> {
    try {
      await this.#redis.connect();
    } catch (thrown) {
      // The promise only says that the connection is closed; the event said why.
      const error = this.#lastError ?? (thrown instanceof Error ? thrown : new Error(String(thrown)));
      throw this.#refusal(error);
    }
    // Logging in and choosing a database fail by an event alone.
    if (this.#lastError !== null) throw this.#refusal(this.#lastError);
  }

  start(operation: number, key: number, valueBytes: number): Started {
    const name = this.#operations[operation] as Operation;
    const text = keyText(this.#workload.keys, key);
    const keyBytes = text.length + this.#wideBytes;
    switch (name) {
      case 'get':
        return {
          answer: this.#isText ? this.#redis.get(text) : this.#redis.getBuffer(text),
          bytes: commandBytes(keyBytes, null),
        };
      case 'put':
      case 'insert':
        return {
          answer: this.#redis.set(
            text,
            this.#isText ? valueText(key, valueBytes) : this.#valueOf(key, valueBytes),
          ),
          bytes: commandBytes(keyBytes, valueBytes),
        };
      case 'delete':
        return { answer: this.#redis.del(text), bytes: commandBytes(keyBytes, null) };
      default:
        throw new PacecarError('UNSUPPORTED', `this driver has no ${name}`);
    }
  }

  outcome(operation: number, key: number, answer: unknown): Outcome {
    const name = this.#operations[operation] as Operation;
    if (name === 'put' || name === 'insert') return 'hit';
    if (name === 'delete') return answer === 0 ? 'miss' : 'hit';
    if (answer === null) return 'miss';
    if (this.#workload.checkValues && !this.#isRight(key, answer)) return { error: 'VALUE_MISMATCH' };
    return 'hit';
  }

  /** As RESP says it. */
  answerBytes(operation: number, answer: unknown): number {
    const name = this.#operations[operation] as Operation;
    if (name === 'put' || name === 'insert') return 5;
    if (name === 'delete') return 4;
    return typeof answer === 'string' || Buffer.isBuffer(answer) ? bulkBytes(answer.length) : 5;
  }

  errorKind(error: unknown): string | null {
    // Replies of the target are of this class; everything else befell the connection.
    if (error instanceof Error && error.name === 'ReplyError') return errorKindOf(error.message);
    return null;
  }

  disconnect(): void {
    this.#redis.disconnect();
  }

  #isRight(key: number, answer: unknown): boolean {
    if (!Buffer.isBuffer(answer)) return answer === valueText(key, (answer as string).length);
    return answer.equals(valueOf(key, answer.length, this.#text));
  }

  #valueOf(key: number, valueBytes: number): Buffer {
    const { buffer, byteOffset, length } = valueOf(key, valueBytes, this.#text);
    return Buffer.from(buffer, byteOffset, length);
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
    return notOpened(this.#target, {
      connected: isConnected,
      timeoutMs: null,
      reason: connectionReason(error),
    });
  }
}

/** The size of GET key, DEL key or SET key value on the wire: all three have names of three letters. */
function commandBytes(keyBytes: number, valueBytes: number | null): number {
  return 4 + bulkBytes(3) + bulkBytes(keyBytes) + (valueBytes === null ? 0 : bulkBytes(valueBytes));
}

/** `$<length>\r\n<bytes>\r\n`. */
function bulkBytes(length: number): number {
  return 5 + String(length).length + length;
}
