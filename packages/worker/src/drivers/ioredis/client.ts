import { PacecarError, type Target, type Workload } from '@pacecar/protocol';
import type { Redis, RedisOptions } from 'ioredis';
import { keyText } from '../../engine/key-text.js';
import { sharedText, valueOf } from '../../engine/value-source.js';
import { valueText } from '../../engine/value-text.js';
import { connectionReason } from '../connection-reason.js';
import { errorKindOf } from '../error-kind.js';
import type { Outcome, PromiseClient, Started } from '../promise-channel.js';
import { type KeyCommand, keyCommand } from '../resp/key-command.js';
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
  readonly #commands: readonly KeyCommand[];
  readonly #checksValue: readonly boolean[];
  /** Values are bytes rather than text. */
  readonly #isBinary: boolean;
  readonly #text: Uint8Array;
  /** Bytes that prefix and suffix take beyond one a character. */
  readonly #wideBytes: number;
  #lastError: Error | null = null;

  constructor(
    Constructor: RedisConstructor,
    options: { target: Target; settings: IoredisSettings; connectTimeoutMs: number; workload: Workload },
    lost: (reason: string) => void,
  ) {
    this.#target = options.target;
    this.#workload = options.workload;
    const { workload } = options;
    this.#commands = workload.mix.map((action) => {
      const command = keyCommand(action, workload);
      if (command === null) throw new PacecarError('UNSUPPORTED', `this driver has no ${action.operation}`);
      return command;
    });
    this.#checksValue = workload.mix.map(({ operation }) => workload.checkValues && operation === 'get');
    this.#isBinary = workload.values.content.kind !== 'printable';
    this.#text = sharedText(workload.values.content);
    const { prefix, suffix } = workload.keys;
    this.#wideBytes = Buffer.byteLength(prefix + suffix) - prefix.length - suffix.length;
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
    const { name, hasValue, after } = this.#commands[operation] as KeyCommand;
    const text = keyText(this.#workload.keys, key);
    const keyBytes = text.length + this.#wideBytes;
    const bytes = commandBytes(name, keyBytes, hasValue ? valueBytes : null, after);
    if (after.length === 0) {
      // As an application says them.
      if (name === 'GET')
        return { answer: this.#isBinary ? this.#redis.getBuffer(text) : this.#redis.get(text), bytes };
      if (name === 'SET') return { answer: this.#redis.set(text, this.#value(key, valueBytes)), bytes };
      if (name === 'DEL') return { answer: this.#redis.del(text), bytes };
    }
    const value = hasValue ? [this.#value(key, valueBytes)] : [];
    return { answer: this.#redis.call(name, text, ...value, ...after), bytes };
  }

  outcome(operation: number, key: number, answer: unknown): Outcome {
    const { missUpTo } = this.#commands[operation] as KeyCommand;
    if (measure(answer) <= missUpTo) return 'miss';
    if (this.#checksValue[operation] === true && !this.#isRight(key, answer as string | Buffer))
      return { error: 'VALUE_MISMATCH' };
    return 'hit';
  }

  /** As RESP says it. */
  answerBytes(operation: number, answer: unknown): number {
    if (typeof answer === 'number') return 3 + String(answer).length;
    if (answer === 'OK' && (this.#commands[operation] as KeyCommand).name === 'SET') return 5;
    const length = measure(answer);
    return length < 0 ? 5 : bulkBytes(length);
  }

  errorKind(error: unknown): string | null {
    // Replies of the target are of this class; everything else befell the connection.
    if (error instanceof Error && error.name === 'ReplyError') return errorKindOf(error.message);
    return null;
  }

  disconnect(): void {
    this.#redis.disconnect();
  }

  #value(key: number, valueBytes: number): string | Buffer {
    if (!this.#isBinary) return valueText(key, valueBytes);
    return Buffer.from(valueOf(key, valueBytes, this.#text).buffer);
  }

  #isRight(key: number, answer: string | Buffer): boolean {
    const value = this.#value(key, answer.length);
    return typeof value === 'string' ? answer === value : value.equals(answer as Buffer);
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

/** What says whether something was there: a number, or the length of a text; -1 for nothing. */
function measure(answer: unknown): number {
  if (typeof answer === 'number') return answer;
  return typeof answer === 'string' || answer instanceof Buffer ? answer.length : -1;
}

/** The size of a command on the wire. */
function commandBytes(
  name: string,
  keyBytes: number,
  valueBytes: number | null,
  after: readonly Uint8Array[],
): number {
  const words = 2 + (valueBytes === null ? 0 : 1) + after.length;
  let bytes = 3 + String(words).length + bulkBytes(name.length) + bulkBytes(keyBytes);
  if (valueBytes !== null) bytes += bulkBytes(valueBytes);
  for (const word of after) bytes += bulkBytes(word.length);
  return bytes;
}

/** `$<length>\r\n<bytes>\r\n`. */
function bulkBytes(length: number): number {
  return 5 + String(length).length + length;
}
