import { RunCore, type RunEffect, type RunInput } from '@pacecar/coordinator/core';
import {
  decodeFrame,
  type Event,
  type FailureCode,
  type FrameIdentity,
  type Manifest,
  type Plan,
  parseMessage,
  WorkerMessageSchema,
} from '@pacecar/protocol';
import { type Ledger, placeKey } from './ledger.js';
import type { SimulatedNetwork, Socket } from './network.js';
import { CoreShell, type SimulatedProcess } from './process.js';
import type { Random } from './random.js';

export interface RecordProfile {
  /** A frame is on disk after so long, at most. */
  readonly flushMs: number;
  /** The disk is full from this frame on. */
  readonly failsAtFrame: number | null;
}

/** What is left of a run on disk. */
export interface Bundle {
  readonly epoch: number;
  readonly events: Event[];
  readonly frames: { readonly identity: FrameIdentity; readonly bytes: Uint8Array }[];
  manifest: Manifest | null;
}

/** The coordinator's process: the real core, a socket server and a record. */
export class CoordinatorNode {
  readonly process: SimulatedProcess;
  readonly bundle: Bundle;
  readonly shell: CoreShell<RunInput, RunEffect>;
  finish: (RunEffect & { readonly kind: 'finish' }) | null = null;
  finishedAtMs: number | null = null;
  readonly startedAtMs: number;
  /** True time of the first event that ends a run early. */
  troubleAtMs: number | null = null;
  readonly #plan: Plan;
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #record: RecordProfile;
  readonly #beganMs: number;
  readonly #sockets = new Map<number, Socket>();
  #connections = 0;
  #frames = 0;
  #flushedAtMs = 0;

  constructor(
    process: SimulatedProcess,
    random: Random,
    network: SimulatedNetwork,
    ledger: Ledger,
    options: {
      readonly plan: Plan;
      readonly epoch: number;
      readonly token: string | null;
      readonly record: RecordProfile;
    },
  ) {
    this.process = process;
    this.#plan = options.plan;
    this.#ledger = ledger;
    this.#random = random;
    this.#record = options.record;
    this.#beganMs = process.nowMs();
    this.startedAtMs = process.world.nowMs;
    this.bundle = { epoch: options.epoch, events: [], frames: [], manifest: null };
    const { plan, epoch, token } = options;
    const core = new RunCore({ plan, epoch, token, nowMs: process.nowMs() });
    const carryOut = (effect: RunEffect): void => this.#carryOut(effect);
    this.shell = new CoreShell<RunInput, RunEffect>(process, core, { kind: 'tick' }, carryOut, random);
    network.listen(process, (socket) => this.#accept(socket));
  }

  start(): void {
    this.shell.give({ kind: 'tick' });
  }

  /** The true time of an event of its record. */
  trueAtMs({ atMs }: Event): number {
    return this.process.trueMs(this.#beganMs + atMs);
  }

  interrupt(signal: 'SIGINT' | 'SIGTERM'): void {
    this.process.world.say(this.process.name, () => `gets ${signal}`);
    this.process.run(() => this.shell.give({ kind: 'interrupt', signal }));
  }

  #accept(socket: Socket): void {
    const connection = this.#connections++;
    this.#sockets.set(connection, socket);
    socket.onMessage = (payload) => this.#received(connection, payload);
    socket.onClosed = (reason) => {
      this.#sockets.delete(connection);
      this.process.world.say(this.process.name, () => `connection ${connection} closed: ${reason}`);
      this.shell.give({ kind: 'disconnected', connection, reason });
    };
    this.shell.give({ kind: 'connected', connection });
  }

  #received(connection: number, payload: string | Uint8Array): void {
    if (typeof payload === 'string') {
      const parsed = parseMessage(WorkerMessageSchema, payload);
      if (parsed.ok) this.shell.give({ kind: 'message', connection, message: parsed.message });
      else this.shell.give({ kind: 'garbage', connection, code: parsed.code, reason: parsed.reason });
      return;
    }
    let frame: ReturnType<typeof decodeFrame>;
    try {
      frame = decodeFrame(payload);
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      this.shell.give({ kind: 'garbage', connection, code: 'MESSAGE_INVALID', reason });
      return;
    }
    this.shell.give({ kind: 'frame', connection, frame, bytes: payload });
  }

