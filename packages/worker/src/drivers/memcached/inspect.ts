import { asPacecarError, type PacecarError, type Target, type TargetFacts } from '@pacecar/protocol';
import { Connection, type ConnectionOwner } from '../resp/connection.js';
import { addressOf, notOpened } from '../resp/login.js';
import type { MemcachedSettings } from './description.js';
import { factsOf, statLines } from './facts.js';
import { MemcachedGreeting, PROTOCOL_NAME } from './greeting.js';

/** What is asked once the greeting is over. */
const QUESTIONS = ['stats\r\n', 'stats settings\r\n'];

/**
 * Asks a target about itself, on a connection of its own. Throws PacecarError TARGET_UNREACHABLE, TARGET_DENIED or
 * TARGET_PROTOCOL. Each step may take `timeoutMs`.
 */
export function inspectTarget(
  target: Target,
  settings: Pick<MemcachedSettings, 'protocol'>,
  timeoutMs: number,
): Promise<TargetFacts> {
  return new Promise((resolve, reject) => {
    new Inquiry(target, settings, timeoutMs, (facts, error) => {
      if (facts === null) reject(error as PacecarError);
      else resolve(facts);
    });
  });
}

type Done = (facts: TargetFacts | null, error: PacecarError | null) => void;

/** One connection on which a few questions are asked, one by one. */
class Inquiry implements ConnectionOwner {
  readonly #target: Target;
  readonly #timeoutMs: number;
  readonly #done: Done;
  readonly #greeting: MemcachedGreeting;
  readonly #connection: Connection;
  readonly #answers: ReadonlyMap<string, string>[] = [];
  #isConnected = false;
  #isGreeted = false;
  #text = '';
  #timer: NodeJS.Timeout;

  constructor(target: Target, settings: Pick<MemcachedSettings, 'protocol'>, timeoutMs: number, done: Done) {
    this.#target = target;
    this.#timeoutMs = timeoutMs;
    this.#done = done;
    this.#greeting = new MemcachedGreeting(target, settings);
    this.#timer = this.#wait();
    const { host, port } = target;
    this.#connection = new Connection({ host, port, noDelay: true }, this);
  }

  connected(): void {
    this.#isConnected = true;
    this.#connection.write(this.#greeting.request);
  }

  received(readBuffer: Buffer, length: number): void {
    try {
      if (this.#isGreeted) this.#answered(readBuffer.toString('latin1', 0, length));
      else if (this.#greeting.receive(readBuffer.subarray(0, length))) this.#ask();
    } catch (thrown) {
      this.#end(null, asPacecarError(thrown));
    }
  }

  written(): void {
    // Nothing waits for it.
  }

  lost(reason: string): void {
    this.#end(null, this.#notOpened(null, reason));
  }

  #answered(text: string): void {
    this.#text += text;
    const lines = statLines(this.#text);
    if (lines === null) return;
    this.#answers.push(lines);
    this.#ask();
  }

  #ask(): void {
    this.#isGreeted = true;
    clearTimeout(this.#timer);
    const question = QUESTIONS[this.#answers.length];
    if (question !== undefined) {
      this.#text = '';
      this.#timer = this.#wait();
      this.#connection.write(Buffer.from(question));
      return;
    }
    const [stats, settings] = this.#answers as [ReadonlyMap<string, string>, ReadonlyMap<string, string>];
    this.#end(factsOf(addressOf(this.#target), this.#greeting.version, stats, settings), null);
  }

  #wait(): NodeJS.Timeout {
    return setTimeout(() => this.#end(null, this.#notOpened(this.#timeoutMs, 'timeout')), this.#timeoutMs);
  }

  #notOpened(timeoutMs: number | null, reason: string): PacecarError {
    return notOpened(this.#target, { connected: this.#isConnected, timeoutMs, reason }, PROTOCOL_NAME);
  }

  #end(facts: TargetFacts | null, error: PacecarError | null): void {
    clearTimeout(this.#timer);
    this.#connection.close();
    this.#done(facts, error);
  }
}
