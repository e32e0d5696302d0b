import {
  type CoordinatorMessage,
  CoordinatorMessageSchema,
  type Hello,
  parseMessage,
} from '@pacecar/protocol';
import {
  type EngineReport,
  SessionCore,
  type SessionEffect,
  type SessionInput,
  type StagePlace,
} from '@pacecar/worker/core';
import { brief } from './coordinator-node.js';
import { type EngineFault, FakeEngine } from './fake-engine.js';
import { type Ledger, placeKey } from './ledger.js';
import type { SimulatedNetwork, Socket } from './network.js';
import { CoreShell, type SimulatedProcess } from './process.js';
import type { Random } from './random.js';

export interface WorkerOptions {
  readonly workerId: string;
  readonly generation: number;
  readonly group: string;
  readonly token: string | null;
  readonly afterRun: 'exit' | 'wait';
  readonly armMs: number;
  readonly engineFault: EngineFault | null;
}

/** A load that goes on for longer than the lease, by so much, is a violation. Timers are up to 2 ms late. */
const LEASE_SLACK_MS = 50;

/** A worker's process: the real session core, a socket and a fake engine. */
export class WorkerNode {
  readonly process: SimulatedProcess;
  readonly options: WorkerOptions;
  readonly shell: CoreShell<SessionInput, SessionEffect>;
  readonly engine: FakeEngine;
  finish: (SessionEffect & { readonly kind: 'finish' }) | null = null;
  #socket: Socket | null = null;
  #dial = 0;
  #reports = 0;
  #atReport: { readonly number: number; readonly act: () => void } | null = null;
  readonly #network: SimulatedNetwork;
  readonly #ledger: Ledger;
  #index: number | null = null;
  #lease: { readonly heardMs: number; readonly leaseMs: number } | null = null;

  constructor(
    process: SimulatedProcess,
    random: Random,
    network: SimulatedNetwork,
    ledger: Ledger,
    options: WorkerOptions,
  ) {
    this.process = process;
    this.options = options;
    this.#network = network;
    this.#ledger = ledger;
    const { workerId, generation, group, token, afterRun } = options;
    const core = new SessionCore({
      hello: {
        token,
        workerId,
        generation,
        name: process.name,
        group,
        index: null,
        facts: hostFacts(process),
        drivers: [{ name: 'resp', class: 'wire', version: '0', operations: ['get', 'put', 'insert'] }],
        calibration: null,
      },
      afterRun,
      reconnect: { firstMs: 50, longestMs: 500, joinWithinMs: 60_000 },
      nowMs: process.nowMs(),
    });
    const carryOut = (effect: SessionEffect): void => this.#carryOut(effect);
    this.shell = new CoreShell<SessionInput, SessionEffect>(
      process,
      core,
      { kind: 'tick' },
      carryOut,
      random,
    );
    const { armMs, engineFault: fault } = options;
    this.engine = new FakeEngine(process, random, ledger, { armMs, fault }, (at, report) => {
      this.#checkLease();
      this.process.world.say(this.process.name, () => sayReport(at, report));
      this.#reports++;
      if (this.#atReport?.number === this.#reports) this.#atReport.act();
      this.shell.give({ at, ...report });
    });
    process.onDeath(() => this.engine.abandonAll());
  }

  /** The connection that it has now, if any. */
  get socket(): Socket | null {
    return this.#socket?.closed === false ? this.#socket : null;
  }

  start(): void {
    this.shell.give({ kind: 'tick' });
  }

  /** When its engine makes its n-th report, from 1. */
  onReport(number: number, act: () => void): void {
    this.#atReport = { number, act };
  }

  interrupt(signal: 'SIGINT' | 'SIGTERM'): void {
    this.process.world.say(this.process.name, () => `gets ${signal}`);
    this.process.run(() => this.shell.give({ kind: 'interrupt', signal }));
  }

  #carryOut(effect: SessionEffect): void {
    const { world, name } = this.process;
    switch (effect.kind) {
      case 'connect':
        this.#connect();
        return;
      case 'disconnect':
        this.#dial++;
        this.#socket?.close('the worker hangs up');
        this.#socket = null;
        return;
      case 'send': {
        const { message } = effect;
        if (message.type !== 'heartbeat' && message.type !== 'pong')
          world.say(name, () => `-> ${brief(message)}`);
        this.#send(JSON.stringify(message));
        return;
      }
      case 'send-frame':
        this.#send(effect.bytes);
        return;
      case 'engine-arm':
        this.engine.arm(effect.arm, effect.worker);
        return;
      case 'engine-go':
        this.engine.go(effect.at, effect.startAtMs);
        return;
      case 'engine-stop':
        this.engine.stop(effect.at);
        return;
      case 'engine-inserted':
        this.engine.inserted(effect.at, effect.inserts);
        return;
      case 'engine-abandon':
        world.say(name, () => `abandons its load of ${effect.at.cell}/${effect.at.stage}`);
        this.engine.abandon(effect.at);
        return;
      case 'engine-release':
        // The simulation has no services.
        return;
      case 'log':
        world.say(name, () => `log ${effect.level}: ${effect.text}`);
        return;
      case 'finish':
        world.say(name, () => `finish ${effect.code ?? ''} ${effect.reason}`);
        this.finish = effect;
        if (this.engine.loading) world.violate(`${name} has finished, but its load goes on`);
        this.process.after(1, () => this.process.die('exits'));
        return;
    }
  }

