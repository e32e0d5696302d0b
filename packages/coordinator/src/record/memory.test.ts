import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { encodeFrame, type Event, NO_COUNTERS, Recorder } from '@pacecar/protocol';
import { BundleRecord, type FrameEntry } from './bundle-record.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function livingBytes(): number {
  // What array buffers held is given back after the next one.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const SECONDS = 3_600;
const WORKERS = 4;
const ARMING: Event = {
  atMs: 0,
  wallTime: '2026-01-01T00:00:00Z',
  type: 'stage-arming',
  cell: 0,
  stage: 0,
  workers: [0, 1, 2, 3],
};

const SERVICE = new Recorder();
const EMPTY = new Recorder().encode();

function entry(worker: number, sequence: number): FrameEntry {
  SERVICE.reset();
  for (let step = 0; step < 100; step++) SERVICE.record(100_000 + 10_000 * step + sequence, 50);
  const counters = { ...NO_COUNTERS, sent: 5_000, ok: 5_000, inFlight: 0 };
  const histograms = { service: SERVICE.encode(), response: EMPTY, failed: EMPTY };
  const identity = { worker, cell: 0, stage: 0, sequence };
  const bytes = encodeFrame({
    epoch: 1,
    ...identity,
    interval: sequence,
    startNs: sequence * 1e9,
    endNs: (sequence + 1) * 1e9,
    firstOperationNs: null,
    rows: [{ workload: 'main', operation: 'get', ...counters, ...histograms }],
    threads: [],
    cpuUserUs: 0,
    cpuSystemUs: 0,
    residentBytes: 0,
  });
  return { kind: 'frame', connection: worker, ...identity, keep: true, bytes };
}

test('an hour of frames, a second each: what is recorded is on disk, and nothing of it stays in memory', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'pacecar-hour-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  for (const folder of ['frames', 'facts']) await mkdir(join(directory, folder));
  const record = new BundleRecord({ directory, intervalMs: 1_000, cellConfigurations: ['one'] });
  await record.append([{ kind: 'event', event: ARMING }]);
  let early = 0;
  // A minute at a time, as a busy disk makes them: one figure a second, as the display asks for them.
  for (let minute = 0; minute < SECONDS / 60; minute++) {
    const batch: FrameEntry[] = [];
    for (let second = 0; second < 60; second++)
      for (let worker = 0; worker < WORKERS; worker++) batch.push(entry(worker, minute * 60 + second));
    const { recorded } = await record.append(batch);
    assert.equal(recorded.length, 60 * WORKERS);
    record.figures();
    if (minute === 5) early = livingBytes();
  }
  const grown = livingBytes() - early;
  assert.equal(record.figures().operations, SECONDS * WORKERS * 5_000);
  await record.close();
  assert.ok(grown < 2 * 1024 * 1024, `${grown} bytes more from minute 5 to minute 60`);
});
