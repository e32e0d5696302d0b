import {
  BytesInvalid,
  decodeFrame,
  type Event,
  type EventBody,
  type FailureCode,
  LIMITS,
  type MonotonicMs,
  parseMessage,
  systemReason,
  type TargetFacts,
  WorkerMessageSchema,
} from '@pacecar/protocol';
import type { Logger } from 'pino';
import type { RunCore, RunEffect, RunInput } from '../core/index.js';
import type { LiveFigures } from '../record/live-intervals.js';
import type { RecordedFrame, RecordListener, RecordPort } from '../record/record-port.js';
import type { Redact } from '../record/secrets.js';
import { logEvent } from './event-log.js';
import type { Listener, ListenerEvents } from './listener.js';
import type { RunEnd } from './start-coordinator.js';

export interface RunLoopOptions {
  readonly core: RunCore;
  readonly logger: Logger;
  readonly redact: Redact;
  readonly nowMs: () => MonotonicMs;
  /** On the same clock: what the events' times are counted from. */
  readonly runStartMs: MonotonicMs;
  readonly onFigures: (figures: LiveFigures) => void;
  readonly ended: (end: RunEnd) => void;
}

/** A timer of Node may fire this much early, and is whole milliseconds. */
const SHORTEST_WAIT_MS = 1;
/** The longest that setTimeout can wait. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/**
 * Feeds the run core with what listener, record and signals report, and carries out its effects in order.
 * A defect in here or in the core ends the run as INTERNAL; it never goes on with half a step done.
 */
export class RunLoop implements ListenerEvents, RecordListener {
  readonly #options: RunLoopOptions;
  #listener: Listener | null = null;
  #record: RecordPort | null = null;
  #timer: NodeJS.Timeout | null = null;
  #timerDueMs: MonotonicMs | null = null;
  #over = false;
  /** Inputs that arose while a step's effects were carried out. */
  readonly #queue: { readonly input: RunInput; readonly atMs: MonotonicMs }[] = [];
  #stepping = false;
  /** Connections that have not said hello: nothing costly is done for them. */
  readonly #strangers = new Set<number>();

  constructor(options: RunLoopOptions) {
    this.#options = options;
  }

  /** Where effects go; what the listener reports waits until `begin`. */
  attach(listener: Listener): void {
    this.#listener = listener;
  }

  /** From now on the core decides. */
  begin(record: RecordPort): void {
    this.#record = record;
    this.#queue.unshift({ input: { kind: 'tick' }, atMs: this.#options.runStartMs });
    this.#run();
  }