  #connect(): void {
    const dial = ++this.#dial;
    this.#network.dial(
      this.process,
      (socket) => {
        if (dial !== this.#dial) {
          socket.close('nobody waits for it any more');
          return;
        }
        this.#socket = socket;
        socket.onMessage = (payload) => this.#received(payload);
        socket.onClosed = (reason) => {
          this.process.world.say(this.process.name, () => `its connection closed: ${reason}`);
          this.#socket = null;
          this.shell.give({ kind: 'disconnected', reason });
        };
        this.shell.give({ kind: 'connected' });
      },
      (reason) => {
        if (dial === this.#dial) this.shell.give({ kind: 'disconnected', reason });
      },
    );
  }

  #received(payload: string | Uint8Array): void {
    if (typeof payload !== 'string') throw new Error('the coordinator sends no frames');
    const parsed = parseMessage(CoordinatorMessageSchema, payload);
    if (!parsed.ok) {
      this.process.world.violate(`the coordinator sent an invalid message: ${parsed.reason}`);
      return;
    }
    this.#note(parsed.message);
    this.shell.give({ kind: 'message', message: parsed.message });
  }

  /** Checks that need the truth: what is acknowledged stands on disk. */
  #note(message: CoordinatorMessage): void {
    if (message.type === 'welcome') {
      this.#index = message.index;
      this.#lease = { heardMs: 0, leaseMs: message.leaseMs };
    }
    if (this.#lease !== null) this.#lease = { ...this.#lease, heardMs: this.process.nowMs() };
    if (message.type !== 'acknowledge') return;
    const { epoch, cell, stage, sequence } = message;
    const durable =
      this.#ledger.durable.get(placeKey({ epoch, cell, stage, worker: this.#index ?? -1 })) ?? -1;
    if (sequence > durable)
      this.process.world.violate(
        `frame ${sequence} of ${this.process.name} is acknowledged, but ${durable} is the last on disk`,
      );
  }

  /** Whoever makes frames has heard of the coordinator within the lease. */
  #checkLease(): void {
    if (this.#lease === null) return;
    const { world, resumedAtMs } = this.process;
    const silentMs = this.process.nowMs() - this.#lease.heardMs;
    if (silentMs <= this.#lease.leaseMs + LEASE_SLACK_MS || world.nowMs - resumedAtMs < LEASE_SLACK_MS)
      return;
    world.violate(`${this.process.name} goes on with its load ${silentMs.toFixed(0)} ms after the last word`);
  }

  #send(payload: string | Uint8Array): void {
    if (this.#socket === null) {
      this.process.world.violate(`the session of ${this.process.name} sends without a connection`);
      return;
    }
    this.#socket.send(payload);
  }
}

function sayReport({ cell, stage }: StagePlace, report: EngineReport): string {
  const engine = `engine of ${cell}/${stage}`;
  if (report.kind === 'engine-frame') return `${engine}: frame ${report.sequence}`;
  if (report.kind === 'engine-drained') return `${engine}: drained, last frame ${report.lastSequence}`;
  if (report.kind === 'engine-failed') return `${engine}: failed ${report.code} ${report.reason}`;
  return `${engine}: ${report.kind}`;
}

export function hostFacts(process: SimulatedProcess): Hello['facts'] {
  return {
    hostname: process.name,
    platform: 'linux',
    architecture: 'x64',
    cpuModel: 'simulated',
    cpuCount: 2,
    memoryBytes: 1_000_000_000,
    nodeVersion: 'v20',
    pacecarVersion: '0.1.0',
    pid: 1,
    wallTime: process.wallTime(),
  };
}
