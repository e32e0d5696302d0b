import { type Arm, monotonicMs, type WorkerMessage } from '@pacecar/protocol';
import { RunCore } from './run-core.js';
import type { RunEffect, RunInput } from './step.js';
import {
  number,
  readDrained,
  readFrame,
  readHello,
  readNodes,
  readPlan,
  readWords,
  type Words,
} from './trace-words.test.support.js';

const NOT_SHOWN: ReadonlySet<string> = new Set([
  'facts',
  'drivers',
  'calibration',
  'configuration',
  'spec',
  'seed',
  'target',
  'totals',
]);

/**
 * Runs one script against a core: commands in, effects out. traces/README.md says what a script may hold. Time stands
 * still but in `wait`; heartbeats and pings are carried out, not shown.
 */
export class RunTrace {
  #core: RunCore | null = null;
  #nowMs = 0;
  #autoRecord = true;
  readonly #lines: string[] = [];
  /** By connection, the pings that were not answered. */
  readonly #pings = new Map<number, number[]>();
  /** Connections that were welcomed, with the index of their worker. */
  readonly #welcomed = new Map<number, number>();
  /** By connection, how far the worker's clock is ahead, ms. */
  readonly #clocks = new Map<number, number>();
  /** By worker and stage, what was in flight at the end of its last frame. */
  readonly #inFlight = new Map<string, number>();
  readonly #recordQueue: RunInput[] = [];