  feed(input: RunInput, atMs: MonotonicMs = this.#options.nowMs()): void {
    if (this.#over) return;
    this.#queue.push({ input, atMs });
    this.#run();
  }

  #run(): void {
    if (this.#stepping || this.#record === null) return;
    this.#stepping = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        const connection = 'connection' in next.input ? next.input.connection : 0;
        for (const effect of this.#options.core.step(next.input, next.atMs))
          this.#carryOut(effect, next.atMs, connection);
        if (this.#over) return;
      }
      this.#setTimer();
    } catch (thrown) {
      this.#options.logger.error({ err: thrown }, 'the coordinator has a defect; the run ends');
      const reason = `a defect in the coordinator: ${systemReason(thrown)}`;
      const end: RunEnd = { outcome: 'failed', code: 'INTERNAL', reason };
      this.#recordEvent({ type: 'run-ended', ...end }, this.#options.nowMs());
      this.#finish(end);
    } finally {
      this.#stepping = false;
    }
  }

  connected(connection: number): void {
    this.#strangers.add(connection);
    this.feed({ kind: 'connected', connection });
  }

  text(connection: number, text: string, atMs: MonotonicMs): void {
    const stranger = this.#strangers.has(connection);
    if (stranger && text.length > LIMITS.helloBytes) {
      const reason = `a first message of ${text.length} characters, at most ${LIMITS.helloBytes}`;
      this.refused(connection, 'LIMIT_EXCEEDED', reason);
      return;
    }
    const parsed = parseMessage(WorkerMessageSchema, text);
    if (parsed.ok) {
      if (stranger && parsed.message.type === 'hello') this.#strangers.delete(connection);
      this.feed({ kind: 'message', connection, message: parsed.message }, atMs);
    } else {
      this.feed({ kind: 'garbage', connection, code: parsed.code, reason: parsed.reason }, atMs);
    }
  }

  binary(connection: number, bytes: Uint8Array, atMs: MonotonicMs): void {
    if (this.#strangers.has(connection))
      this.refused(connection, 'MESSAGE_INVALID', 'a binary message before hello');
    else this.feed(frameInput(connection, bytes), atMs);
  }

  refused(connection: number, code: FailureCode, reason: string): void {
    this.feed({ kind: 'garbage', connection, code, reason });
  }

  closed(connection: number, reason: string): void {
    this.#strangers.delete(connection);
    this.feed({ kind: 'disconnected', connection, reason });
  }

  trouble(reason: string): void {
    this.#options.logger.warn({ reason }, 'listening');
  }

  frameRecorded(frame: RecordedFrame): void {
    const { worker, cell, stage, sequence } = frame;
    this.feed({ kind: 'recorded', worker, cell, stage, sequence });
  }

  frameRefused(connection: number, reason: string): void {
    this.feed({
      kind: 'garbage',
      connection,
      code: 'MESSAGE_INVALID',
      reason: `a frame is damaged: ${reason}`,
    });
  }

  recordFailed(reason: string): void {
    this.feed({ kind: 'record-failed', reason });
  }

  figures(figures: LiveFigures): void {
    this.#options.onFigures(figures);
  }

  #carryOut(effect: RunEffect, atMs: MonotonicMs, connection: number): void {
    switch (effect.kind) {
      case 'send':
        this.#listener?.send(effect.connection, JSON.stringify(effect.message));
        break;
      case 'close':
        this.#listener?.close(effect.connection, effect.reason);
        break;
      case 'record': {
        const { kind: _, ...frame } = effect;
        this.#record?.frame({ ...frame, connection });
        break;
      }
      case 'log':
        this.#record?.log(effect.path, this.#options.redact(effect.text));
        break;
      case 'event':
        this.#recordEvent(effect.event, atMs);
        break;
      case 'finish':
        this.#finish({ outcome: effect.outcome, code: effect.code, reason: effect.reason });
        break;
    }
  }

  #recordEvent(body: EventBody, atMs: MonotonicMs): void {
    const { redact, runStartMs, logger } = this.#options;
    const times = { atMs: atMs - runStartMs, wallTime: new Date().toISOString() };
    const event = redactEvent({ ...times, ...body }, redact);
    this.#record?.event(event);
    logEvent(logger, event);
  }

  #finish(end: RunEnd): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#options.ended(end);
  }

  #setTimer(): void {
    const dueMs = this.#over ? null : this.#options.core.nextDeadlineMs();
    if (dueMs === this.#timerDueMs) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#timerDueMs = dueMs;
    if (dueMs === null) return;
    const waitMs = Math.ceil(dueMs - this.#options.nowMs());
    this.#timer = setTimeout(
      () => {
        this.#timerDueMs = null;
        this.feed({ kind: 'tick' });
      },
      Math.min(Math.max(waitMs, SHORTEST_WAIT_MS), LONGEST_WAIT_MS),
    );
  }
}

function frameInput(connection: number, bytes: Uint8Array): RunInput {
  try {
    return { kind: 'frame', connection, frame: decodeFrame(bytes), bytes };
  } catch (thrown) {
    if (!(thrown instanceof BytesInvalid)) throw thrown;
    const reason = `a binary message is not a frame: ${thrown.message}`;
    return { kind: 'garbage', connection, code: 'MESSAGE_INVALID', reason };
  }
}

/** Texts that come from a target may repeat what it was sent. */
function redactEvent(event: Event, redact: Redact): Event {
  if ('reason' in event) return { ...event, reason: redact(event.reason) };
  if (event.type === 'worker-armed') return { ...event, target: redactFacts(event.target, redact) };
  if (event.type === 'service-report')
    return {
      ...event,
      nodes: event.nodes.map((node) => ({ ...node, facts: redactFacts(node.facts, redact) })),
    };
  return event;
}

function redactFacts(facts: TargetFacts | null, redact: Redact): TargetFacts | null {
  if (facts === null) return null;
  const settings = Object.entries(facts.settings).map(([name, value]) => [name, redact(value)] as const);
  return { ...facts, settings: Object.fromEntries(settings) };
}