  #carryOut(effect: RunEffect): void {
    const { world, name } = this.process;
    switch (effect.kind) {
      case 'send': {
        const { connection, message } = effect;
        const socket = this.#sockets.get(connection);
        // It may have closed under way; but the core must not speak to what it has closed itself.
        if (socket === undefined) {
          world.violate(`the core sends ${message.type} on connection ${connection}, which is closed`);
          return;
        }
        if (message.type !== 'heartbeat' && message.type !== 'ping')
          world.say(name, () => `-> ${connection}: ${brief(message)}`);
        socket.send(JSON.stringify(message));
        return;
      }
      case 'close':
        world.say(name, () => `closes connection ${effect.connection}: ${effect.reason}`);
        this.#sockets.get(effect.connection)?.close(effect.reason);
        this.#sockets.delete(effect.connection);
        return;
      case 'log':
        world.say(name, () => `log ${effect.path}`);
        return;
      case 'record':
        this.#write(effect);
        return;
      case 'event': {
        const { event } = effect;
        world.say(name, () => `event ${brief(event)}`);
        this.#watch(event.type);
        const atMs = this.process.nowMs() - this.#beganMs;
        this.bundle.events.push({ ...event, atMs, wallTime: this.process.wallTime() });
        return;
      }
      case 'finish':
        this.#finished(effect);
        return;
    }
  }

  #watch(type: Event['type']): void {
    const fatal =
      type === 'interrupted' ||
      type === 'worker-failed' ||
      (type === 'worker-lost' && this.#plan.onWorkerLoss === 'fail');
    if (fatal) this.troubleAtMs ??= this.process.world.nowMs;
  }

  #write(effect: RunEffect & { readonly kind: 'record' }): void {
    const { worker, cell, stage, sequence, keep, bytes } = effect;
    const nth = this.#frames++;
    if (this.#record.failsAtFrame !== null && nth >= this.#record.failsAtFrame) {
      if (nth === this.#record.failsAtFrame)
        this.process.after(1, () => this.shell.give({ kind: 'record-failed', reason: 'no space left' }));
      return;
    }
    const { world } = this.process;
    const dueMs = world.nowMs + this.#random.between(0, this.#record.flushMs);
    this.#flushedAtMs = Math.max(this.#flushedAtMs, dueMs);
    const flushed = (): void => {
      const identity = { epoch: this.bundle.epoch, worker, cell, stage, sequence };
      if (keep) this.bundle.frames.push({ identity, bytes });
      this.#ledger.durable.set(placeKey(identity), sequence);
      this.shell.give({ kind: 'recorded', worker, cell, stage, sequence });
    };
    world.after(this.#flushedAtMs - world.nowMs, () => this.process.run(flushed));
  }

  #finished(effect: RunEffect & { readonly kind: 'finish' }): void {
    const code: FailureCode | null = effect.code;
    this.process.world.say(
      this.process.name,
      () => `finish ${effect.outcome} ${code ?? ''} ${effect.reason}`,
    );
    if (this.finish !== null) this.process.world.violate('the core finishes twice');
    this.finish = effect;
    this.finishedAtMs = this.process.world.nowMs;
    this.bundle.manifest = {
      bundleVersion: 1,
      pacecarVersion: '0.0.0',
      nodeVersion: '20',
      name: this.#plan.name,
      epoch: this.bundle.epoch,
      startedAt: this.bundle.events[0]?.wallTime ?? '',
      endedAt: this.process.wallTime(),
      outcome: effect.outcome,
      commandLine: [],
      files: {},
    };
    // Frames handed to the record reach the disk before the process exits.
    const left = this.#flushedAtMs - this.process.world.nowMs;
    this.process.after(Math.max(0, left) + 5, () => this.process.die('exits'));
  }
}

/** A message or an event on one line, without what says nothing to a reader. */
export function brief(value: { readonly type: string }): string {
  const { type, ...rest } = value;
  const parts = Object.entries(rest).flatMap(([key, part]) => {
    if (['facts', 'drivers', 'configuration', 'spec', 'seed', 'token', 'totals'].includes(key)) return [];
    return [`${key}=${typeof part === 'string' ? part : JSON.stringify(part)}`];
  });
  return [type, ...parts].join(' ');
}
