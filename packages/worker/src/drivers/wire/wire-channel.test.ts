import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { type Action, plainAction, type Stage, type Workload } from '@pacecar/protocol';
import type { Channel, EngineClock } from '../../engine/driver-port.js';
import { InsertExchange } from '../../engine/insert-exchange.js';
import type { Lane } from '../../engine/lane.js';
import type { RowPart } from '../../engine/ledger.js';
import { portionOf } from '../../engine/portion.js';
import { stage } from '../../engine/stage-run.test.support.js';
import { StageRun } from '../../engine/stage-run.js';
import { type RunningTarget, startTarget } from '../../target/start-target.js';
import type { ConnectionOwner } from './connection.js';
import { createRespDriver } from '../resp/driver.js';

const CLOCK: EngineClock = { nowNs: () => Number(process.hrtime.bigint()) };
const KEYS = 60;
/** Keys past these are absent. */
const WRITTEN = 40;

/** One connection at a time to a target, whose answers come in pieces: the next leaves when the last one was read. */
class Splitter {
  readonly #server;
  readonly #sockets: Socket[] = [];
  #wake: (() => void) | null = null;

  constructor(targetPort: number, pieceOf: (index: number) => number) {
    this.#server = createServer({ noDelay: true }, (client) => {
      const target = connect({ host: '127.0.0.1', port: targetPort });
      this.#sockets.push(client, target);
      for (const socket of [client, target]) socket.on('error', () => undefined);
      client.pipe(target);
      void this.#pass(target, client, pieceOf);
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** What was sent last has been read. */
  read(): void {
    this.#wake?.();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #pass(target: Socket, client: Socket, pieceOf: (index: number) => number): Promise<void> {
    let index = 0;
    try {
      for await (const answer of target) {
        const bytes = answer as Buffer;
        for (let at = 0; at < bytes.length; ) {
          const piece = bytes.subarray(at, at + pieceOf(index++));
          const read = new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          client.write(piece);
          await read;
          at += piece.length;
        }
      }
    } catch {
      // Closed when the stage is over.
    }
  }
}

/** Of one action: sent, ok, hits, misses, errors, and bytes both ways. */
type Counts = Record<(typeof COUNTED)[number] | 'errors', number>;
const COUNTED = ['sent', 'ok', 'hits', 'misses', 'bytesSent', 'bytesReceived'] as const;

interface Outcome {
  /** By action. */
  readonly counts: Record<string, Counts>;
  /** Lengths of what was read at a time, logging in included. */
  readonly reads: readonly number[];
}

/** Runs a stage with one connection through the channel itself, in this thread. */
async function run(of: Stage, port: number, onRead: () => void): Promise<Outcome> {
  const driver = createRespDriver({
    configuration: {
      name: 'configuration',
      driver: 'resp',
      target: { kind: 'address', host: '127.0.0.1', port, username: null, password: null, database: 0 },
      settings: {},
    },
    connectTimeoutMs: 5_000,
    clock: CLOCK,
  });
  const counts: Record<string, Counts> = {};
  const reads: number[] = [];
  const count = (row: RowPart): void => {
    const sums = counts[row.operation] ?? {
      ...{ sent: 0, ok: 0, hits: 0, misses: 0, bytesSent: 0, bytesReceived: 0, errors: 0 },
    };
    for (const name of COUNTED) sums[name] += row[name];
    for (const errors of Object.values(row.errors)) sums.errors += errors;
    counts[row.operation] = sums;
  };
  const lanes = portionOf(of, { index: 0, of: 1 }).threads.flat();
  await new Promise<void>((resolve, reject) => {
    const stageRun: StageRun = new StageRun({
      stage: of,
      lanes,
      identity: { seed: 7, stage: 0, worker: 0 },
      intervalNs: 1e9,
      clock: CLOCK,
      channels: new Map([
        [
          0,
          (lane: Lane) => {
            const make = driver.prepare(of.workloads[0] as Workload);
            const channel = make(lane) as Channel & ConnectionOwner;
            const received = channel.received.bind(channel);
            channel.received = (bytes, length) => {
              reads.push(length);
              received(bytes, length);
              onRead();
            };
            return channel;
          },
        ],
      ]),
      insertMemory: new Map(new InsertExchange(of, lanes).memory),
      report: {
        armed: () => stageRun.begin(CLOCK.nowNs()),
        part: ({ rows }) => rows.forEach(count),
        finished: (_elapsedNs, failure) => (failure === null ? resolve() : reject(failure)),
        failed: reject,
        sooner: () => undefined,
      },
    });
    const tick = (): void => {
      const inNs = stageRun.tick();
      if (inNs !== null) setTimeout(tick, inNs / 1e6);
    };
    stageRun.arm();
    tick();
  });
  return { counts, reads };
}

function workload(mix: readonly Action[], end: Stage['end'], changes: Partial<Workload> = {}): Stage {
  const plain = stage({ end, depth: 8 });
  const [first] = plain.workloads as [Workload];
  const keys = { ...first.keys, prefix: 'key:', maximum: KEYS - 1 };
  const values: Workload['values'] = {
    size: { kind: 'uniform', minimumBytes: 0, maximumBytes: 40 },
    content: { kind: 'printable' },
  };
  return {
    ...plain,
    workloads: [{ ...first, mix: [...mix], keys, values, checkValues: true, ...changes }],
  };
}

const LOAD = workload([plainAction('put', 1)], { kind: 'keys' });
const [LOADED] = LOAD.workloads as [Workload];
/** Answers of every shape, errors among them: most values are no numbers, and what was counted up is no value. */
const ONE_KEY: readonly Action[] = [
  plainAction('get', 3),
  { ...plainAction('getRange', 1), range: { offsetBytes: 3, lengthBytes: 9 } },
  plainAction('increment', 1),
];
const COMPOUND: readonly Action[] = [
  ...ONE_KEY,
  { ...plainAction('getAll', 2), batch: 5 },
  { ...plainAction('scan', 1), batch: 7 },
  { ...plainAction('command', 1), commands: ['MGET __key__ nowhere __key__'] },
  { ...plainAction('transaction', 1), commands: ['GET __key__', 'STRLEN __key__'] },
];
const SOME = { kind: 'operations', operations: { count: 300, scope: 'total' } } as const;

/** The stage on a target of its own, which has the same values in it each time. */
async function onFreshTarget(of: Stage, pieceOf: ((index: number) => number) | null): Promise<Outcome> {
  const target: RunningTarget = await startTarget({ host: '127.0.0.1', port: 0 });
  const splitter = new Splitter(target.port, pieceOf ?? (() => 1));
  try {
    const keys = { ...LOADED.keys, maximum: WRITTEN - 1 };
    await run({ ...LOAD, workloads: [{ ...LOADED, keys }] }, target.port, () => undefined);
    if (pieceOf === null) return await run(of, target.port, () => undefined);
    return await run(of, await splitter.listen(), () => splitter.read());
  } finally {
    splitter.close();
    await target.close();
  }
}

describe('replies that are cut anywhere, through channel and socket', () => {
  for (const [name, mix] of [
    ['commands on one key', ONE_KEY],
    ['commands of every shape', COMPOUND],
  ] as const) {
    test(`${name}: read byte by byte, they are counted as if they had come whole`, {
      timeout: 60_000,
    }, async () => {
      const of = workload(mix, SOME);
      const whole = await onFreshTarget(of, null);
      const cut = await onFreshTarget(of, () => 1);
      assert.ok(cut.reads.length > 3_000, `${cut.reads.length} reads`);
      assert.ok(cut.reads.every((length) => length === 1));
      assert.deepEqual(cut.counts, whole.counts);
      // What is compared has all kinds of answers in it.
      const get = cut.counts['get'] as Counts;
      assert.ok(get.hits > 0 && get.misses > 0, JSON.stringify(get));
      assert.equal(get.hits + get.misses + get.errors, get.sent);
      const increment = cut.counts['increment'] as Counts;
      assert.ok(increment.errors > 0 && increment.errors + increment.ok === increment.sent);
    });

    test(`${name}: so are pieces of all lengths`, { timeout: 60_000 }, async () => {
      const of = workload(mix, SOME);
      const whole = await onFreshTarget(of, null);
      const cut = await onFreshTarget(of, (index) => 1 + ((index * 7) % 23));
      assert.deepEqual(cut.counts, whole.counts);
    });
  }
});
