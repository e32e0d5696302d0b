import {
  type Arm,
  type CoordinatorMessage,
  type FailureCode,
  type Go,
  monotonicMs,
  type ServiceNode,
  type Stage,
} from '@pacecar/protocol';
import { SessionCore } from './session-core.js';
import type { SessionEffect, SessionInput, StagePlace } from './step.js';

/** Words of a command: `key=value` by name, the rest in order. */
interface Words {
  readonly plain: readonly string[];
  readonly named: ReadonlyMap<string, string>;
}

const NOT_SHOWN: ReadonlySet<string> = new Set([
  'facts',
  'drivers',
  'calibration',
  'token',
  'workerId',
  'version',
  'totals',
]);

/**
 * Runs one script against a session core: commands in, effects out. traces/README.md says what a script may hold.
 * Time stands still but in `wait`; the worker's heartbeats are not shown.
 */
export class SessionTrace {
  #core: SessionCore | null = null;
  #nowMs = 0;
  /** What the engine was armed for last: reports are of it unless they say `of=`. */
  #armed: StagePlace = { cell: 0, stage: 0 };
  readonly #lines: string[] = [];

  /** The output of one block of commands. */
  run(commands: readonly string[]): readonly string[] {
    this.#lines.length = 0;
    for (const command of commands) this.#command(command);
    return [...this.#lines];
  }

  #command(line: string): void {
    const [verb = '', ...rest] = line.split(' ');
    const words = readWords(rest);
    if (verb === 'session') {
      this.#begin(words);
      return;
    }
    if (verb === 'wait') {
      this.#wait(Number(words.plain[0]), words.plain[1] === 'heard');
      return;
    }
    const input = readEngine(verb, words, this.#armed) ?? readSocket(verb, words);
    if (input !== null) {
      this.#give(input);
      return;
    }
    const message = readMessage(verb, words);
    if (message === null) throw new Error(`no command ${line}`);
    this.#give({ kind: 'message', message });
  }

  #begin(words: Words): void {
    this.#core = new SessionCore({
      hello: {
        token: null,
        workerId: words.named.get('id') ?? 'id',
        generation: 0,
        name: 'ann',
        group: null,
        index: null,
        facts: {
          hostname: 'host',
          platform: 'linux',
          architecture: 'x64',
          cpuModel: 'cpu',
          cpuCount: 1,
          memoryBytes: 1,
          nodeVersion: 'v20',
          pacecarVersion: '0',
          pid: 1,
          wallTime: '2026-01-01T00:00:00Z',
        },
        drivers: [],
        calibration: null,
      },
      afterRun: words.named.get('after-run') === 'wait' ? 'wait' : 'exit',
      reconnect: { firstMs: 100, longestMs: 1_000, joinWithinMs: number(words, 'join-within', 30_000) },
      nowMs: monotonicMs(0),
    });
    this.#give({ kind: 'tick' });
  }

  #theCore(): SessionCore {
    if (this.#core === null) throw new Error('a script begins with a session');
    return this.#core;
  }

  #give(input: SessionInput): void {
    for (const effect of this.#theCore().step(input, monotonicMs(this.#nowMs))) this.#show(effect);
  }

  /** `heard`: the coordinator beats once a second. */
  #wait(forMs: number, heard: boolean): void {
    const untilMs = this.#nowMs + forMs;
    let beatMs = heard ? this.#nowMs + 1_000 : Number.POSITIVE_INFINITY;
    for (;;) {
      const dueMs = this.#theCore().nextDeadlineMs() ?? Number.POSITIVE_INFINITY;
      const nextMs = Math.min(dueMs, beatMs);
      if (nextMs > untilMs) break;
      this.#nowMs = Math.max(this.#nowMs, nextMs);
      if (nextMs === beatMs) {
        beatMs += 1_000;
        this.#give({ kind: 'message', message: { type: 'heartbeat', epoch: 7 } });
      } else {
        this.#give({ kind: 'tick' });
      }
    }
    this.#nowMs = untilMs;
  }

  #show(effect: SessionEffect): void {
    switch (effect.kind) {
      case 'send':
        if (effect.message.type !== 'heartbeat') this.#print(`-> ${flat(effect.message)}`);
        return;
      case 'send-frame':
        this.#print(`-> frame ${effect.bytes[0]}`);
        return;
      case 'engine-arm':
        this.#armed = { cell: effect.arm.cell, stage: effect.arm.stage };
        this.#print(`engine-arm ${placeText(effect.arm)} as worker ${effect.worker}`);
        return;
      case 'engine-go':
        this.#print(`engine-go ${placeText(effect.at)} at ${effect.startAtMs}${knownText(effect.known)}`);
        return;
      case 'engine-stop':
        this.#print(`engine-stop ${placeText(effect.at)}: ${effect.reason}`);
        return;
      case 'engine-inserted':
        this.#print(`engine-inserted ${placeText(effect.at)} ${JSON.stringify(effect.inserts)}`);
        return;
      case 'engine-abandon':
        this.#print(`engine-abandon ${placeText(effect.at)}`);
        return;
      case 'log':
        this.#print(`log ${effect.level}: ${effect.text}`);
        return;
      case 'finish':
        this.#print(`finish code=${effect.code}: ${effect.reason}`);
        return;
      case 'connect':
      case 'disconnect':
      case 'engine-release':
        this.#print(effect.kind);
        return;
    }
  }

  #print(text: string): void {
    this.#lines.push(`${String(Math.round(this.#nowMs)).padStart(6)}  ${text}`);
  }
}

