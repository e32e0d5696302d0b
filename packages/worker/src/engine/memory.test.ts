import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CLOSED_MODEL, type OpenModel, type Stage } from '@pacecar/protocol';
import type { Channel } from './driver-port.js';
import type { Lane } from './lane.js';
import { portionOf } from './portion.js';
import { StageRun } from './stage-run.js';
import { runStage, stage } from './stage-run.test.support.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What lives on the heap and beside it, after everything else is gone. */
function livingBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const MB = 1024 * 1024;

/** Answers each batch as soon as it is pumped, on a clock that goes on by a microsecond an operation. */
class InstantChannel implements Channel {
  readonly #lane: Lane;
  readonly #clock: { ns: number };

  constructor(lane: Lane, clock: { ns: number }) {
    this.#lane = lane;
    this.#clock = clock;
  }

  open(): void {
    queueMicrotask(() => this.#lane.opened());
  }

  pump(nowNs: number): void {
    const slots: number[] = [];
    while (this.#lane.take(nowNs)) {
      this.#lane.wrote(40);
      slots.push(this.#lane.slot);
    }
    // Where nothing was due yet, time goes on as well.
    this.#clock.ns += 1_000 * Math.max(1, slots.length);
    if (slots.length === 0) return;
    this.#lane.begin(this.#clock.ns);
    for (const slot of slots) this.#lane.succeed(slot, slot % 7 === 0, 30);
    this.#lane.end();
  }

  close(): void {
    // Nothing is open.
  }
}

/** Lets an engine do operations by the million; `at` is called each time another million has begun. */
async function drive(of: Stage, millions: number, at: (millions: number) => void): Promise<void> {
  const clock = { ns: 1e9 };
  const channels: InstantChannel[] = [];
  let armed: () => void = () => undefined;
  const isArmed = new Promise<void>((resolve) => {
    armed = resolve;
  });
  const lanes = portionOf(of, { index: 0, of: 1 }).threads.flat();
  let sent = 0;
  const run = new StageRun({
    stage: of,
    lanes,
    identity: { seed: 1, stage: 0, worker: 0 },
    intervalNs: 100e6,
    clock: { nowNs: () => clock.ns },
    channels: new Map([
      [
        0,
        (lane: Lane) => {
          const channel = new InstantChannel(lane, clock);
          channels.push(channel);
          return channel;
        },
      ],
    ]),
    insertMemory: new Map(),
    report: {
      armed: () => armed(),
      part: ({ rows }) => {
        for (const row of rows) sent += row.sent;
      },
      finished: () => undefined,
      failed: (error) => assert.fail(error.message),
      sooner: () => undefined,
    },
  });
  run.arm();
  await isArmed;
  run.begin(clock.ns);
  for (let reached = 1; reached <= millions; ) {
    for (const channel of channels) channel.pump(clock.ns);
    run.tick();
    if (sent >= reached * 1e6) at(reached++);
  }
  run.abandon();
}

const busy = (model: Stage['workloads'][number]['model']): Stage => {
  const of = stage({ connections: 8, depth: 16, end: { kind: 'duration', durationMs: 3_600_000 } });
  return { ...of, workloads: of.workloads.map((workload) => ({ ...workload, model })) };
};
const OPEN: OpenModel = {
  kind: 'open',
  rate: { kind: 'constant', ratePerSec: 900_000 },
  arrivals: 'poisson',
  lateAfterMs: 1,
  dropAfterMs: null,
};

for (const [name, model] of [
  ['closed', CLOSED_MODEL],
  ['open', OPEN],
] as const)
  test(`the engine's memory does not grow with its operations: ${name} model`, async () => {
    const living: number[] = [];
    await drive(busy(model), 3, () => living.push(livingBytes()));
    const [first = 0, , last = 0] = living;
    assert.ok(last - first < 2 * MB, `from a million to three million operations ${last - first} bytes more`);
  });

test('a target that stops answering: never more in flight than connections x depth, and no queue behind it', () => {
  const of = busy({ ...OPEN, arrivals: 'constant', rate: { kind: 'constant', ratePerSec: 1e6 } });
  const short: Stage = { ...of, end: { kind: 'duration', durationMs: 20_000 }, operationTimeoutMs: 60_000 };
  const living: number[] = [];
  const { parts } = runStage(short, {}, (world, _channels, _run, startMs) => {
    for (const atMs of [2_000, 19_900])
      world.at((startMs + atMs) * 1e6, () => void living.push(livingBytes()));
  });
  const [first = 0, last = 0] = living;
  const inFlight = parts.map(({ rows }) => rows.reduce((sum, row) => sum + row.inFlight, 0));
  const sum = (name: 'sent' | 'aborted' | 'dropped') =>
    parts.flatMap(({ rows }) => rows).reduce((total, row) => total + row[name], 0);
  assert.equal(Math.max(...inFlight), 8 * 16);
  assert.deepEqual([sum('sent'), sum('aborted'), sum('dropped')], [128, 128, 20_000_000 - 128]);
  // What is reported of each interval is kept here; nothing for each of 18 million operations is.
  assert.ok(last - first < 2 * MB, `${last - first} bytes more while operations could not be sent`);
});
