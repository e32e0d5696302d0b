import {
  type Arm,
  CoordinatorMessageSchema,
  type FailureCode,
  type MonotonicMs,
  parseMessage,
  systemReason,
} from '@pacecar/protocol';
import type { Logger } from 'pino';
import type { SessionCore, SessionEffect, SessionInput, StagePlace } from '../core/index.js';
import type { StageListener, StageLoad } from '../engine/stage-engine.js';
import type { Link, LinkEvents } from './link.js';
import type { WorkEngine } from './work-engine.js';

export interface SessionLoopOptions {
  readonly core: SessionCore;
  readonly engine: WorkEngine;
  readonly logger: Logger;
  readonly nowMs: () => MonotonicMs;
  /** Called once. `code` null: the run ended as it should for this worker. */
  readonly ended: (code: FailureCode | null, reason: string) => void;
}

/** A timer of Node may fire this much early, and is whole milliseconds. */
const SHORTEST_WAIT_MS = 1;
/** The longest that setTimeout can wait. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Feeds the session core with what link, engine and signals report, and carries out its effects in order. */
export class SessionLoop implements LinkEvents {
  readonly #options: SessionLoopOptions;
  #link: Link | null = null;
  /** What the engine has of each stage. */
  readonly #loads = new Map<string, StageLoad>();
  #tickTimer: NodeJS.Timeout | null = null;
  #tickDueMs: MonotonicMs | null = null;
  #over = false;
  /** Inputs that arose while a step's effects were carried out. */
  readonly #queue: { readonly input: SessionInput; readonly atMs: MonotonicMs }[] = [];
  #stepping = false;

  constructor(options: SessionLoopOptions) {
    this.#options = options;
  }

  begin(link: Link): void {
    this.#link = link;
    this.feed({ kind: 'tick' });
  }

  feed(input: SessionInput, atMs: MonotonicMs = this.#options.nowMs()): void {
    if (this.#over) return;
    this.#queue.push({ input, atMs });
    if (this.#stepping) return;
    this.#stepping = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        for (const effect of this.#options.core.step(next.input, next.atMs)) this.#carryOut(effect);
        if (this.#over) return;
      }
      this.#setTimer();
    } catch (thrown) {
      this.#options.logger.error({ err: thrown }, 'the worker has a defect and ends');
      this.#finish('INTERNAL', `a defect in the worker: ${systemReason(thrown)}`);
    } finally {
      this.#stepping = false;
    }
  }

  connected(): void {
    this.feed({ kind: 'connected' });
  }

  text(text: string, atMs: MonotonicMs): void {
    const parsed = parseMessage(CoordinatorMessageSchema, text);
    if (parsed.ok) this.feed({ kind: 'message', message: parsed.message }, atMs);
    else this.feed({ kind: 'garbage', reason: parsed.reason }, atMs);
  }

  binary(bytes: number): void {
    this.feed({ kind: 'garbage', reason: `a binary message of ${bytes} bytes` });
  }

  disconnected(reason: string): void {
    this.feed({ kind: 'disconnected', reason });
  }

  distrusted(reason: string): void {
    this.feed({ kind: 'distrusted', reason });
  }

  /** Feeds what the engine reports of one stage. */
  #listenerOf({ cell, stage }: Arm): StageListener {
    const at = { cell, stage };
    return {
      armed: (report) => this.feed({ kind: 'engine-armed', at, ...report }),
      frame: (sequence, bytes) => this.feed({ kind: 'engine-frame', at, sequence, bytes }),
      drained: (report) => {
        this.#loads.delete(keyOf(at));
        this.feed({ kind: 'engine-drained', at, ...report });
      },
      failed: (code, reason) => {
        this.#loads.delete(keyOf(at));
        this.feed({ kind: 'engine-failed', at, code, reason });
      },
    };
  }

  #carryOut(effect: SessionEffect): void {
    const { engine, logger } = this.#options;
    switch (effect.kind) {
      case 'connect':
        this.#link?.connect();
        break;
      case 'disconnect':
        void this.#link?.disconnect();
        break;
      case 'send':
        this.#link?.send(JSON.stringify(effect.message));
        break;
      case 'send-frame':
        this.#link?.send(effect.bytes);
        break;
      case 'engine-arm':
        this.#loads.set(
          keyOf(effect.arm),
          engine.arm(effect.arm, effect.worker, this.#listenerOf(effect.arm)),
        );
        break;
      case 'engine-go':
        this.#loads.get(keyOf(effect.at))?.go(effect.startAtMs, effect.known);
        break;
      case 'engine-stop':
        this.#loads.get(keyOf(effect.at))?.stop();
        break;
      case 'engine-inserted':
        this.#loads.get(keyOf(effect.at))?.inserted(effect.inserts);
        break;
      case 'engine-abandon':
        this.#loads.get(keyOf(effect.at))?.abandon();
        this.#loads.delete(keyOf(effect.at));
        break;
      case 'engine-release':
        engine.release();
        break;
      case 'log':
        logger[effect.level](effect.text);
        break;
      case 'finish':
        this.#finish(effect.code, effect.reason);
        break;
    }
  }

  #finish(code: FailureCode | null, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#tickTimer !== null) clearTimeout(this.#tickTimer);
    this.#options.ended(code, reason);
  }

  #setTimer(): void {
    const dueMs = this.#options.core.nextDeadlineMs();
    if (dueMs === this.#tickDueMs) return;
    if (this.#tickTimer !== null) clearTimeout(this.#tickTimer);
    this.#tickTimer = null;
    this.#tickDueMs = dueMs;
    if (dueMs === null) return;
    const waitMs = Math.ceil(dueMs - this.#options.nowMs());
    this.#tickTimer = setTimeout(
      () => {
        this.#tickDueMs = null;
        this.feed({ kind: 'tick' });
      },
      Math.min(Math.max(waitMs, SHORTEST_WAIT_MS), LONGEST_WAIT_MS),
    );
  }
}

const keyOf = ({ cell, stage }: StagePlace): string => `${cell}/${stage}`;