function readWords(rest: readonly string[]): Words {
  const named = new Map<string, string>();
  const plain: string[] = [];
  for (const word of rest) {
    const at = word.indexOf('=');
    if (at > 0) named.set(word.slice(0, at), word.slice(at + 1));
    else plain.push(word);
  }
  return { plain, named };
}

const placeText = ({ cell, stage }: StagePlace): string => `${cell}/${stage}`;

function readPlace(text: string): StagePlace {
  const [cell = 0, stage = 0] = text.split('/').map(Number);
  return { cell, stage };
}

function number(words: Words, name: string, otherwise: number): number {
  const text = words.named.get(name);
  return text === undefined ? otherwise : Number(text);
}

/** One line without what says nothing here. */
function flat(value: { readonly type: string }): string {
  const { type, ...rest } = value;
  const parts = Object.entries(rest).flatMap(([key, part]) =>
    NOT_SHOWN.has(key) ? [] : [`${key}=${typeof part === 'string' ? part : JSON.stringify(part)}`],
  );
  return [type, ...parts].join(' ');
}

function readSocket(verb: string, words: Words): SessionInput | null {
  switch (verb) {
    case 'tick':
    case 'connected':
      return { kind: verb };
    case 'disconnected':
      return { kind: 'disconnected', reason: 'cut' };
    case 'distrusted':
      return { kind: 'distrusted', reason: 'the certificate is not trusted' };
    case 'garbage':
      return { kind: 'garbage', reason: 'a control message is not JSON' };
    case 'service-died':
      return { kind: 'service-died', service: 'cache', reason: words.plain.join(' ') };
    case 'interrupt':
      return { kind: 'interrupt', signal: words.plain[0] === 'SIGTERM' ? 'SIGTERM' : 'SIGINT' };
    default:
      return null;
  }
}

