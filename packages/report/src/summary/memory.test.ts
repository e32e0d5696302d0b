import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { encodeFrame } from '@pacecar/protocol';
import { EPOCH, frameOf, measureStage, sampleBundle, samplePlan } from '../sample-run.test.data.js';
import type { BundleSource } from '../source.js';
import { readRecord } from './record.js';
import { summarize } from './summarize.js';
import { tallyFrames } from './tally.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function livingBytes(): number {
  // What array buffers held is given back after the next one.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const KB = 1024;

/** A frame a second and worker, made while it is read: latencies of 60 buckets. */
function source(workers: number, seconds: number): BundleSource {
  const stage = { ...measureStage, end: { kind: 'duration' as const, durationMs: seconds * 1_000 } };
  const plan = samplePlan(workers, {
    cells: [{ index: 0, configuration: 'redis7', repetition: 0, coordinates: {}, stages: [stage] }],
  });
  const ok = Array.from({ length: 60 }, (_, step) => [100_000 + 7_000 * step, 1_000] as const);
  const frame = frameOf({ worker: 0, stage: 0, sequence: 0 }, [
    { operation: 'get', ok },
    { operation: 'put', ok },
  ]);
  return {
    ...sampleBundle(plan, []),
    *frames() {
      for (let worker = 0; worker < workers; worker++)
        for (let sequence = 0; sequence < seconds; sequence++)
          yield encodeFrame({
            ...frame,
            worker,
            sequence,
            interval: sequence,
            startNs: sequence * 1e9,
            endNs: (sequence + 1) * 1e9,
          });
    },
  };
}

/** What a tally holds when it is done, for each interval. */
function heldBytesPerInterval(workers: number, seconds: number): number {
  const from = source(workers, seconds);
  const record = { ...readRecord([]), epoch: EPOCH };
  const before = livingBytes();
  const tally = tallyFrames(from, record);
  const held = livingBytes() - before;
  assert.equal(tally.frames, workers * seconds);
  return held / seconds;
}

test('memory goes with the intervals, not with the workers', () => {
  heldBytesPerInterval(1, 60);
  const few = heldBytesPerInterval(2, 600);
  const many = heldBytesPerInterval(16, 600);
  // Up to eight histograms of a row wait before they become one.
  for (const [workers, bytes] of [
    [2, few],
    [16, many],
  ] as const)
    assert.ok(bytes < 16 * KB, `${bytes} bytes for an interval of ${workers} workers`);
});

test('the summary of an hour has a point for each second, a few figures each', () => {
  const seconds = 3_600;
  const timeline = summarize(source(1, seconds)).cells[0]?.stages[0]?.timeline;
  assert.equal(timeline?.total.length, seconds);
  const bytes = JSON.stringify(timeline).length;
  assert.ok(bytes < seconds * KB, `${bytes} bytes`);
});
