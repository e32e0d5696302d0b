import { asPacecarError, type PacecarError, type Target, type TargetFacts } from '@pacecar/protocol';
import { Connection, type ConnectionOwner } from '../wire/connection.js';
import { addressOf, notOpened } from '../target-refusal.js';
import type { MemcachedSettings } from './description.js';
import { factsOf, statLines } from './facts.js';
import { MemcachedGreeting, PROTOCOL_NAME } from './greeting.js';

/** What is asked once the greeting is over. */
const QUESTIONS = ['stats\r\n', 'stats settings\r\n'];

/**
 * Asks a target about itself, on a connection of its own. Throws PacecarError TARGET_UNREACHABLE, TARGET_DENIED or
 * TARGET_PROTOCOL. Each step may take `timeoutMs`.
 */
export async function inspectTarget(
  target: Target,
  settings: Pick<MemcachedSettings, 'protocol'>,
  timeoutMs: number,
): Promise<TargetFacts> {
  return new Promise((resolve, reject) => {
    new Inquiry(target, settings, timeoutMs, { told: resolve, failed: reject }).begin();
  });
}

/** How an inquiry ends. */
interface Ends {
  told(facts: TargetFacts): void;
  failed(error: PacecarError): void;
}

/** One connection on which a few questions are asked, one by one. */
class Inquiry implements ConnectionOwner {
  readonly #target: Target;
  readonly #timeoutMs: number;
  readonly #ends: Ends;
  readonly #greeting: MemcachedGreeting;
  #connection: Connection | null = null;
  readonly #answers: ReadonlyMap<string, string>[] = [];
  #isConnected = false;
  #isGreeted = false;
  #text = '';
  #timer: NodeJS.Timeout | null = null;

  constructor(target: Target, settings: Pick<MemcachedSettings, 'protocol'>, timeoutMs: number, ends: Ends) {
    this.#target = target;
    this.#timeoutMs = timeoutMs;
    this.#ends = ends;
    this.#greeting = new MemcachedGreeting(target, settings);
  }

  begin(): void {
    this.#wait();
    const { host, port } = this.#target;
    this.#connection = new Connection({ host, port, noDelay: true }, this);
  }

  connected(): void {
    this.#isConnected = true;
    this.#connection?.write(this.#greeting.request);
  }

  received(readBuffer: Buffer, length: number): void {
    try {
      if (this.#isGreeted) this.#answered(readBuffer.toString('latin1', 0, length));
      else if (this.#greeting.receive(readBuffer.subarray(0, length))) this.#ask();
    } catch (thrown) {
      this.#fail(asPacecarError(thrown));
    }
  }

  written(): void {
    // Nothing waits for it.
  }

  lost(reason: string): void {
    this.#fail(this.#notOpened(null, reason));
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
    const question = QUESTIONS[this.#answers.length];
    if (question !== undefined) {
      this.#text = '';
      this.#wait();
      this.#connection?.write(Buffer.from(question));
      return;
    }
    const [stats, settings] = this.#answers as [ReadonlyMap<string, string>, ReadonlyMap<string, string>];
    this.#close();
    this.#ends.told(factsOf(addressOf(this.#target), this.#greeting.version, stats, settings));
  }

  #wait(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(this.#notOpened(this.#timeoutMs, 'timeout')), this.#timeoutMs);
  }

  #notOpened(timeoutMs: number | null, reason: string): PacecarError {
    return notOpened(this.#target, { connected: this.#isConnected, timeoutMs, reason }, PROTOCOL_NAME);
  }

  #fail(error: PacecarError): void {
    this.#close();
    this.#ends.failed(error);
  }

  #close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#connection?.close();
  }
}