function readEngine(verb: string, words: Words, armed: StagePlace): SessionInput | null {
  const [first = '0', ...rest] = words.plain;
  const of = words.named.get('of');
  const at = of === undefined ? armed : readPlace(of);
  switch (verb) {
    case 'engine-armed':
      return {
        ...{ kind: 'engine-armed', at, connections: 4, target: null },
        ...(words.named.has('nodes') ? { nodes: [NODE] } : {}),
      };
    case 'engine-failed':
      return { kind: 'engine-failed', at, code: first as FailureCode, reason: rest.join(' ') };
    case 'engine-frame':
      return { kind: 'engine-frame', at, sequence: Number(first), bytes: new Uint8Array([Number(first)]) };
    case 'engine-drained':
      return {
        kind: 'engine-drained',
        at,
        lastSequence: number(words, 'last', 0),
        elapsedNs: 1_000_000,
        totals: [],
      };
    default:
      return null;
  }
}

/** `until=NAME`: a background stage. */
function readEnd(until: string | undefined): Stage['end'] {
  return until === undefined ? { kind: 'duration', durationMs: 1_000 } : { kind: 'stage', stage: until };
}

/** What an order to begin says of a service. */
function knownText({ peers, away }: Pick<Go, 'peers' | 'away'>): string {
  return peers === undefined ? '' : ` with ${peers.length} processes, ${away?.length ?? 0} away`;
}

/** A process of a service. */
const NODE: ServiceNode = {
  ...{ role: 'server', index: 0, worker: 0, host: 'h', port: 7000, certificateAuthority: null },
};

/** `service=cache`. */
function readService(name: string | undefined): Pick<Arm, 'service'> {
  if (name === undefined) return {};
  const login = { username: null, password: null };
  return { service: { name, recipe: 'r', group: 'clients', parameters: {}, ...login, readyWithinMs: 1_000 } };
}

function readMessage(verb: string, words: Words): CoordinatorMessage | null {
  const epoch = number(words, 'epoch', 7);
  const [first = '0/0', ...rest] = words.plain;
  const place = { epoch, ...readPlace(first) };
  switch (verb) {
    case 'welcome':
      return {
        type: 'welcome',
        index: number(words, 'index', 0),
        name: 'ann',
        group: 'clients',
        epoch,
        heartbeatMs: 1_000,
        leaseMs: 10_000,
      };
    case 'refuse':
      return { type: 'refuse', code: first as FailureCode, reason: rest.join(' ') };
    case 'ping':
      return { type: 'ping', id: Number(first) };
    case 'heartbeat':
      return { type: 'heartbeat', epoch };
    case 'go':
      return {
        ...{ type: 'go', ...place, startAtMs: number(words, 'at', 0) },
        ...(words.named.has('peers') ? { peers: [NODE], away: [1] } : {}),
      };
    case 'stop':
      return { type: 'stop', ...place, reason: 'interrupted by SIGINT' };
    case 'inserted': {
      const slices = (words.named.get('slices') ?? '0')
        .split(',')
        .map((slice) => [0, ...slice.split('-').map(Number)]);
      return {
        type: 'inserted',
        ...place,
        inserts: [{ workload: 0, worker: number(words, 'by', 1), slices }],
      };
    }
    case 'acknowledge':
      return { type: 'acknowledge', ...place, sequence: number(words, 'sequence', 0) };
    case 'end':
      return {
        type: 'end',
        epoch,
        code: words.plain.length > 0 ? (first as FailureCode) : null,
        reason: rest.join(' '),
      };
    case 'arm':
      return {
        type: 'arm',
        ...place,
        ...readService(words.named.get('service')),
        configuration: {
          name: 'only',
          driver: 'resp',
          target: { kind: 'address', host: 'h', port: 1, username: null, password: null, database: 0 },
          settings: {},
        },
        spec: {
          name: 'measure',
          kind: 'measure',
          group: 'clients',
          workloads: [],
          end: readEnd(words.named.get('until')),
          operationTimeoutMs: 1_000,
          connectTimeoutMs: 1_000,
          armTimeoutMs: 10_000,
          drainMs: 1_000,
          limitMs: 60_000,
          stopWhen: null,
          search: null,
        },
        share: { index: 0, of: 1 },
        seed: 1,
        intervalMs: 1_000,
      };
    default:
      return null;
  }
}