  /** The output of one block of commands. */
  run(commands: readonly string[]): readonly string[] {
    this.#lines.length = 0;
    for (const command of commands) this.#command(command);
    return [...this.#lines];
  }

  #command(line: string): void {
    const [verb = '', ...rest] = line.split(' ');
    const words = readWords(rest);
    const connection = Number(words.plain[0]);
    if (words.named.has('clock')) this.#clocks.set(connection, number(words, 'clock', 0));
    const epoch = number(words, 'epoch', 7);
    const place = (): { epoch: number; cell: number; stage: number } => {
      const [cell = 0, stage = 0] = (words.plain[1] ?? '0/0').split('/').map(Number);
      return { epoch, cell, stage };
    };
    const say = (message: WorkerMessage): void => this.#give({ kind: 'message', connection, message });
    switch (verb) {
      case 'plan':
        this.#begin(words);
        return;
      case 'connect':
        this.#give({ kind: 'connected', connection });
        return;
      case 'hello':
        say(readHello(connection, words));
        return;
      case 'join':
        this.#give({ kind: 'connected', connection });
        say(readHello(connection, words));
        this.#answer(connection, 0);
        return;
      case 'answer':
        this.#answer(connection, number(words, 'after', 0));
        return;
      case 'heartbeat':
        say({ type: 'heartbeat' });
        return;
      case 'pong':
        say({ type: 'pong', id: number(words, 'id', 0), workerMs: 0 });
        return;
      case 'armed':
        say({
          ...{ type: 'armed', ...place(), connections: 4, target: null },
          ...readNodes(words, connection - 1),
        });
        this.#answer(connection, number(words, 'after', 0));
        return;
      case 'failed': {
        const code = (words.plain[2] ?? 'INTERNAL') as 'INTERNAL';
        say({ type: 'failed', ...place(), code, reason: words.plain.slice(3).join(' ') });
        return;
      }
      case 'drained':
        say(readDrained(place(), words));
        return;
      case 'service-died': {
        const reason = words.plain.slice(1).join(' ');
        say({ type: 'service-died', epoch: number(words, 'epoch', 7), service: 'cache', reason });
        return;
      }
      case 'leaving': {
        const code = (words.plain[1] ?? 'INTERNAL') as 'INTERNAL';
        say({ type: 'leaving', code, reason: words.plain.slice(2).join(' ') });
        return;
      }
      case 'frame': {
        const worker = this.#welcomed.get(connection) ?? 0;
        const key = `${worker} ${words.plain[1]}`;
        const frame = readFrame(place(), words, worker, this.#inFlight.get(key) ?? 0);
        this.#inFlight.set(key, number(words, 'inflight', 0));
        const bytes = new Uint8Array(number(words, 'bytes', 10));
        this.#give({ kind: 'frame', connection, frame, bytes });
        return;
      }
      case 'recorded': {
        const { cell, stage } = place();
        const sequence = number(words, 'sequence', 0);
        this.#give({ kind: 'recorded', worker: connection, cell, stage, sequence });
        return;
      }
      case 'garbage':
        this.#give({
          kind: 'garbage',
          connection,
          code: 'MESSAGE_INVALID',
          reason: 'a control message is not JSON',
        });
        return;
      case 'flood':
        this.#give({ kind: 'garbage', connection, code: 'LIMIT_EXCEEDED', reason: 'a message of 80 MB' });
        return;
      case 'cut':
        this.#forget(connection);
        this.#give({ kind: 'disconnected', connection, reason: 'cut' });
        return;
      case 'disk-full':
        this.#give({ kind: 'record-failed', reason: 'no space left' });
        return;
      case 'interrupt':
        this.#give({ kind: 'interrupt', signal: words.plain[0] === 'SIGTERM' ? 'SIGTERM' : 'SIGINT' });
        return;
      case 'fail': {
        const code = (words.plain[0] ?? 'INTERNAL') as 'INTERNAL';
        this.#give({ kind: 'fail', code, reason: words.plain.slice(1).join(' ') });
        return;
      }
      case 'wait':
        this.#wait(Number(words.plain[0]), (words.named.get('silent') ?? '').split(',').map(Number));
        return;
      case 'stall':
        // The process stands still: nobody calls the core.
        this.#nowMs += Number(words.plain[0]);
        this.#give({ kind: 'tick' });
        return;
      case 'view':
        this.#lines.push(JSON.stringify(this.#theCore().view()));
        return;
      default:
        throw new Error(`no command ${line}`);
    }
  }

  #begin(words: Words): void {
    const plan = readPlan(words);
    this.#autoRecord = words.named.get('record') !== 'by-hand';
    this.#core = new RunCore({
      plan,
      epoch: 7,
      token: words.named.get('token') ?? null,
      nowMs: monotonicMs(0),
    });
    this.#give({ kind: 'tick' });
  }

  #theCore(): RunCore {
    if (this.#core === null) throw new Error('a script begins with a plan');
    return this.#core;
  }

  #give(input: RunInput): void {
    for (const effect of this.#theCore().step(input, monotonicMs(this.#nowMs))) this.#show(effect);
    for (
      let recorded = this.#recordQueue.shift();
      recorded !== undefined;
      recorded = this.#recordQueue.shift()
    )
      this.#give(recorded);
  }

  /** Answers pings until there is none, each after so long. */
  #answer(connection: number, afterMs: number): void {
    const clockMs = this.#clocks.get(connection) ?? 0;
    const pings = this.#pings.get(connection) ?? [];
    for (let id = pings.shift(); id !== undefined; id = pings.shift()) {
      const workerMs = this.#nowMs + afterMs / 2 + clockMs;
      this.#nowMs += afterMs;
      this.#give({ kind: 'message', connection, message: { type: 'pong', id, workerMs } });
    }
  }

  /** Everybody that is not silent goes on beating. */
  #wait(forMs: number, silent: readonly number[]): void {
    const untilMs = this.#nowMs + forMs;
    for (;;) {
      const dueMs = this.#theCore().nextDeadlineMs();
      if (dueMs === null || dueMs > untilMs) break;
      this.#nowMs = Math.max(this.#nowMs, dueMs);
      for (const connection of [...this.#welcomed.keys()]) {
        if (silent.includes(connection)) continue;
        this.#give({ kind: 'message', connection, message: { type: 'heartbeat' } });
        this.#answer(connection, 0);
      }
      this.#give({ kind: 'tick' });
    }
    this.#nowMs = untilMs;
  }

  #forget(connection: number): void {
    this.#welcomed.delete(connection);
    this.#pings.delete(connection);
  }

  #show(effect: RunEffect): void {
    switch (effect.kind) {
      case 'send': {
        const { connection, message } = effect;
        if (message.type === 'heartbeat') return;
        if (message.type === 'ping') {
          const pings = this.#pings.get(connection);
          if (pings === undefined) this.#pings.set(connection, [message.id]);
          else pings.push(message.id);
          return;
        }
        if (message.type === 'welcome') this.#welcomed.set(connection, message.index);
        this.#print(`-> ${connection} ${flat(message)}${message.type === 'arm' ? rateOf(message) : ''}`);
        return;
      }
      case 'close':
        this.#forget(effect.connection);
        this.#print(`close ${effect.connection}: ${effect.reason}`);
        return;
      case 'record': {
        const { worker, cell, stage, sequence, keep } = effect;
        this.#print(
          `record worker=${worker} ${cell}/${stage} sequence=${sequence}${keep ? '' : ' (not kept)'}`,
        );
        if (this.#autoRecord) this.#recordQueue.push({ kind: 'recorded', worker, cell, stage, sequence });
        return;
      }
      case 'log':
        this.#print(`log ${effect.path}: ${effect.text}`);
        return;
      case 'event':
        this.#print(`event ${flat(effect.event)}`);
        return;
      case 'finish':
        this.#print(`finish ${effect.outcome} code=${effect.code}: ${effect.reason}`);
        return;
    }
  }

  #print(text: string): void {
    this.#lines.push(`${String(Math.round(this.#nowMs)).padStart(6)}  ${text}`);
  }
}

/** The rate that the workers are told, where there is one. */
function rateOf({ spec, configuration: { target } }: Arm): string {
  if (target.kind === 'service' && target.nodes !== undefined)
    return ` target=${target.host}:${target.port} of ${target.nodes.length}`;
  const model = spec.workloads[0]?.model;
  return model?.kind === 'open' && model.rate.kind === 'constant' ? ` rate=${model.rate.ratePerSec}` : '';
}

/** One line without what says nothing here. */
function flat(value: { readonly type: string }): string {
  const { type, ...rest } = value;
  const parts = Object.entries(rest).flatMap(([key, part]) => {
    if (NOT_SHOWN.has(key) || key === 'epoch') return [];
    return [`${key}=${typeof part === 'string' ? part : JSON.stringify(part)}`];
  });
  return [type, ...parts].join(' ');
}
